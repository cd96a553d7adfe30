from fastapi import FastAPI

from . import admin
from .users import router as users

PREFIX = "/api"


def create_app() -> FastAPI:
    app = FastAPI()
    app.include_router(users, prefix=PREFIX)
    app.mount("/admin", admin.app)

    @app.get("/health")
    def health():
        return {}

    app.add_api_route("/version", version, methods=["GET", "HEAD"])
    return app


def version():
    return "1"
