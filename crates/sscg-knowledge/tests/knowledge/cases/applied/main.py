from fastapi import APIRouter, FastAPI
from flask import Flask

from handlers import pay, read, reload

app = FastAPI()
app.get("/items/{id}")(read)
app.api_route("/items", methods=["GET", "POST"])(pay)

pages = Flask(__name__)
pages.route("/reload", methods=["POST"])(reload)
pages.get("/cache")


class Server:
    def __init__(self):
        self.app = FastAPI()
        self.router = APIRouter(prefix="/v1")
        self.router.add_api_route("/status", self.status, methods=["GET"])
        self.app.post("/pay")(pay)
        self.app.delete("/pay/{id}")(self.refund)
        self.app.include_router(self.router)

    def status(self):
        return {}

    def refund(self, id: int):
        cache = {}
        cache.get("/x")(id)
