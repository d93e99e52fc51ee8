"""Round last links, whose turning hardly shows, found by the readings of the motor that turns them.

A bare flange looks nearly the same however it turns, and is taken for the end of the link that it
hangs on: no search by motion separates it. But its axis is that of its own surface, and its motor's
readings say how far it turned, so that six unknowns and a cut across the axis are all that is left,
and the little that is not round about it (holes, edges, a plug) is seen to turn in all frames.
Where nothing of it is seen to turn, and no other motor lacks a link, the motor is taken to turn the
largest end of a last link that could turn so unseen: its axis is the surface's, the rest is a guess
that nothing confirms, and the evidence that the joint exists stays as small as it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.motion.registration.frame_set import FrameSet
from autourdf_ros.estimation.motion.structure.candidates.link_fitting import (
    ParentMotion,
    adjust_link,
    explained_points,
    frame_costs,
)
from autourdf_ros.estimation.motion.structure.candidates.posed_candidate import (
    CandidateLink,
    PosedCandidate,
    with_link,
)
from autourdf_ros.estimation.motion.structure.candidates.residual_candidates import LEAST_POINTS
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import cross, exp_se3, revolute_twist
from autourdf_ros.geometry.sampling import farthest_point_indices

PLACES = 12  # on a link, around which its surface may be round
RADII = (4.0, 7.0, 10.0)  # point spacings around a place that are tried
ROUND = 0.1  # times the squared speed of the next turn: that of one about an axis of symmetry
ROUND_WHOLE = 0.5  # the same where no point is left out
MOST = 0.7  # share of a patch's points that are round about its axis
SLIPPAGES = 4  # of finding the axis of those that are (resource bound)
CUTS = 30  # across an axis, that are tried from either end
LEAST_SAVED = 0.1  # mean cost that each of a link's points must save, to be cut off
TRIED = 8  # joints that are adjusted
ROUNDS = 3  # of adjusting the joint and of taking the points that it explains
LEAST_GAIN = 10.0  # mean cost per frame that a link saves its points together
LEAST_CERTAINTY = 4.0  # standard errors, over the frames, of that mean: of the best of some dozens
LARGE = 0.8  # share of the points of the largest piece from which others compete with it
SHOWING = 0.3  # rad that a motor must have turned, for what is not round to show it
MIRRORED = 0.5  # times the gain that turning the other way may save: what is round saves as much


def with_motor_links(frames: FrameSet, posed: PosedCandidate, readings: Array) -> PosedCandidate:
    """Add a link for every unmatched motor that is seen to turn one, or can turn one unseen.

    Args:
        frames: the reference and F frames.
        posed: the candidate in these frames.
        readings: (F, M) of motors that no joint follows, relative to the reference (rad).

    Returns:
        The larger candidate, or the same one where no motor can turn a link.
    """
    for reading in readings.T:
        found = _motor_link(frames, posed, reading)
        if found is None and readings.shape[1] == 1:
            # Of several, none says which of them turns it.
            found = _unseen_link(frames, posed, reading)
        if found is not None:
            posed = with_link(frames, posed, found)
    return posed


def round_axes(
    points: Array, normals: Array, spacing: float, most: float = MOST
) -> tuple[Array, Array]:
    """Find the axes about which a surface is round somewhere.

    Slippage analysis (Gelfand and Guibas, "Shape segmentation using local slippage analysis", SGP
    2004): of all turns, by whatever shift goes with them best, that by which the points around a
    place move least along their normals.

    Args:
        points: (N, 3) of the surface.
        normals: (N, 3) unit.
        spacing: typical distance between neighbouring points.
        most: share of a patch's points that are round about its axis.

    Returns:
        Unit directions (A, 3) of the axes, and points (A, 3) on them.
    """
    directions, places = [], []
    for centre in points[farthest_point_indices(points, min(PLACES, len(points)))]:
        distances = np.linalg.norm(points - centre, axis=1)
        for radius in RADII:
            own = distances < radius * spacing
            if own.sum() < LEAST_POINTS:
                continue
            direction, place, speeds = _slippage(points[own], normals[own], most)
            if speeds[0] < (ROUND if most < 1 else ROUND_WHOLE) * speeds[1]:
                directions.append(direction)
                places.append(place)
    return np.reshape(directions, (-1, 3)), np.reshape(places, (-1, 3))


def _slippage(points: Array, normals: Array, most: float) -> tuple[Array, Array, Array]:
    """The axis about which a share of some points turns in itself.

    Those that move most along their normals, as a plug on a flange, are left out time and again.

    Returns:
        Its unit direction (3,), a point (3,) on it, and the squared speeds (3,) along the normals
        of a turn about it and about the two axes across, ascending.
    """
    kept = np.arange(len(points))
    for _ in range(SLIPPAGES):
        middle = points[kept].mean(axis=0)
        arms = points - middle
        size = float(np.sqrt((arms[kept] ** 2).sum(axis=1).mean()))
        rows = np.concatenate([cross(arms / size, normals), normals], axis=1)
        information = rows[kept].T @ rows[kept] / len(kept)
        shift = np.linalg.solve(
            information[3:, 3:] + 1e-3 * np.eye(3), -information[3:, :3]
        )  # that goes with a turn; where nothing determines it, none
        speeds, turns = np.linalg.eigh(information[:3, :3] + information[:3, 3:] @ shift)
        turn, moved = turns[:, 0], shift @ turns[:, 0]
        along = np.abs(rows @ np.concatenate([turn, moved]))
        kept = np.flatnonzero(along <= np.quantile(along, most))
    return turn, middle + size * np.cross(turn, moved), speeds


def _motor_link(frames: FrameSet, posed: PosedCandidate, reading: Array) -> CandidateLink | None:
    """What a motor turns, if any last link ends in a piece that is seen to follow it."""
    candidates = sorted(_candidates(frames, posed, reading), key=lambda found: -found.gain)
    best: CandidateLink | None = None
    for candidate in candidates[:TRIED]:
        link = _settled(frames, posed, candidate, reading)
        if link is not None and (best is None or link.gain > best.gain):
            best = link
    return best


def _unseen_link(frames: FrameSet, posed: PosedCandidate, reading: Array) -> CandidateLink | None:
    """The end of a last link that may turn about its own axis by a motor's readings, unseen.

    A motor that moved and turns nothing that is seen most likely turns this. The larger the piece,
    the less likely it looks the same by chance.
    """
    if np.ptp(reading) < SHOWING:
        return None
    reference = frames.reference
    found: list[CandidateLink] = []
    for parent in posed.last_links:
        own = np.flatnonzero(posed.labels == parent)
        if len(own) < 2 * LEAST_POINTS:
            continue
        points, normals = reference.points[own], reference.normals[own]
        # Nothing confirms it: no point may speak against it.
        axes = round_axes(points, normals, reference.spacing, most=1.0)
        for axis, place in zip(*axes, strict=True):
            for twist in (revolute_twist(axis, place), revolute_twist(-axis, place)):
                rise = -saved_by_turning(frames, posed.poses[:, parent], own, twist, reading)
                end = unseen_end(rise, (points - place) @ axis)
                if len(end) and turns_in_place(frames, twist, own[end]):
                    gain = -float(rise[end].sum())
                    found.append(CandidateLink(parent, own[end], twist, True, reading, 0.0, gain))
    most = max((len(link.members) for link in found), default=0)
    large = [link for link in found if len(link.members) > LARGE * most]
    if not large:
        return None
    # About its true axis it shows least.
    chosen = max(large, key=lambda link: link.gain / len(link.members))
    poses, nothing = posed.poses[:, chosen.parent], np.zeros(len(reference.points))
    return adjust_link(
        frames, ParentMotion(chosen.parent, poses, nothing), chosen, expected=reading
    )


def saved_by_turning(
    frames: FrameSet, poses: Array, members: NDArray[np.int64], twist: Array, reading: Array
) -> Array:
    """Return the mean cost (K,) that each of some points saves where it turns.

    Args:
        frames: the reference and F frames.
        poses: (F, 4, 4) of the link.
        members: (K,) numbers of its points.
        twist: (6,) of the turn, per rad.
        reading: (F,) angles (rad).
    """
    still = frame_costs(frames, poses, members).mean(axis=0)
    turned = frame_costs(frames, poses @ exp_se3(twist * reading[:, None]), members).mean(axis=0)
    return np.asarray(still - turned)


def unseen_end(rise: Array, along: Array) -> NDArray[np.int64]:
    """Return the most of N points at an end of an axis whose turning costs next to nothing.

    Args:
        rise: (N,) mean costs of turning.
        along: (N,) where the points are on the axis.
    """
    most = np.zeros(0, dtype=np.int64)
    for order in (np.argsort(along), np.argsort(-along)):
        means = np.cumsum(rise[order]) / np.arange(1, len(rise) + 1)
        unseen = np.flatnonzero(means[: len(rise) - LEAST_POINTS] < LEAST_SAVED)
        if len(unseen) and unseen[-1] + 1 >= max(LEAST_POINTS, len(most) + 1):
            most = order[: unseen[-1] + 1]
    return most


def _candidates(frames: FrameSet, posed: PosedCandidate, reading: Array) -> Iterator[CandidateLink]:
    """Joints about the axes of the last links' surfaces, for what lies beyond a cut across them."""
    reference = frames.reference
    for parent in posed.last_links:
        own = np.flatnonzero(posed.labels == parent)
        if len(own) < LEAST_POINTS:
            continue
        poses = posed.poses[:, parent]
        axes, places = round_axes(reference.points[own], reference.normals[own], reference.spacing)
        for axis, place in zip(axes, places, strict=True):
            along = (reference.points[own] - place) @ axis
            for twist in (revolute_twist(axis, place), revolute_twist(-axis, place)):
                saved = saved_by_turning(frames, poses, own, twist, reading)
                beyond = _cut(saved, along)
                if len(beyond):
                    gain = float(saved[beyond].sum())
                    yield CandidateLink(parent, own[beyond], twist, True, reading, 0.0, gain)


def _cut(saved: Array, along: Array) -> NDArray[np.int64]:
    """Which of N points lie on that side of a cut across an axis on which they save most together.

    saved: (N,) mean costs. along: (N,) where they are on the axis. None where they save too little.
    """
    best, most = np.zeros(0, dtype=np.int64), 0.0
    counts = np.unique(np.linspace(LEAST_POINTS, len(along) - LEAST_POINTS, CUTS).astype(int))
    for order in (np.argsort(along), np.argsort(-along)):
        sums = np.cumsum(saved[order] - LEAST_SAVED)
        for count in counts[(counts >= LEAST_POINTS) & (counts < len(along))].tolist():
            if sums[count - 1] > most:
                best, most = order[:count], float(sums[count - 1])
    return best


def _settled(
    frames: FrameSet, posed: PosedCandidate, link: CandidateLink, reading: Array
) -> CandidateLink | None:
    """The link with its joint adjusted and its points; None where it may be chance."""
    poses = posed.poses[:, link.parent]
    within = posed.labels == link.parent
    costs = np.full(len(within), np.inf)
    costs[within] = frame_costs(frames, poses, np.flatnonzero(within)).mean(axis=0)
    parent = ParentMotion(link.parent, poses, costs)
    for _ in range(ROUNDS):
        link = adjust_link(frames, parent, link, expected=reading)
        members = explained_points(frames, parent, within, link)
        if len(members) < LEAST_POINTS or not turns_in_place(frames, link.twist, members):
            return None
        link = CandidateLink(link.parent, members, link.twist, True, link.values, 0.0, 0.0)
    link = adjust_link(frames, parent, link, expected=reading)
    gains = [_gains(frames, poses, link, sign * link.values) for sign in (1, -1)]
    mean, error = gains[0].mean(), gains[0].std() / np.sqrt(len(gains[0]))
    if mean < max(LEAST_GAIN, LEAST_CERTAINTY * error) or gains[1].mean() > MIRRORED * mean:
        return None
    return link


def turns_in_place(frames: FrameSet, twist: Array, members: NDArray[np.int64]) -> bool:
    """Return whether an axis goes through points: about a far one what slides turns, too.

    Args:
        frames: the reference and all frames.
        twist: (6,) about the axis, per rad.
        members: (K,) numbers of the points.
    """
    points = frames.reference.points[members]
    middle = points.mean(axis=0)
    size = np.linalg.norm(points - middle, axis=1).max()
    return bool(np.linalg.norm(twist[3:] + np.cross(twist[:3], middle)) < size)


def _gains(frames: FrameSet, poses: Array, link: CandidateLink, values: Array) -> Array:
    """Cost (F,) that turning by values (F,) saves the link's points together."""
    turned = frame_costs(frames, poses @ exp_se3(link.twist * values[:, None]), link.members)
    return np.asarray((frame_costs(frames, poses, link.members) - turned).sum(axis=1))
