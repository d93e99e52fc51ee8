"""Measure scans of simple tools on a table by a camera whose stated poses are wrong.

    .venv/bin/python studies/scan_study.py --views 12 --shift 3 --turn 0.5 --noise 0.5

Prints, of each tool: how far the views place the middle of the scene from each other, before and
after stitching (mean, mm); volume per true volume; the centroid's distance from the true one
(mm), less the error that all poses have in common; the stated deviation of the shape (mm); the
share of the volume next to what no view saw; seconds.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import trimesh

sys.path.insert(0, str(Path(__file__).parents[1] / "test" / "support"))

import scanned_tools

from autourdf_ros.workflows.payloads.object_scan import scanned_object
from autourdf_ros.workflows.payloads.payload_result import object_on_its_table

TOOLS = ("block", "pan", "roll", "mallet")


def measured(tool: str, given: argparse.Namespace, seed: int) -> list[float]:
    """Return the numbers of a tool's line."""
    parts = getattr(scanned_tools, tool)()
    poses = scanned_tools.around(given.views)
    recording = scanned_tools.scan(
        parts, poses, given.shift / 1e3, given.turn, given.noise / 1e3, seed
    )
    begin = time.perf_counter()
    found = scanned_object(recording)
    held = object_on_its_table(found, tool)
    seconds = time.perf_counter() - begin
    stated = np.array([frame.camera_poses[0] for frame in recording.frames])
    wrong = stated @ np.linalg.inv(poses)
    whole: Any = trimesh.boolean.union(parts) if len(parts) > 1 else parts[0]
    before = _places(wrong, whole.center_mass)
    after = _places(found.corrections @ wrong, whole.center_mass)
    centre = held.body.volumes @ held.body.centres / held.body.volume
    return [
        _spread(before),
        _spread(after),
        held.body.volume / whole.volume,
        1e3 * float(np.linalg.norm(centre - after.mean(0))),
        1e3 * held.body.shape_std,
        100 * held.unseen,
        seconds,
    ]


def _places(motions: Any, place: Any) -> Any:
    return motions[:, :3, :3] @ place + motions[:, :3, 3]


def _spread(places: Any) -> float:
    return 1e3 * float(np.linalg.norm(places - places.mean(0), axis=1).mean())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", type=int, default=12)
    parser.add_argument("--shift", type=float, default=3.0, help="of a stated pose (mm)")
    parser.add_argument("--turn", type=float, default=0.5, help="of a stated pose (degrees)")
    parser.add_argument("--noise", type=float, default=0.5, help="of a depth (mm)")
    parser.add_argument("--draws", type=int, default=2)
    given = parser.parse_args()
    print("| tool | before, mm | stitched, mm | volume | centroid, mm | std, mm | unseen, % | s |")
    print("|---|---|---|---|---|---|---|---|")
    for tool in TOOLS:
        rows = [measured(tool, given, seed) for seed in range(given.draws)]
        print(f"| {tool} | " + " | ".join(f"{value:.2f}" for value in np.mean(rows, 0)) + " |",
              flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
