"""Charts of a reconstruction: residuals, number of bodies, joint motion."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.ticker import MaxNLocator

from autourdf_ros.description.drawing import ACCENT, ALARM, FAINT, INK, figure
from autourdf_ros.description.palette import link_color
from autourdf_ros.kinematics.reconstruction import Reconstruction


def draw_residuals(reconstruction: Reconstruction, path: Path) -> None:
    """Rms point-to-plane residual of every frame (mm), sequence by sequence."""
    with figure(path, 6, 2.8) as canvas:
        axes = canvas.subplots()
        start = 0
        for number, motion in enumerate(reconstruction.motions):
            at = start + np.arange(len(motion.residuals))
            used, residuals = motion.used, 1e3 * motion.residuals
            fitted, held_out = used & ~motion.held_out, used & motion.held_out
            axes.bar(at[fitted], residuals[fitted], color=ACCENT, alpha=0.9 if number % 2 else 0.65)
            axes.bar(at[held_out], residuals[held_out], color=INK)
            left_out = ~used & np.isfinite(residuals)
            axes.bar(at[left_out], residuals[left_out], color="white", edgecolor=ALARM)
            missing = ~used & ~np.isfinite(residuals)
            axes.plot(at[missing], np.zeros(missing.sum()), "x", color=ALARM, clip_on=False)
            start += len(at)
        axes.axhline(1e3 * reconstruction.noise, color=INK, lw=1, ls="--")
        axes.annotate(
            f"noise {1e3 * reconstruction.noise:.2g} mm",
            (1, 1e3 * reconstruction.noise),
            xycoords=("axes fraction", "data"),
            ha="right",
            va="bottom",
            color=INK,
        )
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set(title="Residual of every frame", xlabel="frame", ylabel="mm (rms)")
        axes.grid(axis="x", visible=False)


def draw_model_order(reconstruction: Reconstruction, path: Path) -> None:
    """Cost of every merge against the number of bodies left, and where merging stopped."""
    steps = sorted(reconstruction.model_order, key=lambda step: step.bodies)
    bodies = np.array([step.bodies for step in steps])
    costs = np.array([step.cost for step in steps])
    accepted = np.array([step.accepted for step in steps], bool)
    with figure(path, 6, 2.8) as canvas:
        axes = canvas.subplots()
        axes.plot(bodies, costs, color=FAINT, lw=1, zorder=1)
        axes.scatter(bodies[accepted], costs[accepted], color=ACCENT, s=26, label="merged")
        axes.scatter(
            bodies[~accepted], costs[~accepted], s=26, color="white", edgecolor=ALARM, label="kept"
        )
        if (costs > 0).any():
            axes.set_yscale("log")
        axes.invert_xaxis()
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set(title="Number of bodies", xlabel="bodies left after a merge", ylabel="χ² of it")
        axes.legend(loc="best")


def draw_joint_curves(reconstruction: Reconstruction, path: Path) -> None:
    """Value of every joint in every frame, with its limits; degrees or mm."""
    joints = [(i, j) for i, j in enumerate(reconstruction.model.joints) if j.type != "fixed"]
    children = {link.name: i for i, link in enumerate(reconstruction.model.links)}
    columns = min(3, max(1, len(joints)))
    rows = max(1, -(-len(joints) // columns))
    with figure(path, 4 * columns, 1.9 * rows) as canvas:
        grid = canvas.subplots(rows, columns, squeeze=False).ravel()
        for axes in grid[len(joints) :]:
            axes.set_axis_off()
        for axes, (index, joint) in zip(grid, joints, strict=False):
            scale, unit = (1e3, "mm") if joint.type == "prismatic" else (180 / np.pi, "°")
            start = 0
            for motion in reconstruction.motions:
                values = scale * motion.joint_values[:, index]
                at = start + np.arange(len(values))
                axes.plot(at, values, color=0.85 * link_color(children[joint.child]), lw=1.4)
                axes.scatter(
                    at, values, s=9, color=np.where(motion.used, INK, ALARM).tolist(), zorder=3
                )
                start += len(values)
            for limit in (joint.lower, joint.upper):
                if np.isfinite(limit) and joint.type != "continuous":
                    axes.axhline(scale * limit, color=FAINT, lw=0.8, ls=":")
            axes.xaxis.set_major_locator(MaxNLocator(integer=True))
            axes.set_title(joint.name)
            axes.set_ylabel(unit)
