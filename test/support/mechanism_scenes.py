"""Known mechanisms of random proportions and motions, as scenes of videos show them."""

from __future__ import annotations

import numpy as np
from mechanism_tracks import CAPSULE, NO_SYMMETRY, TrueJoint, TrueMechanism

from autourdf_ros.estimation.video.joints.fitting.lower_pairs import PAIRS
from autourdf_ros.geometry.rigid_motion import exp_se3

SCENES = {
    "cart-pole": ("prismatic", "revolute:capsule"),
    "rott": ("revolute", "revolute:capsule"),
    "three links": ("planar", "revolute", "revolute"),
    "drawer": ("fixed", "prismatic"),
    "door": ("fixed", "revolute"),
    "shaft": ("free", "cylindrical"),
    "ball": ("fixed", "spherical"),
    "thrown": ("free",),
}
FRAMES = 200
TURN, SLIDE = 0.5, 0.08  # rad, m: amplitudes


def scene(name: str, rng: np.random.Generator, frames: int = FRAMES) -> TrueMechanism:
    """Return a mechanism of `SCENES`: each joint hangs on the one before, the first on the world.

    Planar mechanisms have parallel axes, as their names say.
    """
    kinds = SCENES[name]
    return chain(kinds, rng, frames, parallel=name in ("three links", "rott"))


def chain(kinds, rng, frames=FRAMES, parallel=False) -> TrueMechanism:
    """Return a chain of joints of these types, "TYPE:capsule" with a body that may spin."""
    joints, parent = [], "world"
    turn = random_pose(rng)
    for number, text in enumerate(kinds):
        kind, _, shape = text.partition(":")
        frame, placement = random_pose(rng), random_pose(rng)
        if parallel:
            frame[:3, :3] = turn[:3, :3] if parent == "world" else np.eye(3)
            placement[:3, :3] = np.eye(3)
        if shape:  # its axis of symmetry across the joint's
            placement[:3, :3] = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])
        values = motion_values(kind, rng, frames)
        symmetry = CAPSULE if shape else NO_SYMMETRY
        joints.append(TrueJoint(f"body_{number}", parent, kind, frame, placement, values, symmetry))
        parent = f"body_{number}"
    return TrueMechanism(tuple(joints))


def motion_values(kind, rng, frames=FRAMES, share=1.0):
    """Smooth coordinates (T, D) along a type's `moves`, of `share` of the typical amplitudes."""
    columns = [share * (TURN if i < 3 else SLIDE) * wave(rng, frames) for i in PAIRS[kind].moves]
    return np.stack(columns, axis=1) if columns else np.zeros((frames, 0))


def wave(rng, frames):
    """A sum of three oscillations (T,) at 60 frames a second."""
    stamps = np.arange(frames) / 60
    parts = [
        np.sin(2 * np.pi * rng.uniform(0.3, 1.0) * stamps + rng.uniform(0, 6)) / (k + 1)
        for k in range(3)
    ]
    return np.sum(parts, axis=0)


def random_pose(rng):
    """A pose (4, 4), some 0.2 m from the origin."""
    return exp_se3(np.concatenate([rng.normal(size=3), rng.uniform(-0.2, 0.2, 3)]))
