"""The table of the baseline by neural bones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autourdf_ros.benchmark.pages.aligned_text import aligned

Row = Mapping[str, Any]

_HEAD = ("robot", "seed", "device", "images", "pixels", "splats")
_REST = ("PSNR", "robot", "black", "SSIM", "mask", "Chamfer", "s", "CPU s", "MiB")
LEGEND = """The method of Hu, Yu and Tan, scaled down in time and, on CPUs, in the images' size. Of
held-out images: PSNR of whole ones before white (dB), of the robot's pixels, and before black;
mask: intersection over union; Chamfer: squared, both directions (1e-4 m^2), or - where splats are
too sparse for a shape."""


def bones_table(rows: Sequence[Row]) -> str:
    """Return a line for every run, and failures."""
    lines: list[Sequence[str]] = [(*_HEAD, *_REST)]
    lines += [_line(row) for row in rows if "error" not in row]
    failed = [
        f"FAILED {row['name']}, seed {row['seed']}: {row['error']}"
        for row in rows
        if "error" in row
    ]
    return "\n".join([*aligned(lines), "", LEGEND, *failed])


def _line(row: Row) -> Sequence[str]:
    return (
        row["name"],
        str(row["seed"]),
        row["device"],
        str(row["images"]),
        str(row["width"]),
        str(row["splats"]),
        f"{row['psnr']:.1f}",
        f"{row['robot_psnr']:.1f}",
        f"{row['black_psnr']:.1f}",
        f"{row['ssim']:.3f}",
        f"{row['overlap']:.3f}",
        "-" if row["chamfer"] is None else f"{1e4 * row['chamfer']:.1f}",
        f"{row['seconds']['fit']:.0f}",
        f"{row['seconds']['processors']:.0f}",
        f"{row['memory']:.0f}",
    )
