from fastapi import APIRouter

router = APIRouter(prefix="/users")
posts = APIRouter(prefix="/{user_id:int}/posts")


@posts.api_route("/", methods=["GET", "POST"])
async def any_post(user_id: int):
    return []


@router.delete("/{user_id}")
async def remove(user_id: int):
    cache = {}
    cache.get("/x")


router.include_router(posts)
