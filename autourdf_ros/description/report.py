"""report.html and its figures: what a person needs to judge a reconstruction."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from autourdf_ros.description.charts import draw_joint_curves, draw_model_order, draw_residuals
from autourdf_ros.description.mesh_figure import draw_meshes
from autourdf_ros.description.palette import link_color
from autourdf_ros.description.parts_figure import draw_parts
from autourdf_ros.description.result_files import FIGURES, REPORT, URDF
from autourdf_ros.description.tree_figure import draw_tree
from autourdf_ros.kinematics.reconstruction import Reconstruction
from autourdf_ros.progress import Progress, silent


def write_report(
    reconstruction: Reconstruction,
    document: dict[str, Any],
    folder: Path,
    progress: Progress = silent,
) -> Path:
    """Write `folder`/report.html, self-contained, and `folder`/figures; returns the page's path.

    document: the content of reconstruction.json. The URDF is read back from the folder.
    """
    figures = folder / FIGURES
    figures.mkdir()
    steps = {
        "parts": lambda path: draw_parts(reconstruction, path),
        "meshes": lambda path: draw_meshes(
            folder / URDF, document["reference_configuration"], path
        ),
        "tree": lambda path: draw_tree(reconstruction.model, path),
        "joints": lambda path: draw_joint_curves(reconstruction, path),
        "residuals": lambda path: draw_residuals(reconstruction, path),
        "model_order": lambda path: draw_model_order(reconstruction, path),
    }
    pictures = {}
    for number, (name, draw) in enumerate(steps.items()):
        progress(f"figure: {name}", number / len(steps))
        path = figures / f"{name}.png"
        draw(path)
        pictures[name] = base64.b64encode(path.read_bytes()).decode()
    page = folder / REPORT
    page.write_text(_render(document, pictures))
    return page


def _render(document: dict[str, Any], pictures: dict[str, str]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autourdf_ros.description", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["degrees"] = lambda value: _number(value, 180 / np.pi)
    environment.filters["mm"] = lambda value: _number(value, 1e3)
    return environment.get_template("report.html.jinja").render(
        document=document,
        pictures=pictures,
        colors={link["name"]: "#" + bytes((255 * link_color(i)).astype(np.uint8)).hex()
                for i, link in enumerate(document["links"])},
    )  # fmt: skip


def _number(value: float | None, scale: float) -> str:
    return "-" if value is None else f"{scale * value:.3g}"
