"""The HTTP client against a real service that answers, lies, drips, drops and redirects."""

import gzip
import socket
import ssl
import subprocess
import threading
import time

import pytest
from stub_service import Reply, StubService, closed_url, silent_port

from autourdf_ros.errors import CancelledError, InputError
from autourdf_ros.plugins.http_service import HttpService
from autourdf_ros.plugins.plugin_options import HttpBounds, PluginOptions
from autourdf_ros.plugins.service_address import ServiceAddress

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
TOKEN = "s3cret-t0ken-of-a-test"


def service(url, seconds=5.0, token=None, **bounds):
    return HttpService(ServiceAddress.of(url), PluginOptions(token, seconds), HttpBounds(**bounds))


def asked(reply, seconds=5.0, token=None, **bounds):
    with StubService(lambda question, headers: reply) as stub:
        return service(stub.url, seconds, token, **bounds).ask({"x": 1})


def refused(reply, **given):
    with pytest.raises(InputError) as error:
        asked(reply, **given)
    text = str(error.value)
    assert text.startswith("plug-in http://127.0.0.1:") and "\n" not in text
    assert "key=1" not in text
    assert error.value.__cause__ is None
    return text


def test_a_service_gets_the_question_as_json_and_its_answer_returns():
    with StubService(lambda question, headers: Reply({"sum": question["x"] + 1})) as stub:
        assert service(stub.url).ask({"x": 1}) == {"sum": 2}
    path, headers, question = stub.asked[0]
    assert (path, question) == ("/v1?key=1", {"x": 1})
    assert headers["Content-Type"] == "application/json"
    assert headers["Accept-Encoding"] == "identity"
    assert "Authorization" not in headers


def test_an_answer_in_chunks_is_read():
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    assert asked(Reply(raw=head + b'3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n')) == {"a": 1}


def test_a_redirect_is_not_followed():
    with StubService(lambda question, headers: Reply({"stolen": True})) as other:
        text = refused(Reply(status=307, headers={"Location": other.url}))
    assert "redirect" in text and other.asked == []


@pytest.mark.parametrize("status", [204, 401, 404, 500])
def test_another_status_is_an_error_that_names_it(status):
    assert str(status) in refused(Reply(body=b"", status=status))


def test_what_a_service_sends_is_not_repeated_in_errors():
    text = refused(Reply({"error": "boo-hoo"}, status=500))
    assert "boo-hoo" not in text
    text = refused(Reply(raw=b"HTTP/1.1 999999 boo-hoo\r\n\r\n"))
    assert "boo-hoo" not in text


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b'{"a": NaN}', b'{"a": -Infinity}', b"[" * 200_000, b'{"a": 1} x'],
)
def test_malformed_json_is_refused(body):
    assert "no JSON" in refused(Reply(body=body))


def test_json_that_is_no_object_is_refused():
    assert "no JSON object" in refused(Reply(body=b"[1]"))


def test_another_media_type_is_refused():
    assert "media type" in refused(Reply(body=b"<html>", headers={"Content-Type": "text/html"}))


def test_a_declared_length_above_the_bound_is_refused_unread():
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n"
    )
    assert "too large" in refused(Reply(raw=head))


def test_a_body_that_never_ends_is_refused_at_the_bound():
    assert "too large" in refused(Reply(raw=HEAD + b"\r\n" + b" " * 200_000), answer_bytes=100_000)


def test_a_compressed_answer_is_refused_unpacked_by_nobody():
    bomb = gzip.compress(b" " * 10_000_000)
    assert "compressed" in refused(Reply(body=bomb, headers={"Content-Encoding": "gzip"}))


def test_a_compressed_answer_that_does_not_say_so_is_no_json():
    assert "no JSON" in refused(Reply(body=gzip.compress(b"{}")))


def test_an_endless_head_is_refused():
    lines = b"".join(b"X-%d: y\r\n" % number for number in range(1000))
    assert "no HTTP" in refused(Reply(raw=b"HTTP/1.1 200 OK\r\n" + lines))


def test_a_slow_drip_ends_at_the_limit_of_all_time():
    start = time.monotonic()
    assert "in time" in refused(Reply(drip=0.02), seconds=0.2)
    assert time.monotonic() - start < 60  # and not never


def test_a_drip_of_head_bytes_ends_as_well():
    ended = threading.Event()

    def drip(listener):
        sock, _ = listener.accept()
        with sock:
            sock.recv(65536)
            try:
                sock.sendall(b"HTTP/1.1 200 OK\r\nX: ")
                while not ended.wait(0.02):
                    sock.sendall(b"y")
            except OSError:
                pass

    with silent_port() as listener:
        thread = threading.Thread(target=drip, args=(listener,), daemon=True)
        thread.start()
        with pytest.raises(InputError, match="in time"):
            service(f"http://127.0.0.1:{listener.getsockname()[1]}/", 0.2).ask({})
        ended.set()
        thread.join()


def test_a_service_that_never_answers_ends_by_the_limit_between_pieces():
    with silent_port() as listener, pytest.raises(InputError, match="in time"):
        service(f"http://127.0.0.1:{listener.getsockname()[1]}/", read_seconds=0.1).ask({})


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 ",
        b"\x00\x01\x02garbage\r\n\r\n",
        HEAD + b'Content-Length: 50\r\n\r\n{"a": 1}',
        CHUNKED + b"ff\r\n{",
    ],
)
def test_a_dropped_connection_is_an_error(sent):
    assert "drops the connection" in refused(Reply(raw=sent))


def test_a_port_where_nothing_listens_is_an_error():
    with pytest.raises(InputError, match="cannot be reached"):
        service(closed_url()).ask({})


def test_a_host_without_an_address_is_an_error(monkeypatch):
    def unknown(*args, **more):
        raise socket.gaierror("unknown")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(InputError, match="cannot be reached"):
        service("http://host/").ask({})


def test_a_resolver_that_hangs_ends_by_the_limit_of_the_connection(monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **more: ended.wait() and [])
    with pytest.raises(InputError, match="in time"):
        service("http://host/", connect_seconds=0.05).ask({})
    ended.set()


def test_a_proxy_of_the_environment_is_not_used(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, closed_url())
    assert asked(Reply({"a": 1})) == {"a": 1}


def test_a_request_above_the_bound_is_not_sent():
    with StubService(lambda question, headers: Reply({})) as stub:
        with pytest.raises(InputError, match="request"):
            service(stub.url, request_bytes=10).ask({"x": "y" * 20})
        assert stub.asked == []


def test_progress_can_cancel_the_reception():
    def cancel(stage, fraction):
        raise CancelledError("cancelled")

    with StubService(lambda question, headers: Reply({})) as stub, pytest.raises(CancelledError):
        service(stub.url).ask({}, cancel)


def test_the_token_is_sent_in_its_header_only(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    with StubService(lambda question, headers: Reply({})) as stub:
        one = service(stub.url, token="MY_TOKEN")
        one.ask({"x": 1})
    path, headers, question = stub.asked[0]
    assert headers.pop("Authorization") == f"Bearer {TOKEN}"
    assert TOKEN not in f"{path} {headers} {question} {one!r}"


@pytest.mark.parametrize(
    "document", [{"a": [{"b": f"x{TOKEN}"}]}, {TOKEN: 1}, {"\\u0073": TOKEN.replace("s", "\x73")}]
)
def test_an_answer_that_holds_the_token_is_not_used(monkeypatch, document):
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    text = refused(Reply(document), token="MY_TOKEN")
    assert "token" in text and TOKEN not in text


def test_no_fault_puts_the_token_into_its_error(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    echo = TOKEN.encode()
    for reply in (
        Reply(raw=b"HTTP/1.1 " + echo + b"\r\n\r\n"),
        Reply(raw=echo),
        Reply(raw=b"HTTP/1.1 302 " + echo + b"\r\nLocation: http://x/" + echo + b"\r\n\r\n"),
        Reply(body=echo, status=500),
        Reply(body=echo),
        Reply({}, headers={"Content-Type": TOKEN}),
        Reply({}, headers={"Content-Encoding": TOKEN}),
    ):
        assert TOKEN not in refused(reply, token="MY_TOKEN")


@pytest.mark.parametrize(
    "value", [None, "", "short", "with a space in", "line\nbreaks-in-it", "ümlaute-x"]
)
def test_an_environment_without_a_token_is_refused_by_its_name(monkeypatch, value):
    monkeypatch.delenv("MY_TOKEN", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_TOKEN", value)
    with pytest.raises(InputError, match="MY_TOKEN") as error:
        service(closed_url(), token="MY_TOKEN").ask({})
    assert not value or value not in str(error.value)


def test_a_token_is_not_sent_unencrypted_to_another_machine(monkeypatch):
    monkeypatch.setenv("MY_TOKEN", TOKEN)
    with pytest.raises(InputError, match="unencrypted"):
        service("http://192.0.2.1/", token="MY_TOKEN").ask({})


@pytest.mark.parametrize(
    "url",
    [
        "ftp://host/x",
        "file:///etc/passwd",
        "http://",
        "http://user:password@host/",
        "http://host/#part",
        "http://host:99999/",
        "http://[::1/",
        "http://höst/",
        "http://host/a b",
        "http://host/\r\nX: y",
    ],
)
def test_a_url_that_is_none_is_refused(url):
    with pytest.raises(InputError, match="accepted is http") as error:
        ServiceAddress.of(url)
    assert "password@" not in str(error.value)


def test_an_address_shows_neither_path_nor_query():
    one = ServiceAddress.of("https://[::1]/path?key=1")
    assert (one.shown, one.local, one.port) == ("https://[::1]:443", True, 443)


@pytest.fixture
def certificate(tmp_path):
    """A certificate of this machine that nobody vouches for, and the server's side of it."""
    key, written = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=a-service"]
    made += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", written]
    subprocess.run(made, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(written, key)
    return written, context


def secured(stub, context):
    stub.server.socket = context.wrap_socket(stub.server.socket, server_side=True)
    return stub.url.replace("http://", "https://")


@pytest.mark.slow
def test_a_certificate_that_nobody_vouches_for_is_refused(certificate):
    with StubService(lambda question, headers: Reply({"a": 1})) as stub:
        url = secured(stub, certificate[1])
        with pytest.raises(InputError, match="certificate"):
            service(url).ask({"secret": 1})
        assert stub.asked == []


@pytest.mark.slow
def test_a_certificate_of_another_host_is_refused(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with StubService(lambda question, headers: Reply({"a": 1})) as stub:
        url = secured(stub, certificate[1])
        assert service(url).ask({}) == {"a": 1}
        with pytest.raises(InputError, match="certificate"):
            service(url.replace("127.0.0.1", "localhost")).ask({})


@pytest.mark.slow
def test_a_service_without_tls_is_refused_under_https():
    with StubService(lambda question, headers: Reply({"a": 1})) as stub:
        with pytest.raises(InputError, match="TLS"):
            service(stub.url.replace("http://", "https://")).ask({})
        assert stub.asked == []
