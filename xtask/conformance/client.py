"""Lists the tools of an MCP server over stdio and calls each, with the official Python SDK.

Takes a JSON file with the arguments of each tool, and the server's command. Prints the names of the tools as a line of JSON, then a
line for each call: the tool, and what is wrong with its answer or null.
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(calls, command):
    server = StdioServerParameters(command=command[0], args=command[1:])
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = [tool.name for tool in (await session.list_tools()).tools]
        print(json.dumps(tools), flush=True)
        for tool in tools:
            result = (await session.call_tool(tool, calls[tool])).model_dump(mode="json", by_alias=True)
            text = "\n".join(item.get("text", "") for item in result["content"])
            problem = text or "no content" if result.get("isError") or not text else None
            print(json.dumps([tool, problem]), flush=True)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        asyncio.run(main(json.load(file), sys.argv[2:]))
