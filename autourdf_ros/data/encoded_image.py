"""Images as files encode them, for models outside of this package."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autourdf_ros.errors import InputError

MOST_IMAGE_BYTES = 2**24
"""Of one image: a bound of memory, above a photograph of 20 megapixels."""

_SIGNATURES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}


@dataclass(frozen=True)
class EncodedImage:
    """An image as the bytes of a file.

    Attributes:
        media_type: `image/png` or `image/jpeg`.
        content: Of the file.
    """

    media_type: str
    content: bytes


def read_image(path: Path) -> EncodedImage:
    """Read an image's bytes as they are, with all metadata; nothing is decoded.

    Raises:
        InputError: It cannot be read, is too large, or is neither PNG nor JPEG.
    """
    accepted = f"accepted are PNG and JPEG files up to {MOST_IMAGE_BYTES >> 20} MiB"
    try:
        if not path.is_file():
            raise InputError(f"{path}: is no regular file; {accepted}")
        with path.open("rb") as file:
            content = file.read(MOST_IMAGE_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {error}; {accepted}") from error
    if len(content) > MOST_IMAGE_BYTES:
        raise InputError(f"{path}: is too large; {accepted}")
    for signature, media_type in _SIGNATURES.items():
        if content.startswith(signature):
            return EncodedImage(media_type, content)
    raise InputError(f"{path}: is no image of a known format; {accepted}")
