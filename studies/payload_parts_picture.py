"""Draw the parts of some tools, true ones above found ones: docs/payload_parts.png.

.venv/bin/python studies/payload_parts_picture.py ../shared/bench_payload docs/payload_parts.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from scipy.spatial import cKDTree

from autourdf_ros.benchmark.payload.tool_folder import read_tool_cloud
from autourdf_ros.shape.segmentation.htc import htc_tree
from autourdf_ros.shape.solid.cloud_solid import cloud_solid
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface

TOOLS = ("hammer", "rubber_mallet", "screwdriver", "c_clamp", "pliers", "socket_wrench")


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    figure = Figure((1.7 * len(TOOLS), 4.4), dpi=110)
    canvas = FigureCanvasAgg(figure)
    for column, tool in enumerate(TOOLS):
        cloud = read_tool_cloud(given.data / tool / "cloud.ply")
        surface = ColouredSurface(cloud.points, cloud.colours)
        body = cloud_solid(surface)
        found = htc_tree(body, surface).parts()[cKDTree(body.centres).query(cloud.points)[1]]
        axes = np.linalg.svd(cloud.points - cloud.points.mean(0), full_matrices=False)[2]
        across, along = cloud.points @ axes[1], cloud.points @ axes[0]
        for row, labels in enumerate((cloud.parts, found)):
            place = figure.add_axes(
                ((column + 0.05) / len(TOOLS), 0.02 + 0.47 * (1 - row), 0.9 / len(TOOLS), 0.42)
            )
            shades = mpl.colormaps["tab10"](np.unique(labels, return_inverse=True)[1] % 10)
            place.scatter(across, along, s=2, c=shades, linewidths=0)
            place.set_aspect("equal", "datalim")
            place.set_axis_off()
            count = len(np.unique(labels))
            name = f"{tool.replace('_', ' ')}: {count} true" if row == 0 else f"{count} found"
            place.set_title(name, fontsize=8)
    canvas.print_png(str(given.out))


if __name__ == "__main__":
    main()
