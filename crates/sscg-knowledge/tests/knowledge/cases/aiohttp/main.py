from aiohttp import web

routes = web.RouteTableDef()


@routes.get("/")
async def index(request):
    return web.Response()


async def show(request):
    return web.Response()


def make_app():
    app = web.Application()
    app.add_routes(routes)
    app.add_routes([web.get("/items/{id:[0-9]+}", show), web.post("/items", show)])
    app.router.add_put("/items/{id}", show)
    app.router.add_route("*", "/any", show)
    admin = web.Application()
    admin.router.add_get("/stats", show)
    app.add_subapp("/admin/", admin)
    return app


if __name__ == "__main__":
    web.run_app(make_app())
