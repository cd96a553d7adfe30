"""A scripted endpoint on the loopback address, which replays tool calls and a final answer."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer


class Scripted:
    """Replies in turn with the items of a script: a list of calls (tool, arguments), or a text."""

    def __init__(self, kind, script):
        self.script = list(script)
        self.requests = []
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                owner.requests.append((self.path, dict(self.headers), body))
                reply = json.dumps(FORMS[kind](owner.script.pop(0))).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(reply)))
                self.end_headers()
                self.wfile.write(reply)

            def log_message(self, *arguments):
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.base = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def _openai(item):
    message = {"role": "assistant", "content": item if isinstance(item, str) else None}
    if not isinstance(item, str):
        message["tool_calls"] = [
            {"id": f"call{number}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
            for number, (tool, arguments) in enumerate(item)
        ]
    return {"choices": [{"message": message}], "usage": {"prompt_tokens": 100, "completion_tokens": 10}}


def _anthropic(item):
    if isinstance(item, str):
        content = [{"type": "text", "text": item}]
    else:
        content = [
            {"type": "tool_use", "id": f"call{number}", "name": tool, "input": arguments}
            for number, (tool, arguments) in enumerate(item)
        ]
    usage = {"input_tokens": 60, "cache_read_input_tokens": 40, "output_tokens": 10}
    return {"content": content, "usage": usage}


FORMS = {"openai": _openai, "anthropic": _anthropic}
