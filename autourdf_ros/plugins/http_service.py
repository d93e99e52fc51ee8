"""Ask a service by HTTP: one JSON document there, one back, within bounds, trusting nothing."""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from autourdf_ros import __version__
from autourdf_ros.errors import InputError
from autourdf_ros.plugins.bounded_socket import BoundedSocket, Deadline, connect
from autourdf_ros.plugins.plugin_options import HttpBounds, PluginOptions
from autourdf_ros.plugins.service_address import ServiceAddress
from autourdf_ros.plugins.service_token import holds_token, read_token
from autourdf_ros.progress import Progress, silent

MEDIA_TYPE = "application/json"


@dataclass(frozen=True)
class HttpService:
    """A service that answers one JSON document by another.

    Messages name the service by scheme, host and port. They never repeat what it sent, since an
    answer may hold the token.

    Attributes:
        address: Of the service.
        options: Choices of the user.
        bounds: Of time and memory.
    """

    address: ServiceAddress
    options: PluginOptions
    bounds: HttpBounds = HttpBounds()  # noqa: RUF009  (frozen)

    def ask(self, question: Mapping[str, Any], progress: Progress = silent) -> dict[str, Any]:
        """Send a question and return the JSON object that answers it.

        Args:
            question: Is sent as JSON.
            progress: Is called with every piece that arrives, and may raise to cancel.

        Raises:
            InputError: In one line, what is wrong with the service or its answer.
        """
        body = json.dumps(question, allow_nan=False).encode()
        if len(body) > self.bounds.request_bytes:
            raise self._error(
                f"the request has {len(body) / 2**20:.0f} MiB; accepted are up to "
                f"{self.bounds.request_bytes >> 20} MiB"
            )
        token = None
        if self.options.token_variable is not None:
            token = read_token(self.options.token_variable, self.address, self.bounds)
        answer = self._parsed(self._exchanged(body, token, progress))
        if token is not None and holds_token(answer, token):
            raise self._error("its answer holds the token, and is not used")
        return answer

    def _exchanged(self, body: bytes, token: str | None, progress: Progress) -> bytes:
        """The body of the answer. No cause is chained: it may quote what the service sent."""
        deadline = Deadline(self.options.total_seconds)
        try:
            sock = connect(
                self.address, deadline, self.bounds.connect_seconds, self.bounds.read_seconds
            )
            try:
                sock.sendall(self._head(len(body), token) + body)
                return self._received(sock, progress)
            finally:
                sock.close()
        except TimeoutError:
            raise self._error(
                f"does not answer in time; accepted are {self.bounds.connect_seconds:g} s to "
                f"connect and {self.options.total_seconds:g} s in all"
            ) from None
        except ssl.SSLCertVerificationError:
            raise self._error("its TLS certificate is not valid for this host") from None
        except ssl.SSLError:
            raise self._error("TLS fails; accepted is HTTPS with a valid certificate") from None
        except http.client.HTTPException:
            raise self._error("drops the connection, or its answer is no HTTP") from None
        except OSError as error:
            raise self._error(f"cannot be reached ({type(error).__name__})") from None

    def _head(self, length: int, token: str | None) -> bytes:
        host = f"[{self.address.host}]" if ":" in self.address.host else self.address.host
        lines = [
            f"POST {self.address.target} HTTP/1.1",
            f"Host: {host}:{self.address.port}",
            f"User-Agent: autourdf_ros/{__version__}",
            f"Accept: {MEDIA_TYPE}",
            "Accept-Encoding: identity",
            f"Content-Type: {MEDIA_TYPE}",
            f"Content-Length: {length}",
            "Connection: close",
            *([] if token is None else [f"Authorization: Bearer {token}"]),
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")

    def _received(self, sock: BoundedSocket, progress: Progress) -> bytes:
        response = http.client.HTTPResponse(cast(Any, sock), method="POST")
        with response:
            response.begin()
            self._check_head(response)
            pieces, count = [], 0
            while piece := response.read(self.bounds.piece_bytes):
                count += len(piece)
                self._check_size(count)
                pieces.append(piece)
                progress("receiving the answer", count / self.bounds.answer_bytes)
            if response.length:
                raise http.client.IncompleteRead(b"")
        return b"".join(pieces)

    def _check_head(self, response: http.client.HTTPResponse) -> None:
        if 300 <= response.status < 400:
            raise self._error(
                f"answers {response.status}, a redirect, which is not followed; name the final URL"
            )
        if response.status != http.HTTPStatus.OK:
            raise self._error(f"answers with status {response.status}; accepted is 200")
        if response.getheader("Content-Encoding", "identity").strip().lower() != "identity":
            raise self._error("its answer is compressed; accepted is no Content-Encoding")
        if response.headers.get_content_type() != MEDIA_TYPE:
            raise self._error(f"its answer is of another media type; accepted is {MEDIA_TYPE}")
        self._check_size(response.length or 0)

    def _check_size(self, count: int) -> None:
        if count > self.bounds.answer_bytes:
            raise self._error(
                f"its answer is too large; accepted are up to {self.bounds.answer_bytes} bytes"
            )

    def _parsed(self, body: bytes) -> dict[str, Any]:
        def refuse(constant: str) -> None:
            raise ValueError(constant)

        try:
            answer = json.loads(body.decode("utf-8"), parse_constant=refuse)
        except (ValueError, RecursionError):
            raise self._error(
                "its answer is no JSON; accepted is an object in UTF-8 without NaN"
            ) from None
        if not isinstance(answer, dict):
            raise self._error("its answer is no JSON object")
        return answer

    def _error(self, text: str) -> InputError:
        return InputError(f"plug-in {self.address.shown}: {text}")
