from django.urls import path
from django.views.decorators.cache import cache_page
from rest_framework.routers import DefaultRouter

from . import views

router = DefaultRouter()
router.register("carts", views.CartViewSet)

urlpatterns = [
    path("hello/", views.hello),
    path("health/", views.health),
    path("legacy/", views.legacy),
    path("prices/", cache_page(60)(views.PriceList.as_view())),
    path("prices/<int:pk>/", views.PriceDetail.as_view()),
    path("status/", views.Status.as_view()),
    path("orders/<int:pk>/cancel/", views.OrderViewSet.as_view({"put": "cancel", "delete": "destroy"})),
]
urlpatterns += router.urls
