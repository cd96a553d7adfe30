from starlette.applications import Starlette
from starlette.routing import Mount, Route


async def index(request):
    return None


async def users(request):
    return None


app = Starlette(
    routes=[
        Route("/", index),
        Mount("/v1", routes=[Route("/users/{id:int}", endpoint=users, methods=["GET", "PUT"])]),
    ]
)
