from flask import Blueprint

bp = Blueprint("blog", __name__, url_prefix="/blog")


@bp.route("/<int:id>/update", methods=("GET", "POST"))
def update(id):
    return ""
