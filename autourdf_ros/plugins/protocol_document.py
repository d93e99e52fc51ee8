"""The JSON documents of all protocols: their head, and fields that are checked one by one."""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping
from typing import Any

from autourdf_ros.data.encoded_image import EncodedImage
from autourdf_ros.errors import InputError

VERSION = 1
"""Of the documents; a service must answer in the version of the question."""


def headed(protocol: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with its protocol and version."""
    return {"protocol": f"autourdf_ros/{protocol}", "version": VERSION, **fields}


def image_document(image: EncodedImage) -> dict[str, str]:
    """Return an image as JSON."""
    return {
        "media_type": image.media_type,
        "data": base64.b64encode(image.content).decode("ascii"),
    }


def check_head(answer: Mapping[str, Any], protocol: str, where: str) -> None:
    """Raise an InputError where an answer is of another protocol or version."""
    if answer.get("protocol") != f"autourdf_ros/{protocol}" or answer.get("version") != VERSION:
        raise InputError(
            f"{where}: its answer is of another protocol; accepted is protocol "
            f"autourdf_ros/{protocol}, version {VERSION}"
        )


def text_field(document: Mapping[str, Any], key: str, where: str) -> str:
    """Return a text.

    Raises:
        InputError: It is missing or of another type.
    """
    value = document.get(key)
    if not isinstance(value, str):
        raise InputError(f"{where}: {key!r} is missing or no text")
    return value


def bytes_field(document: Mapping[str, Any], key: str, where: str) -> bytes:
    """Return bytes that are written as base64.

    Raises:
        InputError: They are missing or no base64.
    """
    try:
        return base64.b64decode(text_field(document, key, where), validate=True)
    except (binascii.Error, ValueError):
        raise InputError(f"{where}: {key!r} is no base64") from None


def share_field(document: Mapping[str, Any], key: str, where: str) -> float:
    """Return a number from 0 to 1.

    Raises:
        InputError: It is missing, no number or out of range.
    """
    value = document.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{where}: {key!r} is missing or no number")
    if not (math.isfinite(value) and 0 <= value <= 1):
        raise InputError(f"{where}: {key!r} is out of range; accepted is 0 to 1")
    return float(value)


def number_field(document: Mapping[str, Any], key: str, where: str) -> int | None:
    """Return a whole number; None where it is missing or null.

    Raises:
        InputError: It is no whole number.
    """
    value = document.get(key)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InputError(f"{where}: {key!r} is no whole number")
    return value
