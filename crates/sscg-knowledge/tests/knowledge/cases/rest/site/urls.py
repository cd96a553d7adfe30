from django.urls import include, path, re_path

from shop.api import bare, nested, router

urlpatterns = [
    path("api/", include(router.urls)),
    path("api/", include((nested.urls, "nested"))),
    re_path(r"^v2/", include([path("", include("shop.urls")), *bare.urls])),
]
