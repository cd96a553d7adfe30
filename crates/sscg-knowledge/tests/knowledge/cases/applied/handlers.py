def read(id: int):
    return {}


def pay():
    return {}


def reload():
    return {}
