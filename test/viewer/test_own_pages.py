"""A page of another site cannot open the robot's socket: its browser sends its origin."""

import socket

import pytest
import viser
import websockets.asyncio.server
import websockets.sync.client
from websockets.exceptions import InvalidStatus

from autourdf_ros.viewer.local_server import start_server, stop_server
from autourdf_ros.viewer.own_pages import is_own_page, open_to_own_pages_only

PROTOCOL = f"viser-v{viser.__version__}"
SERVE = websockets.asyncio.server.serve


@pytest.fixture(scope="module")
def server():
    started = start_server(port=0)
    yield started
    stop_server(started)


def connect(server, origin, name="127.0.0.1"):
    """As a browser would that shows a page from `origin` and knows this machine as `name`."""
    port = server.get_port()
    return websockets.sync.client.connect(
        f"ws://{name}:{port}",
        sock=socket.create_connection(("127.0.0.1", port)),
        origin=origin and origin.format(port=port),
        subprotocols=[PROTOCOL],
        open_timeout=60,
    )


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ("http://127.0.0.1:{port}", "127.0.0.1"),
        ("http://localhost:{port}", "localhost"),
        (None, "127.0.0.1"),
    ],
)
def test_its_own_pages_and_programs_are_shown_the_robot(server, origin, name):
    with connect(server, origin, name) as client:
        assert client.recv(timeout=60)


@pytest.mark.parametrize(
    ("origin", "name"),
    [
        ("https://evil.example", "127.0.0.1"),
        ("http://localhost:1", "localhost"),
        ("http://evil.example:{port}", "evil.example"),  # DNS rebinding
        ("null", "127.0.0.1"),
    ],
)
def test_pages_of_others_are_refused(server, origin, name):
    with pytest.raises(InvalidStatus, match="403"), connect(server, origin, name):
        pass


@pytest.mark.parametrize(
    ("origin", "asked", "host", "own"),
    [
        ("http://192.168.1.7:8080", "192.168.1.7:8080", "0.0.0.0", True),
        ("http://[::1]:8080", "[::1]:8080", "::", True),
        ("https://Cell.example:8080", "cell.example:8080", "cell.example", True),
        ("http://localhost:9000", "localhost:9000", "127.0.0.1", True),  # an SSH tunnel
        (f"http://{socket.gethostname()}", socket.gethostname(), "0.0.0.0", True),
        ("http://6.6.6.6:8080", "192.168.1.7:8080", "0.0.0.0", False),
        ("http://192.168.1.7", "192.168.1.7:8080", "0.0.0.0", False),
        ("http://cell.example:8080", "cell.example:8080", "0.0.0.0", False),
        ("file://", "", "", False),
        ("http://[", "[", "127.0.0.1", False),
        ("", "127.0.0.1:8080", "127.0.0.1", False),
    ],
)
def test_own_is_what_the_browser_reached_by_a_name_of_this_machine(origin, asked, host, own):
    assert is_own_page(origin, asked, host) is own


def test_a_server_that_starts_another_way_is_not_taken_for_guarded():
    started = pytest.raises(RuntimeError, match="not known to be closed")
    with started, open_to_own_pages_only("127.0.0.1"):
        pass


def test_servers_of_others_stay_as_they_are(server):
    assert websockets.asyncio.server.serve is SERVE
