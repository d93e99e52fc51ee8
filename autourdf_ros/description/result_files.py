"""What the files of a result folder are called, and how one is recognized."""

from __future__ import annotations

import json
from pathlib import Path

URDF = "robot.urdf"
DOCUMENT = "reconstruction.json"
REPORT = "report.html"
MESHES = "meshes"
FIGURES = "figures"

FORMAT = "autourdf_ros/reconstruction"
VERSION = 1
"""Of reconstruction.json; it rises when a reader of the old one would misunderstand the new."""


def is_result(folder: Path) -> bool:
    """Whether `folder` is a result folder that this package wrote."""
    try:
        content = json.loads((folder / DOCUMENT).read_text())
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and content.get("format") == FORMAT
