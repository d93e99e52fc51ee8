"""Where inputs lie: on this machine's file systems, in an S3-compatible store, or on a web server.

A place is an absolute path or a URL. Credentials are the libraries' own matter (environment,
configuration files): a URL with some is refused, so that none comes into a result.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from autourdf_ros.errors import InputError
from autourdf_ros.fleet.fleet_library import fleet_library

SCHEMES = ("s3", "http", "https", "memory")
"""`memory` is a process's own, for tests."""

_CHUNK = 1 << 22
_TAGS = ("ETag", "Content-MD5", "Digest")


@dataclass(frozen=True)
class InputBounds:
    """How large one input may be.

    Attributes:
        files: Most files.
        bytes: Most bytes of all of them.
    """

    files: int = 100_000
    bytes: int = 64 << 30


@dataclass(frozen=True)
class StoredFile:
    """A file of an input.

    Attributes:
        address: As its file system names it.
        name: Below the input, with `/`; of an input that is one file, its own name.
        size: In bytes.
        tag: What the store says about its content; empty where that must be read.
    """

    address: str
    name: str
    size: int
    tag: str


def is_url(place: str) -> bool:
    """Return whether it is no path of this machine."""
    return "://" in place


def placed(text: str, base: str, where: str) -> str:
    """Return the place that a text names.

    Args:
        text: A path, relative to `base` or absolute, or a URL.
        base: A place.
        where: Begins the errors.

    Raises:
        InputError: It is of a kind that is not accepted, or climbs with `..`.
    """
    if not text or len(text) > 4096 or not text.isprintable() or "::" in text:
        raise InputError(f"{where}: {text!r:.80} is no path and no URL")
    if ".." in PurePosixPath(text).parts:
        raise InputError(f"{where}: {text}: has '..'; accepted are paths that go down only")
    if is_url(text):
        return _checked_url(text, where)
    if is_url(base):
        if text.startswith("/"):
            raise InputError(f"{where}: {text}: is outside {base}")
        return f"{base.rstrip('/')}/{text.rstrip('/')}"
    return os.path.normpath(Path(base) / Path(text).expanduser())


def _checked_url(text: str, where: str) -> str:
    try:
        parts = urlsplit(text)
        held = parts.username or parts.password
    except ValueError as error:
        raise InputError(f"{where}: {text!r:.80} is no URL: {error}") from error
    if parts.scheme not in SCHEMES:
        raise InputError(f"{where}: {text}: accepted are paths, s3://, http:// and https://")
    if held or parts.query or parts.fragment:
        raise InputError(
            f"{where}: {parts.scheme}://{parts.hostname}{parts.path}: has a user, a password, a "
            "query or a fragment; credentials are given as the libraries take them "
            "(docs/fleet.md), and come into no result"
        )
    return text.rstrip("/")


def check_inside(place: str, roots: Sequence[str], where: str) -> None:
    """Check that a place lies in one of the folders whose recordings may be read.

    Links are followed: what a link leads to must lie inside, too.

    Raises:
        InputError: It lies outside.
    """
    for root in roots:
        if is_url(root) != is_url(place):
            continue
        if is_url(root):
            inside = place == root or place.startswith(f"{root.rstrip('/')}/")
        else:
            inside = Path(place).resolve().is_relative_to(Path(root).resolve())
        if inside:
            return
    raise InputError(
        f"{where}: {place}: is outside {' and '.join(roots)}; --root names other folders whose "
        "inputs may be read"
    )


def file_system(place: str) -> tuple[Any, str]:
    """Return the file system of a place, and what it calls the place.

    Raises:
        InputError: The library for this kind of place is missing.
    """
    fsspec = fleet_library("fsspec")
    try:
        system, address = fsspec.core.url_to_fs(place)
    except ImportError as error:
        raise InputError(f"{place}: {error}; the extra 'fleet' brings it") from error
    return system, address


def stored_files(place: str, bounds: InputBounds = InputBounds()) -> list[StoredFile]:
    """Return the files of an input, sorted by name.

    Raises:
        InputError: There are none, or too many; a name would leave the folder that it is fetched
            into; a link leads out of the input.
    """
    system, address = file_system(place)
    system.invalidate_cache()  # of listings: others write there, too
    try:
        if place.startswith("http") or system.isfile(address):
            infos = {address: system.info(address)}
            base = address.rpartition("/")[0]
        else:
            infos = system.find(address, detail=True)
            base = address.rstrip("/")
    except OSError as error:
        raise InputError(f"{place}: cannot be read: {error}") from error
    if not infos:
        raise InputError(f"{place}: does not exist, or is empty")
    total = sum(info.get("size") or 0 for info in infos.values())
    if len(infos) > bounds.files or total > bounds.bytes:
        raise InputError(
            f"{place}: has {len(infos)} files and {total} bytes; accepted are {bounds.files} files "
            f"and {bounds.bytes} bytes"
        )
    return sorted((_stored(at, info, base, place) for at, info in infos.items()), key=_name)


def _stored(address: str, info: dict[str, Any], base: str, place: str) -> StoredFile:
    name = address.removeprefix(base).lstrip("/")
    parts = name.split("/")
    if not name.isprintable() or "\\" in name or any(part in ("", ".", "..") for part in parts):
        raise InputError(f"{place}: has a file {name!r}, which would be written elsewhere")
    if info.get("islink") and not Path(address).resolve().is_relative_to(Path(base).resolve()):
        raise InputError(f"{place}: {name} is a link that leads out of it")
    tag = next((str(info[key]) for key in _TAGS if info.get(key)), "")
    return StoredFile(address, name, info.get("size") or 0, tag)


def _name(file: StoredFile) -> str:
    return file.name


def digest(place: str, bounds: InputBounds = InputBounds()) -> str:
    """Return a digest of an input's content: names, and what each file holds.

    A store that states tags of its files (S3, most web servers) is asked for them; other files
    are read.

    Raises:
        InputError: As `stored_files`.
    """
    system, _ = file_system(place)
    total = hashlib.sha256()
    for file in stored_files(place, bounds):
        held = file.tag or _content_digest(system, file, place)
        total.update(f"{file.name}\0{file.size}\0{held}\0".encode())
    return total.hexdigest()


def _content_digest(system: Any, file: StoredFile, place: str) -> str:
    total = hashlib.sha256()
    try:
        with system.open(file.address, "rb") as stream:
            while chunk := stream.read(_CHUNK):
                total.update(chunk)
    except OSError as error:
        raise InputError(f"{place}: {file.name} cannot be read: {error}") from error
    return total.hexdigest()


def fetched(place: str, folder: Path, bounds: InputBounds = InputBounds()) -> tuple[Path, int]:
    """Return a path with an input's files, and their bytes; what is remote is copied to `folder`.

    Raises:
        InputError: As `stored_files`, or a copy failed.
    """
    files = stored_files(place, bounds)
    count = sum(file.size for file in files)
    if not is_url(place):
        return Path(place), count
    system, address = file_system(place)
    single = len(files) == 1 and files[0].address == address
    at = folder / PurePosixPath(address).name
    paths = [at if single else at / file.name for file in files]
    for parent in {path.parent for path in paths}:
        parent.mkdir(parents=True, exist_ok=True)
    try:
        system.get([file.address for file in files], [str(path) for path in paths])
    except OSError as error:
        raise InputError(f"{place}: cannot be fetched: {error}") from error
    return at, count
