"""`autourdf inspect`: figures of a recording, and what impairs a reconstruction."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.cli.data.inspect_video import add_video_arguments, inspect_video, is_video

if TYPE_CHECKING:
    from autourdf_ros.data.inspection import Inspection

HELP = "list the contents of a recording or video, and what of it impairs a reconstruction"

_LISTED = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "recording",
        type=Path,
        metavar="RECORDING",
        help="any recording that 'autourdf reconstruct' accepts, or a video of a mechanism",
    )
    parser.add_argument(
        "--sheet", type=Path, metavar="FILE", help="draw the recording to a .png, .svg or .pdf file"
    )
    add_video_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON: m, rad, s")


def run(args: argparse.Namespace) -> int:
    """Print the inspection."""
    from autourdf_ros.data.inspection import inspect
    from autourdf_ros.data.load import load_recording

    if is_video(args):
        return inspect_video(args)
    recording = load_recording(args.recording)
    inspection = inspect(recording)
    if args.sheet is not None:
        from autourdf_ros.data.inspection_sheet import draw_sheet

        draw_sheet(recording, args.sheet)
    print(json.dumps(asdict(inspection), indent=2) if args.json else _text(inspection))
    return 0


def _text(found: Inspection) -> str:
    points = sorted(found.points)
    lines = [
        f"{found.source}: {len(points)} frames in {found.duration:.1f} s, in {found.fixed_frame}",
        "  sequences  " + _listed([f"{name} ({count})" for name, count in found.sequences]),
        f"  points     {points[0]} to {points[-1]} a frame, median {points[len(points) // 2]}"
        + (", in colour" if found.has_colors else ", without colours"),
        f"  size       {found.size:.3g} m",
    ]
    if found.cameras:
        shares = [f"{number}: {share:.0%}" for number, share in enumerate(found.cameras)]
        lines.append("  cameras    share of the points: " + _listed(shares))
    if found.joints:
        width = max(map(len, found.joints))
        lines.append("  joints     from, to, largest step (rad or m)")
        lines += [
            f"    {name:{width}}  {joint.lowest:8.3f}  {joint.highest:8.3f}  "
            f"{joint.largest_step:7.3f}"
            for name, joint in found.joints.items()
        ]
    lines += [f"warning: {warning}" for warning in found.warnings]
    return "\n".join([*lines, *([] if found.warnings else ["no problem was found"])])


def _listed(items: list[str]) -> str:
    more = f" and {len(items) - _LISTED} more" if len(items) > _LISTED else ""
    return ", ".join(items[:_LISTED]) + more
