import httpx
from fastapi import FastAPI

app = FastAPI()
client = httpx.Client()


@app.post("/reload")
def reload():
    client.post("/elsewhere")
