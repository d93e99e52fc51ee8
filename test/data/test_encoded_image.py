"""Images that are sent as they are."""

import pytest

from autourdf_ros.data.encoded_image import MOST_IMAGE_BYTES, read_image
from autourdf_ros.errors import InputError


@pytest.mark.parametrize(
    ("start", "media_type"), [(b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg")]
)
def test_the_media_type_follows_from_the_content(tmp_path, start, media_type):
    path = tmp_path / "image.txt"
    path.write_bytes(start + b"x")
    one = read_image(path)
    assert (one.media_type, one.content) == (media_type, start + b"x")


def test_what_is_no_image_is_refused_and_not_sent(tmp_path):
    secret, huge = tmp_path / "id_rsa", tmp_path / "huge.png"
    secret.write_bytes(b"-----BEGIN OPENSSH PRIVATE KEY-----")
    with huge.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        file.truncate(MOST_IMAGE_BYTES + 1)
    for path in (secret, huge, tmp_path, tmp_path / "missing.png"):
        with pytest.raises(InputError, match="accepted are PNG and JPEG"):
            read_image(path)
