import aiohttp


async def main():
    async with aiohttp.ClientSession("http://elsewhere") as session:
        await session.get("/items")
        await session.post("/items", json={})
