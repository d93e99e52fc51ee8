"""A small arm of two joints before a camera, and disturbances of its recordings."""

from dataclasses import replace

import numpy as np
from synthetic_robot import moving_recording

from autourdf_ros.data.frame import Recording, Sequence

FRAMES, POINTS = 8, 300
AWAY = np.array([0.0, 1.4, 0.0])  # m; the arm is 0.8 m long


def arm():
    """The arm alone, all of its points distinct."""
    return moving_recording(FRAMES, POINTS, sway=0.08)


def changed(recording, change):
    """The recording with the points (N, 3) of every frame by `change` of them and its number."""
    frames = tuple(
        replace(frame, points=change(frame.points.astype(float), number).astype(np.float32))
        for number, frame in enumerate(recording.frames)
    )
    return Recording((Sequence(frames, "0000"),))


def mirrored(number):
    """One frame is seen in a mirror; left and right the arm is its own mirror image."""
    return changed(arm(), lambda points, i: points * [1, 1, -1] if i == number else points)


def ordered(order):
    """The frames in another order."""
    frames = arm().frames
    return Recording((Sequence(tuple(frames[i] for i in order), "0000"),))


def person(first, last, count=400):
    """Return the arm with a person who walks by from frame `first` to `last`."""
    body = np.random.default_rng(5).normal(0, 1, (count, 3))
    body *= [0.12, 0.12, 0.35] / np.linalg.norm(body, axis=1, keepdims=True)

    def change(points, number):
        if not first <= number <= last:
            return points
        return np.concatenate([points, body + np.array([0.9 - 0.25 * number, 0.6, 0.4])])

    return changed(arm(), change)


def two_robots():
    """Return the arm next to another one that moves otherwise."""
    others = moving_recording(FRAMES, POINTS, sway=0.3).frames[::-1]
    return changed(
        arm(), lambda points, number: np.concatenate([points, others[number].points + AWAY])
    )


def held_object(frames, elsewhere):
    """A ball at the arm's end in some frames, on the ground beside it in the others, or nowhere."""
    ball = np.random.default_rng(6).normal(0, 1, (150, 3))
    ball *= 0.07 / np.linalg.norm(ball, axis=1, keepdims=True)

    def change(points, number):
        if number in frames:
            # The arm's last link is the last third of the points; the ball hangs below its end.
            link = points[2 * POINTS :]
            far = np.linalg.norm(link[:, :2], axis=1)
            tip = link[far > np.quantile(far, 0.9)].mean(axis=0)
            return np.concatenate([points, ball + tip - [0, 0, 0.12]])
        return np.concatenate([points, ball + np.array([0.0, -0.6, 0.1])]) if elsewhere else points

    return changed(arm(), change)


def cable(count=250):
    """A cable hangs from the arm's end to the ground, and sways."""
    along = np.linspace(0, 1, count)[:, None]

    def change(points, number):
        link = points[2 * POINTS :]
        far = np.linalg.norm(link[:, :2], axis=1)
        tip = link[far > np.quantile(far, 0.95)].mean(axis=0)
        ground = np.array([-0.3, -0.5, 0.0])
        line = tip + along * (ground - tip) - [0, 0, 0.5] * along * (1 - along)
        way = np.array([np.sin(2.0 * number), np.cos(3.0 * number), 0])
        sway = 0.1 * np.sin(np.pi * along) * way
        thick = np.random.default_rng(number).normal(0, 0.004, (count, 3))
        return np.concatenate([points, line + sway + thick])

    return changed(arm(), change)


def doubled():
    """Return the arm with most points occurring several times."""
    rng = np.random.default_rng(7)

    def change(points, number):
        again = points[rng.integers(len(points), size=800)]
        return np.concatenate([points[800:], again])

    return changed(arm(), change)
