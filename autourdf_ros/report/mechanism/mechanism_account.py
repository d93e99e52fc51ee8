"""The account of a mechanism in a video: where its bodies were, what its joints did, doubts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import trimesh
from numpy.typing import NDArray

from autourdf_ros.data.video.derived.video_digest import video_digest
from autourdf_ros.estimation.video.video_mechanism import VideoMechanism
from autourdf_ros.geometry.rigid_motion import log_so3
from autourdf_ros.model.joint_grading import LARGEST_COST
from autourdf_ros.model.result_files import MECHANISM
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.report.account import Account, Draw
from autourdf_ros.report.assembly.solid_figure import Solids
from autourdf_ros.report.figures.parts_figure import draw_parts
from autourdf_ros.report.mechanism.track_figure import draw_body_tracks, draw_joint_values

FIXED_FRAME = "world"
"""The frame that the camera's pose is given in."""

_COORDINATES = 6  # of a pose


def mechanism_account(
    found: VideoMechanism,
    model: SelfModel,
    shown: tuple[trimesh.Trimesh | None, ...],
    links: Mapping[str, str],
    joints: Mapping[str, str],
) -> Account:
    """Return the account of a mechanism.

    Args:
        found: What the video shows.
        model: As it is written.
        shown: Meshes of the model's links, in the base frame at the reference configuration.
        links: Names to write, by those of the model.
        joints: Likewise.
    """
    costs = dict(zip(found.track.bodies, body_costs(found).tolist(), strict=True))
    stamps = found.video.stamps
    off = tuple(
        f"{body} does not move as its joint lets it: its mean squared error is {cost:.1f} times "
        "what its track states"
        for body, cost in costs.items()
        if cost >= LARGEST_COST
    )
    trust = found.verdict
    return Account(
        verdict="doubtful" if off and trust == "trusted" else trust,
        warnings=(*found.warnings, *off),
        notes=found.notes,
        base="fixed",
        recorded=found.joint_values[found.known],
        links=tuple({"cost": _known(costs.get(name, 0.0))} for name in model.tree.links),
        joints=tuple({} for _ in model.joints),
        sections={
            MECHANISM: mechanism_section(found, links),
            "sequences": [_sequence(found)],
        },
        limits="observed",
        options=dict(found.options),
        timings=found.timings,
        input={
            "source": None if found.video.source is None else str(found.video.source),
            "sha256": video_digest(found.video),
            "sequences": 1,
            "frames": len(stamps),
        },
        fixed_frame=FIXED_FRAME,
        figures=_figures(found, shown),
    )


def mechanism_section(found: VideoMechanism, links: Mapping[str, str]) -> dict[str, Any]:
    """Return the entry `mechanism` of the document: camera, bodies and what of them was seen."""
    camera, track = found.video.camera, found.track
    std = np.sqrt(np.einsum("btii->bti", track.covariances))
    seen = track.seen
    return {
        "camera": {
            "width": camera.width,
            "height": camera.height,
            "focal": list(camera.focal),
            "principal": list(camera.principal),
            "pose": camera.pose,
        },
        "depth_range": depth_range(found),
        "bodies": [
            {
                "link": links[body],
                "name": body,
                "symmetry": track.symmetries[number].kind,
                "seen": int(seen[number].sum()),
                "longest_gap": _longest_gap(seen[number]),
                "turn_std": _median(std[number, seen[number], :3].min(-1, initial=np.inf)),
                "shift_std": _median(std[number, seen[number], 3:].max(-1, initial=0.0)),
                "reference_pose": found.reference_poses[number],
            }
            for number, body in enumerate(track.bodies)
        ],
    }


def depth_range(found: VideoMechanism) -> tuple[float, float] | None:
    """Return the nearest and farthest depth (m) of the video; None without depth."""
    if found.video.depth is None:
        return None
    known = found.video.depth[np.isfinite(found.video.depth)]
    return (float(known.min()), float(known.max())) if len(known) else None


def body_costs(found: VideoMechanism) -> NDArray[np.float64]:
    """Return (B,) mean squared errors of the model against tracked poses, per degree of freedom.

    In units of the track's variances; the median over frames, so that a few lost ones do not
    decide. NaN for a body that is never seen. A turn that a symmetry hides does not count: its
    variance is that of the prior.
    """
    tree, track = found.model.tree, found.track
    values = np.where(np.isfinite(found.joint_values), found.joint_values, tree.reference_values)
    motions = tree.motions(values)
    costs = np.full(len(track.bodies), np.nan)
    for number, body in enumerate(track.bodies):
        kept = track.seen[number] & found.known
        if not kept.any():
            continue
        stated = motions[kept, tree.links.index(body)] @ found.reference_poses[number]
        seen = track.poses[number, kept]
        turn = seen[:, :3, :3] @ stated[:, :3, :3].swapaxes(1, 2)
        off = np.concatenate(
            [log_so3(turn), _centres(seen, track.centres[number], stated)], axis=-1
        )
        solved = np.linalg.solve(track.covariances[number, kept], off[..., None])[..., 0]
        costs[number] = np.median(np.sum(off * solved, axis=-1)) / _COORDINATES
    return costs


def _centres(
    seen: NDArray[np.float64], centre: NDArray[np.float64], stated: NDArray[np.float64]
) -> NDArray[np.float64]:
    """(N, 3) shift of a body's centre (m)."""
    place = np.append(centre, 1.0)
    return ((seen - stated) @ place)[:, :3]


def _sequence(found: VideoMechanism) -> dict[str, Any]:
    count = len(found.video.stamps)
    return {
        "name": "video",
        "stamps": found.video.stamps,
        "joint_values": found.joint_values,
        "joint_stds": found.joint_stds,
        "base_poses": np.tile(np.eye(4), (count, 1, 1)),
        "residuals": [None] * count,
        "used": found.known,
        "held_out": [False] * count,
    }


def _figures(found: VideoMechanism, shown: tuple[trimesh.Trimesh | None, ...]) -> dict[str, Draw]:
    meshes = [trimesh.Trimesh() if mesh is None else mesh for mesh in shown]
    solids = Solids.of(meshes)
    return {
        "parts": lambda page, path: draw_parts(solids, page.model, page.judgements, path),
        "tracks": lambda page, path: draw_body_tracks(found.track, page.model, path),
        "joints": lambda page, path: draw_joint_values(
            page.model, found.video.stamps, found.joint_values, found.joint_stds, path
        ),
    }


def _longest_gap(seen: NDArray[np.bool_]) -> int:
    """Frames of the longest stretch without the body."""
    longest = run = 0
    for one in seen.tolist():
        run = 0 if one else run + 1
        longest = max(longest, run)
    return longest


def _median(values: NDArray[np.float64]) -> float | None:
    return float(np.median(values)) if len(values) else None


def _known(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
