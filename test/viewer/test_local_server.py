"""The server listens at the given address, reports where it cannot, and never becomes public."""

import inspect
import socket
import threading
import urllib.error
import urllib.request
from pathlib import Path

import msgspec
import pytest
import viser
import websockets.sync.client

from autourdf_ros.errors import InputError
from autourdf_ros.viewer.local_server import start_server, stop_server


@pytest.fixture
def server():
    started = start_server(port=0)
    yield started
    stop_server(started)


def listening_addresses(port):
    """Of all sockets that listen at a port, in the kernel's notation: hexadecimal, reversed."""
    rows = []
    for table in ("tcp", "tcp6"):
        rows += [line.split() for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]]
    ends = [row[1].split(":") for row in rows if row[3] == "0A"]
    return [address for address, number in ends if int(number, 16) == port]


def test_it_listens_on_this_machine_only_by_default(server):
    assert listening_addresses(server.get_port()) == ["0100007F"]  # 127.0.0.1
    assert inspect.signature(start_server).parameters["host"].default == "127.0.0.1"
    everywhere = start_server("0.0.0.0", 0)
    try:
        assert listening_addresses(everywhere.get_port()) == ["00000000"]
    finally:
        stop_server(everywhere)


def test_its_banner_and_end_are_not_printed(capsys):
    stop_server(start_server(port=0))
    assert capsys.readouterr().out == ""


def test_a_taken_port_is_named():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(InputError, match=f"--port: {port} of 127.0.0.1 cannot be listened at"):
            start_server(port=port)


def test_a_host_that_is_none_is_named():
    with pytest.raises(InputError, match=r"--host: 'no\.such\.host\.invalid'"):
        start_server("no.such.host.invalid", 0)
    with pytest.raises(InputError, match=r"--port: 0 of 192\.0\.2\.1"):
        start_server("192.0.2.1", 0)


def test_nobody_can_have_it_shared(server, monkeypatch):
    """A page of any site may send this message to a port of localhost."""

    def tunnel(*args):
        raise AssertionError("opened a tunnel")

    monkeypatch.setattr("viser._viser.ViserTunnel", tunnel)
    assert server.request_share_url() is None
    asked = threading.Event()
    monkeypatch.setattr(type(server), "request_share_url", lambda self: asked.set())
    url = f"ws://127.0.0.1:{server.get_port()}"
    protocol = f"viser-v{viser.__version__}"
    with websockets.sync.client.connect(url, subprotocols=[protocol]) as client:
        client.send(msgspec.msgpack.encode({"type": "ShareUrlRequest"}))
        assert asked.wait(20), "viser no longer asks the method that refuses"


@pytest.mark.parametrize(
    "path", ["/../../../_viser.py", "/%2e%2e/%2e%2e/_viser.py", "//etc/passwd"]
)
def test_no_file_but_the_page_is_served(server, path):
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"http://127.0.0.1:{server.get_port()}{path}")
