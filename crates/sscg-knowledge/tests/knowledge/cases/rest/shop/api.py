from rest_framework.routers import DefaultRouter, SimpleRouter
from rest_framework_nested import routers

from . import views
from .routers import SortedRouter

archive = SimpleRouter()
archive.register(r"archive/(?P<year>\d+)/orders", views.ArchiveViewSet)

router = DefaultRouter()
router.register("orders", views.OrderViewSet, basename="order")
router.registry.extend(archive.registry)

nested = routers.NestedSimpleRouter(router, "orders", lookup="order")
nested.register("lines", views.LineViewSet)

bare = SortedRouter(trailing_slash=False)
bare.register(prefix="tags", viewset=views.TagViewSet)
