"""ROS packages from templates."""

from __future__ import annotations

from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import jinja2

_ENDING = ".jinja"


def render_package(template: str, folder: Path, **values: Any) -> None:
    """Write all files of templates/`template` into `folder`, `values` filled in.

    `__robot__` in the name of a file stands for the value `robot`.
    """
    _render(resources.files(__package__) / "templates" / template, folder, values)


@cache
def _compiled(text: str) -> jinja2.Template:
    """A template, compiled once a process."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string(text)


def _render(source: Traversable, folder: Path, values: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for item in source.iterdir():
        if item.is_dir():
            _render(item, folder / item.name, values)
        elif item.name.endswith(_ENDING):
            text = _compiled(item.read_text()).render(values)
            name = item.name.removesuffix(_ENDING).replace("__robot__", values["robot"])
            (folder / name).write_text(text)
