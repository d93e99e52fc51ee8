"""Errors of a cart-pole's parameters by every method, against the time that each is given.

`python studies/dynamics_methods.py [--seeds N] [--seconds S ...] [--free]` prints a table: the
normalised mean absolute error (limits half to twice the truth, as in Heiden et al., table II) of
the parameters, the median over seeds, after so many seconds of wall time; with --free no force is
known, and errors are up to the overall scale. Coverage is that of two standard deviations.
`--flags` counts how often right and wrong models raise a flag instead.
"""

from __future__ import annotations

import argparse
import time

import mujoco
import numpy as np

from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotion, JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import (
    Mechanism,
    mechanism_of_mjcf,
)
from autourdf_ros.estimation.dynamics.methods.method_choice import METHODS, find_parameters
from autourdf_ros.estimation.dynamics.methods.method_options import MethodOptions, MethodResult
from autourdf_ros.estimation.dynamics.pipeline import identify_dynamics

CART_POLE = """<mujoco><option timestep="0.002" integrator="RK4"/><worldbody>
<body name="cart"><joint name="slide" type="slide" axis="1 0 0" damping="0.5"
 frictionloss="{friction}"/><geom type="box" size=".1 .05 .05" mass="1.0" contype="0"
 conaffinity="0"/><body name="pole"><joint name="hinge" axis="0 1 0" damping="0.01"
 frictionloss="{swing}"/><geom type="capsule" fromto="0 0 0 0 0 -.5" size=".02" mass="0.3"
 contype="0" conaffinity="0"/></body></body></worldbody></mujoco>"""
RIGHT = CART_POLE.format(friction=0.2, swing=0.01)
WITHOUT = CART_POLE.format(friction=0.0, swing=0.0)
FREE = ("mass", "damping", "friction")
NOISE = np.array([0.0005, np.deg2rad(0.05)])  # m and rad: a tracker's
FRAMES, RATE = 200, 30.0
QUADRATIC = np.array([0.3, 0.003])  # N s²/m² and N m s²/rad², of a wrong law of friction
DELAY = 0.008  # s


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seconds", type=float, nargs="+", default=[2.0, 8.0])
    parser.add_argument("--free", action="store_true", help="no force is known")
    parser.add_argument("--flags", action="store_true", help="count flags instead")
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    args = parser.parse_args()
    if args.flags:
        count_flags(args.seeds)
        return
    for method in args.methods:
        for seconds in args.seconds if method != "shooting" else args.seconds[:1]:
            race(method, seconds, args.seeds, not args.free)


def race(method: str, seconds: float, seeds: int, forced: bool) -> None:
    """Print errors and coverage of one method."""
    errors, inside, times = [], [], []
    for seed in range(seeds):
        mechanism, data = case(seed, forced)
        options = MethodOptions(seconds=seconds, iterations=10**6, seed=seed)
        began = time.monotonic()
        if method == "shooting":
            found = identify_dynamics(mechanism, data).posterior
            truth = true_coordinates(mechanism)
            inside.append(np.abs(found.mean - truth) < 2 * found.stds)
            best = found.mean
        else:
            made: MethodResult = find_parameters(mechanism, data, method, options)
            best = made.best
        times.append(time.monotonic() - began)
        errors.append(normalised_error(mechanism, best, forced))
    covered = f"{np.mean(inside):.3f}" if inside else "-"
    print(
        f"{method:10} {np.median(times):7.2f} s  NMAE {np.median(errors):.4f} "
        f"(worst {np.max(errors):.4f})  coverage {covered}",
        flush=True,
    )


def normalised_error(mechanism: Mechanism, coordinates: np.ndarray, forced: bool) -> float:
    """Mean absolute error over the width of the limits, half to twice the truth."""
    away = coordinates - true_coordinates(mechanism)
    if not forced:
        away = away - away[mechanism.table.names.index("mass of cart")]
    return float(np.mean(np.abs(np.expm1(away))) / 1.5)


def true_coordinates(mechanism: Mechanism) -> np.ndarray:
    """Fitting coordinates of the true values."""
    return mechanism_of_mjcf(RIGHT, FREE).table.of(mechanism.table.names).prior_mean


def case(seed: int, forced: bool, law: str = "right") -> tuple[Mechanism, JointMotionData]:
    """A cart-pole with a prior half to twice the truth, and a noisy motion of the true one."""
    rng = np.random.default_rng(seed)
    mechanism = mechanism_of_mjcf(WITHOUT if law == "no Coulomb friction" else RIGHT, FREE)
    if law == "no Coulomb friction":
        mechanism = mechanism.with_table(mechanism.table.of(("mass", "damping")))
    names = mechanism.table.names
    guesses = true_coordinates(mechanism) + rng.uniform(-np.log(2), np.log(2), len(names))
    values = dict(zip(names, np.exp(guesses).tolist(), strict=True))
    mechanism = mechanism.with_table(mechanism.table.with_values(values))
    stamps = np.arange(FRAMES) / RATE
    forces = np.zeros((FRAMES, 2))
    if forced:
        phases = rng.uniform(0, 2 * np.pi, 2)
        forces[:, 0] = 4 * np.sin(4.4 * stamps + phases[0]) + 3 * np.sin(8.2 * stamps + phases[1])
    true = simulated(stamps, np.array([0.0, rng.uniform(1.5, 2.5)]), forces, law)
    noisy = true + NOISE * rng.standard_normal(true.shape)
    stds = np.broadcast_to(NOISE, true.shape).copy()
    known = stamps - DELAY if law == "late forces" else stamps
    motion = JointMotion(stamps, noisy, stds, forces if forced else None, known if forced else None)
    return mechanism, JointMotionData(("slide", "hinge"), (motion,))


def simulated(stamps: np.ndarray, start: np.ndarray, forces: np.ndarray, law: str) -> np.ndarray:
    """True joint values, at a quarter of the time step, between whose steps stamps lie."""
    model = mujoco.MjModel.from_xml_string(RIGHT)
    model.opt.timestep /= 4
    data, step = mujoco.MjData(model), model.opt.timestep
    data.qpos[:] = start
    rows = [start]
    for number, end in enumerate(stamps[1:]):
        while data.time < end - 1e-9:
            late = np.clip((data.time + step - end) / step, 0, 1)
            data.qfrc_applied[:] = (1 - late) * forces[number] + late * forces[number + 1]
            if law == "quadratic friction":
                data.qfrc_applied[:] -= QUADRATIC * data.qvel * np.abs(data.qvel)
            before, then = data.qpos.copy(), data.time
            mujoco.mj_step(model, data)
        share = (end - then) / (data.time - then)
        rows.append(before + share * (data.qpos - before))
    return np.array(rows)


def count_flags(seeds: int) -> None:
    """Print how often models raise a warning."""
    kinds = [("right", True), ("right", False), ("no Coulomb friction", True)]
    kinds += [("quadratic friction", True), ("late forces", True)]
    for law, forced in kinds:
        found = [
            identify_dynamics(*case(seed, forced, law)).posterior.warnings for seed in range(seeds)
        ]
        steps = [any("time step" in one for one in texts) for texts in found]
        model = [any("time step" not in one for one in texts) for texts in found]
        force = "known force" if forced else "no force"
        print(
            f"{law}, {force}: model flagged in {np.mean(model):.0%} of {seeds} runs, time step in "
            f"{np.mean(steps):.0%}",
            flush=True,
        )


if __name__ == "__main__":
    main()
