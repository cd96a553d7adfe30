from rest_framework.routers import SimpleRouter


class SortedRouter(SimpleRouter):
    pass
