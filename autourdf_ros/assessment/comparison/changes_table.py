"""A comparison as text: tables of joints and links, and one sentence."""

from __future__ import annotations

import numpy as np

from autourdf_ros.assessment.comparison.camera_changes import CameraChange
from autourdf_ros.assessment.comparison.comparison import Comparison
from autourdf_ros.assessment.comparison.joint_changes import JointChange
from autourdf_ros.assessment.comparison.link_changes import LinkChange

_JOINTS = ("joint", "axis °", "sigmas", "line mm", "sigmas", "zero", "changed")
_CAMERAS = ("camera", "turned °", "shifted mm", "sigmas", "changed")
_LINKS = ("link", "surface mm: mean", "median", "95 %", "mass kg", "changed")


def table(comparison: Comparison) -> str:
    """Return joints, links and cameras as text; the last columns name the changes."""
    parts = []
    if comparison.joints:
        parts += [_columns([_JOINTS, *map(_joint, comparison.joints)]), ""]
    if comparison.links:
        parts += [_columns([_LINKS, *map(_link, comparison.links)]), ""]
    if comparison.cameras:
        parts += [_columns([_CAMERAS, *map(_camera, comparison.cameras)]), ""]
    named = {
        "added joints": comparison.added_joints,
        "removed joints": comparison.removed_joints,
        "added links": comparison.added_links,
        "removed links": comparison.removed_links,
    }
    parts += [f"{what}: {', '.join(names)}" for what, names in named.items() if names]
    shift = 1e3 * comparison.shift
    offsets = " ".join(f"{x:+.2f}" for x in shift)
    if shift.any():
        parts.append(f"whole robot shifted by {offsets} mm ({np.linalg.norm(shift):.2f} mm)")
    return "\n".join([*parts, sentence(comparison)])


def sentence(comparison: Comparison) -> str:
    """Return what changed as one sentence."""
    joints = [joint.names[0] for joint in comparison.joints if joint.changed]
    links = [link.names[0] for link in comparison.links if link.changed]
    cameras = [camera.name for camera in comparison.cameras if camera.changed]
    changes = [
        f"{len(names)} {what} ({', '.join(names[:4])}{', ...' if len(names) > 4 else ''})"
        for what, names in (
            ("joints changed", joints),
            ("links changed", links),
            ("joints added", comparison.added_joints),
            ("joints removed", comparison.removed_joints),
            ("links added", comparison.added_links),
            ("links removed", comparison.removed_links),
            ("cameras moved", cameras),
        )
        if names
    ]
    same = f"of {len(comparison.joints)} joints and {len(comparison.links)} links compared"
    return f"{'; '.join(changes)}, {same}" if changes else f"no significant change {same}"


def _joint(change: JointChange) -> tuple[str, ...]:
    slides = change.types[0] == "prismatic"
    zero = f"{1e3 * change.zero:.2f} mm" if slides else f"{np.degrees(change.zero):.2f}°"
    return (
        _pair(change.names),
        f"{np.degrees(change.angle):.3f}",
        _sigmas(change.angle_sigmas),
        "-" if change.distance is None else f"{1e3 * change.distance:.2f}",
        _sigmas(change.distance_sigmas),
        zero if change.zero else "-",
        ", ".join(change.changed),
    )


def _link(change: LinkChange) -> tuple[str, ...]:
    distances = (
        "-" if x is None else f"{1e3 * x:.2f}" for x in (change.mean, change.median, change.largest)
    )
    masses = " -> ".join(f"{mass:.3g}" for mass in dict.fromkeys(change.masses))
    return _pair(change.names), *distances, masses, ", ".join(change.changed)


def _camera(change: CameraChange) -> tuple[str, ...]:
    turn, shift = f"{np.degrees(change.turn):.3f}", f"{1e3 * change.shift:.2f}"
    return change.name, turn, shift, f"{change.sigmas:.1f}", "moved" if change.changed else ""


def _pair(names: tuple[str, str]) -> str:
    return " = ".join(dict.fromkeys(names))


def _sigmas(sigmas: float | None) -> str:
    return "-" if sigmas is None else f"{sigmas:.1f}"


def _columns(rows: list[tuple[str, ...]]) -> str:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
