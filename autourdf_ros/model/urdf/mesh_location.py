"""Where the mesh files are that a URDF names."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit

from autourdf_ros.model.urdf.robot_library import package_directories


class MeshError(Exception):
    """A mesh cannot be used; the message says why, without naming the link."""


def locate(filename: str, urdf: Path) -> Path:
    """Return the file that `filename` of a URDF means: a path, `file://` or `package://NAME/...`.

    Relative paths are meant from the URDF's folder; packages are looked for in the folders above
    the URDF, AMENT_PREFIX_PATH and ROS_PACKAGE_PATH. Raises MeshError where there is no such file.
    """
    scheme, separator, rest = filename.partition("://")
    if not separator:
        found = urdf.parent / filename
    elif scheme == "file":
        found = Path(unquote(urlsplit(filename).path))
    elif scheme in ("package", "model"):
        return _in_package(filename, rest.lstrip("/"), urdf)
    else:
        raise MeshError(f"'{filename}' is not fetched; accepted are paths, file:// and package://")
    if not found.is_file():
        raise MeshError(f"'{filename}' does not exist")
    return found


def _in_package(filename: str, rest: str, urdf: Path) -> Path:
    if ".." in PurePosixPath(rest).parts:
        raise MeshError(f"'{filename}' leads out of its package")
    for folder in package_directories(urdf):
        if (Path(folder) / rest).is_file():
            return Path(folder) / rest
    package = rest.partition("/")[0]
    raise MeshError(
        f"'{filename}' does not exist: package '{package}' is looked for in the folders above the "
        "URDF, AMENT_PREFIX_PATH and ROS_PACKAGE_PATH"
    )
