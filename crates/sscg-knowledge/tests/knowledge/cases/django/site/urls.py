from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("polls/", include("polls.urls")),
    path("v2/", include([path("status/", include(("polls.extra", "extra")))])),
]
