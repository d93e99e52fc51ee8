"""A real HTTP service on this machine that answers as a test wants."""

import base64
import contextlib
import json
import socket
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import trimesh


@dataclass
class Reply:
    """What the service sends.

    `head` and `raw` replace everything; the connection is dropped after `raw`.
    """

    document: object = None
    body: bytes | None = None
    status: int = 200
    headers: dict = field(default_factory=dict)
    raw: bytes | None = None
    drip: float | None = None  # s between bytes that never end


class StubService:
    """Answers every request by `reply(question, headers)`, and keeps what was asked."""

    def __init__(self, reply):
        self.reply = reply
        self.asked = []
        self.ended = threading.Event()
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                question = json.loads(body)
                stub.asked.append((self.path, dict(self.headers), question))
                with contextlib.suppress(OSError):
                    stub._send(self, stub.reply(question, dict(self.headers)))
                self.close_connection = True

            do_GET = do_POST

            def log_message(self, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )

    def _send(self, handler, reply):
        if reply.raw is not None:
            handler.wfile.write(reply.raw)
            return
        if reply.drip is not None:
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
            while not self.ended.wait(reply.drip):
                handler.wfile.write(b" ")
            return
        body = json.dumps(reply.document).encode() if reply.body is None else reply.body
        headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        handler.send_response(reply.status)
        for key, value in (headers | reply.headers).items():
            handler.send_header(key, value)
        handler.end_headers()
        handler.wfile.write(body)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1?key=1"

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *error):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()


def silent_port():
    """A socket that accepts connections and never answers; close it at the end."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(8)
    return listener


def closed_url():
    """The URL of a port where nothing listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{listener.getsockname()[1]}/"


def part_answer(**parts):
    """A part model's answer: meshes by name."""
    return {
        "protocol": "autourdf_ros/part_model",
        "version": 1,
        "parts": [
            {"name": name, "format": "ply", "data": encoded(mesh.export(file_type="ply"))}
            for name, mesh in parts.items()
        ],
    }


def type_answer(kind, confidence=0.9, **fields):
    """A type model's answer."""
    head = {"protocol": "autourdf_ros/type_model", "version": 1}
    return {**head, "type": kind, "confidence": confidence, **fields}


def abstention():
    return {"protocol": "autourdf_ros/type_model", "version": 1, "abstain": True}


def encoded(content):
    return base64.b64encode(content).decode()


def two_boxes():
    base = trimesh.creation.box((0.4, 0.4, 0.1))
    arm = trimesh.creation.cylinder(0.05, 0.3, sections=24)
    arm.apply_translation((0, 0, 0.2))
    return {"base": base, "arm": arm}
