from . import bp


@bp.route("/tokens", methods=["POST"])
def issue():
    return ""
