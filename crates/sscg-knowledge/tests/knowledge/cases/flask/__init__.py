from flask import Flask

from .blog import bp


def create_app():
    app = Flask(__name__)
    app.register_blueprint(bp)
    app.register_blueprint(bp, url_prefix="/journal", name="journal")

    from .api import bp as api

    app.register_blueprint(api, url_prefix="/api")
    with app.test_client() as client:
        client.get("/blog/1")
    app.add_url_rule("/users/<int:id>", view_func=Users.as_view("users"))
    app.add_url_rule("/ping", "ping", ping, methods=("GET",))
    return app


def ping():
    return "pong"


from flask.views import MethodView


class Users(MethodView):
    def get(self, id):
        return {}

    def delete(self, id):
        return {}
