from django.views.decorators.http import require_POST
from rest_framework import generics, mixins, viewsets
from rest_framework.decorators import action, api_view
from rest_framework.views import APIView


class OrderViewSet(viewsets.ModelViewSet):
    lookup_field = "number"

    def create(self, request):
        return None

    @action(detail=True, methods=["post"], url_path="set-paid")
    def set_paid(self, request, number=None):
        return None

    @set_paid.mapping.delete
    def unset_paid(self, request, number=None):
        return None

    @action(detail=False)
    def recent(self, request):
        return None

    def cancel(self, request, pk=None):
        return None


class ArchiveViewSet(viewsets.ReadOnlyModelViewSet):
    pass


class LineViewSet(mixins.ListModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet):
    pass


class Tagged:
    def list(self, request):
        return None


class TagViewSet(Tagged, viewsets.ViewSet):
    pass


class CartViewSet(viewsets.ModelViewSet):
    http_method_names = ["get", "head"]


class PriceList(generics.ListCreateAPIView):
    pass


class PriceDetail(generics.RetrieveAPIView):
    def delete(self, request, pk):
        return None


class Status(APIView):
    def get(self, request):
        return None

    def post(self, request):
        return None


@api_view(["GET", "POST"])
def hello(request):
    return None


@api_view()
def health(request):
    return None


@require_POST
def legacy(request):
    return None
