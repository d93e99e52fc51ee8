"""Friction of a simulated robot by `autourdf dynamics`: held-out motion, and coverage.

`python studies/robot_dynamics_study.py ROWS.jsonl [--robot panda] [--seeds 20] [--step 0.002]`
drives the robot of the simulated cell along random Fourier motions. Efforts are the cell's: inverse
dynamics by Pinocchio, Coulomb and viscous friction of 10 % of a joint's typical effort each, and
5 % noise; so is the encoders' noise. `autourdf dynamics` fits three quarters of the recording and
predicts motions of 2 s in the last one, under the recorded efforts alone. Coverage counts dampings
and frictions within two standard deviations of the truth; the armature is 0, which no logarithm
covers, and is left out. ROWS keeps every row, so that a run that was cut off goes on.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.benchmark.links.measure_links import FINGERS
from autourdf_ros.benchmark.links.simulated_efforts import SimulationOptions, random_motion
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.estimation.dynamics.robot.described_mechanism import RobotSimulation
from autourdf_ros.estimation.inertia.links.torque_model import TorqueModel
from autourdf_ros.model.urdf.robot_library import find_urdf
from autourdf_ros.model.urdf.simulated_robot import SimulatedRobot
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.shape.mass_properties import DENSITY
from autourdf_ros.simulation.live.controller_commands import driven_names
from autourdf_ros.simulation.live.driven_dynamics import DrivenDynamics
from autourdf_ros.simulation.live.force_sensing import EffortOptions, JointFriction
from autourdf_ros.simulation.live.live_cell import MotorOptions
from autourdf_ros.simulation.live.motor_drive import DriveLimits
from autourdf_ros.workflows.link_inertia import link_shapes
from autourdf_ros.workflows.mechanisms.link_dynamics import DynamicsChoices, judged_joints


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0, help="of a recording")
    parser.add_argument("--rate", type=float, default=100.0, help="joint states a second")
    parser.add_argument("--step", type=float, default=0.002, help="of the fit's simulator (s)")
    args = parser.parse_args()
    file, rows = RowFile(args.rows), []
    for seed in range(args.seeds):
        key = {name: getattr(args, name) for name in ("robot", "seconds", "rate", "step")}
        key["seed"] = seed
        row = file.row(key)
        if row is None:
            row = measured(args.robot, seed, args.seconds, args.rate, args.step)
            file.append(key, row)
            print(seed, row["worst"], row["inside"], f"{row['fit_seconds']:.0f} s", flush=True)
        rows.append(row)
    worst = [row["worst"] for row in rows]
    inside = np.array([row["inside"] for row in rows])
    errors = np.array([row["errors"] for row in rows])
    names = rows[0]["names"]
    print(f"{len(rows)} runs: worst joint's error of the range: median {np.median(worst):.2%}, ")
    print(f"worst {max(worst):.2%}, at most 2 % in {np.mean(np.array(worst) <= 0.02):.0%}")
    print(f"coverage {inside.mean():.1%} of {inside.size}")
    for kind in ("damping", "friction"):
        own = [number for number, name in enumerate(names) if name.startswith(kind)]
        print(f"{kind}: median error {np.median(np.abs(errors[:, own])):.2%}", end=", ")
        print(f"coverage {inside[:, own].mean():.1%}")
    print(f"processor {np.median([row['processor_seconds'] for row in rows]):.0f} s, ", end="")
    print(f"{np.median([row['memory'] for row in rows]):.0f} MiB")


def measured(robot: str, seed: int, seconds: float, rate: float, step: float) -> dict[str, Any]:
    """Return the row of one seed."""
    urdf = find_urdf(robot)
    recording, truth = recorded(urdf, seed, seconds, rate)
    choices = DynamicsChoices(simulation=RobotSimulation(step=step))
    begin, spent = time.perf_counter(), time.process_time()
    done = judged_joints(urdf, None, recording, choices)
    posterior = done.found.posterior
    known = [name in truth for name in posterior.names]
    names = [name for name in posterior.names if name in truth]
    true = np.array([truth[name] for name in names])
    away = posterior.mean[known] - np.log(true)
    return {
        "names": names,
        "errors": np.expm1(away).tolist(),
        "inside": (np.abs(away) <= 2 * posterior.stds[known]).tolist(),
        "stds": posterior.stds[known].tolist(),
        "shares": done.shares,
        "worst": max(done.shares.values()),
        "verdict": done.verdict.trust,
        "reasons": list(done.verdict.reasons),
        "fit_seconds": time.perf_counter() - begin,
        "processor_seconds": time.process_time() - spent,
        "memory": peak_memory(),
    }


def recorded(
    urdf: Path, seed: int, seconds: float, rate: float
) -> tuple[EffortRecording, dict[str, float]]:
    """Return what the cell's sensors read along a random motion, and the true resistances."""
    robot, motors, options = SimulatedRobot(urdf), MotorOptions(), EffortOptions()
    all_names = driven_names(robot)
    arm = [number for number, name in enumerate(all_names) if not _is_finger(name)]
    names = tuple(all_names[number] for number in arm)
    velocity = np.array([joint.velocity for joint in robot.joints])[robot.driven]
    velocity = np.where(np.isfinite(velocity), velocity, motors.default_velocity)
    limits = DriveLimits(velocity, np.full(len(velocity), motors.acceleration))
    friction = JointFriction.of(robot, limits, options)
    chosen = SimulationOptions(duration=seconds, rate=rate, acceleration=motors.acceleration)
    shapes = link_shapes(read_description(urdf), None, DENSITY)
    motion = random_motion(TorqueModel(urdf, list(names), shapes.solids), chosen, seed)
    dynamics, rng = DrivenDynamics(robot), np.random.default_rng(seed)
    rows = [np.zeros((len(motion.positions), len(all_names))) for _ in range(3)]
    for row, moved in zip(
        rows, (motion.positions, motion.velocities, motion.accelerations), strict=True
    ):
        row[:, arm] = moved
    efforts = np.array([dynamics.forces(*state)[0] for state in zip(*rows, strict=True)])
    efforts = efforts + friction.at(rows[1]) + rng.normal(0, friction.noise, efforts.shape)
    recording = EffortRecording(
        names,
        np.arange(len(efforts)) / rate,
        motion.positions + rng.normal(0, motors.encoder_noise, motion.positions.shape),
        efforts[:, arm],
        source="simulated cell",
    )
    truth = {}
    for number, name in zip(arm, names, strict=True):
        truth[f"damping of {name}"] = float(friction.viscous[number])
        truth[f"friction of {name}"] = float(friction.coulomb[number])
    return recording, truth


def _is_finger(name: str) -> bool:
    return any(word in name for word in FINGERS)


if __name__ == "__main__":
    main()
