"""The table of the suite of appearance: means over seeds, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from autourdf_ros.benchmark.appearance.hu_figures import HU_FIGURES
from autourdf_ros.benchmark.pages.aligned_text import aligned

Row = Mapping[str, Any]

HEAD = (
    "case",
    "runs",
    "PSNR",
    "robot",
    "black",
    "worst link",
    "SSIM",
    "LPIPS",
    "mask",
    "Chamfer",
    "trusted",
    "fit s",
    "CPU s",
    "image ms",
    "MiB",
)
LEGEND = """Of other images in other configurations, means over runs. PSNR: of whole images (dB)
before their own background; robot: of its pixels; black: of whole images before black, as are the
links; LPIPS: with --lpips-weights; mask: intersection over union; Chamfer: squared, both directions
(1e-4 m^2). fit s, CPU s: seconds and processor seconds of the fit; image ms: to draw an image, one
thread. Splats begin at grey points on the robot's surface with 1 mm of noise. Cases named real:
images of the fit are noisy, those predicted are not, and have true cameras; the lines below are of
noisy ones."""


def appearance_table(rows: Sequence[Row]) -> str:
    """Return a line for every case, the paper's figures, and failures."""
    lines: list[Sequence[str]] = [HEAD]
    for name in dict.fromkeys(row["name"] for row in rows):
        alike = [row for row in rows if row["name"] == name and "error" not in row]
        if alike:
            lines.append(_line(name, alike))
    lines.append(
        (
            "paper (10,000 images, 16 h, GPU)",
            "",
            f"{HU_FIGURES['psnr']:.2f}",
            "",
            "",
            "",
            f"{HU_FIGURES['ssim']:.3f}",
            f"{HU_FIGURES['lpips']:.4f}",
            "",
            f"{1e4 * HU_FIGURES['chamfer']:.2f}",
            *[""] * 5,
        )
    )
    text = [*aligned(lines), "", LEGEND, *map(_real_line, (r for r in rows if "recorded" in r))]
    text += [
        f"FAILED {row['name']}, seed {row['seed']}: {row['error']}"
        for row in rows
        if "error" in row
    ]
    return "\n".join(text)


def _line(name: str, rows: Sequence[Row]) -> Sequence[str]:
    def mean(key: str) -> float:
        return float(np.mean([row[key] for row in rows]))

    def seconds(key: str) -> float:
        return float(np.mean([row["seconds"][key] for row in rows]))

    worst = np.mean([min(v for v in row["link_psnr"].values() if v is not None) for row in rows])
    return (
        name,
        str(len(rows)),
        f"{mean('psnr'):.2f}",
        f"{mean('robot_psnr'):.2f}",
        f"{mean('black_psnr'):.2f}",
        f"{worst:.2f}",
        f"{mean('ssim'):.4f}",
        f"{mean('lpips'):.4f}" if all("lpips" in row for row in rows) else "-",
        f"{mean('overlap'):.4f}",
        f"{1e4 * mean('chamfer'):.2f}",
        f"{np.mean([row['trust'] == 'trusted' for row in rows]):.0%}",
        f"{seconds('fit'):.1f}",
        f"{seconds('processors'):.1f}",
        f"{1e3 * seconds('image_thread'):.1f}",
        f"{max(row['memory'] for row in rows):.0f}",
    )


def _real_line(row: Row) -> str:
    """What was recorded with noise, whose figures above are of images without it."""
    cameras, stated, refined = row["cameras"], *(row["recorded"][n] for n in ("stated", "refined"))
    return (
        f"{row['name']}, seed {row['seed']}: fitted cameras are off by {cameras['stated']:.2f} "
        f"pixels, in the end by {cameras['left']:.2f} (medians); images as recorded, with cameras "
        f"as stated: robot {stated['robot_psnr']:.2f} dB, mask {stated['overlap']:.4f}; with "
        f"cameras of every other tile: robot {refined['robot_psnr']:.2f} dB, mask "
        f"{refined['overlap']:.4f}"
    )
