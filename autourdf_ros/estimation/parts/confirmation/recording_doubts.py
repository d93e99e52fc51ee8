"""What the whole recording says against a tree: a root that moves, points that no part explains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autourdf_ros.estimation.parts.confirmation.confirmation_options import ConfirmationOptions
from autourdf_ros.estimation.parts.confirmation.joint_weighing import LEAST_FRAMES
from autourdf_ros.estimation.parts.confirmation.tracking.pose_refinement import TrackedParts
from autourdf_ros.estimation.parts.confirmation.tracking.surface_samples import PartSamples
from autourdf_ros.geometry.arrays import Array
from autourdf_ros.geometry.rigid_motion import inverse, log_se3


def about_root(
    root: int,
    parts: TrackedParts,
    samples: PartSamples,
    names: Sequence[str],
    options: ConfirmationOptions,
) -> tuple[str, ...]:
    """Return a sentence where the root moves while another part stands still."""
    shifts = shifts_of(parts, samples)
    limit = np.maximum(options.tolerance * samples.sizes, options.tolerance_noise * parts.noise)
    still = [p for p in range(samples.count) if shifts[p] < limit[p]]
    if np.isfinite(shifts[root]) and shifts[root] > limit[root] and still:
        return (
            f"{names[root]}, the root, moves by {1000 * shifts[root]:.0f} mm in the recording; "
            f"{names[still[0]]} stands still",
        )
    return ()


def about_frames(
    parts: TrackedParts, names: Sequence[str], options: ConfirmationOptions
) -> tuple[str, ...]:
    """Return a sentence where frames have points that no part explains as the tree has it."""
    lacking = parts.explained[0] - parts.explained
    order = np.argsort(-lacking)
    if lacking[order[options.bad_frames(len(lacking))]] <= options.unexplained:
        return ()
    worst = int(order[0])
    shares = parts.bodies.weights[worst] / np.maximum(parts.bodies.weights[0], 1e-9)
    return (
        f"{100 * (1 - parts.explained[worst]):.0f} % of the points of frame {worst} lie on no part "
        f"as the tree lets them move, {100 * (1 - parts.explained[0]):.0f} % in the first frame; "
        f"{names[int(shares.argmin())]} is seen least where it is placed",
    )


def shifts_of(parts: TrackedParts, samples: PartSamples) -> Array:
    """Return how far each part's surface moves at most (P,) (m); NaN where it is not seen."""
    shifts = np.full(samples.count, np.nan)
    for number in range(samples.count):
        poses = parts.bodies.poses[parts.tracked[:, number], number]
        if len(poses) < LEAST_FRAMES:
            continue
        change = log_se3(inverse(poses[:1]) @ poses)
        information = parts.bodies.information[parts.tracked[:, number], number].mean(axis=0)
        weight = max(float(parts.bodies.weights[:, number].mean()), 1e-9)
        energy = np.einsum("fi,ij,fj->f", change, information, change) / weight
        shifts[number] = float(np.sqrt(energy.max()))
    return shifts
