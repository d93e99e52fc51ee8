"""Friction of a simulated robot by `autourdf dynamics`: held-out motion, and coverage.

`python studies/robot_dynamics_study.py ROWS.jsonl [--robot panda] [--seeds 20] [--step 0.002]`
drives the robot of the simulated cell along random Fourier motions. Efforts are the cell's: inverse
dynamics by Pinocchio, Coulomb and viscous friction of 10 % of a joint's typical effort each, and
5 % noise; so is the encoders' noise. Each drive has an armature beside, of 0.1 kg m² as in MuJoCo
Menagerie's Panda: the cell's have none, and wrists of a few g m² are no geared robot's.

`autourdf dynamics` fits three quarters of the recording and predicts motions of 0.5 to 2 s in the
last one, from states that it finds in what was recorded before. Two efforts drive them: those that
were recorded, and those that the motors really gave, a thousand a second and without noise. The
same with the true resistances (`--limit`: that alone, without a fit) says what efforts and encoders
allow. `--commanded` records what the motors really gave from each record to the next, as simulated
and torque-controlled robots do. Coverage counts dampings, frictions and armatures within two
standard deviations of the truth; an armature of 0, which no logarithm covers, is left out.

ROWS keeps every row, so that a run that was cut off goes on.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.benchmark.links.measure_links import FINGERS
from autourdf_ros.benchmark.links.simulated_efforts import SimulationOptions, random_motion
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import Mechanism
from autourdf_ros.estimation.dynamics.robot.described_mechanism import (
    RESISTANCES,
    RobotSimulation,
    mechanism_of_urdf,
)
from autourdf_ros.estimation.dynamics.robot.motion_prediction import predict_motions
from autourdf_ros.estimation.dynamics.robot.recorded_motions import (
    CuttingOptions,
    HeldOutMotions,
    predicted_motions,
)
from autourdf_ros.estimation.inertia.links.torque_model import TorqueModel
from autourdf_ros.fleet.submission import each_of
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

AHEAD = (0.5, 1.0, 2.0)
"""Durations (s) that are predicted."""
NOTHING = 1e-6
"""Armature of joints that have none (kg m²)."""
FINE = 1000.0
"""Rate of the efforts that the motors really gave (Hz): of a robot's joint controllers."""
_LITTLE = 1e-300


def main() -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=60.0, help="of a recording")
    parser.add_argument("--rate", type=float, default=100.0, help="joint states a second")
    parser.add_argument("--motions", type=int, default=40, help="of 0.5 s that are fitted")
    parser.add_argument("--limit", action="store_true", help="predict with the truth only, no fit")
    parser.add_argument("--encoder", type=float, default=MotorOptions.encoder_noise)
    parser.add_argument("--effort-noise", type=float, default=EffortOptions.noise)
    parser.add_argument("--armature", type=float, default=0.1, help="of each drive (kg m² or kg)")
    parser.add_argument("--commanded", action="store_true", help="efforts are exact, and held")
    parser.add_argument("--step", type=float, default=0.002, help="of the fit's simulator (s)")
    add_scheduler_argument(parser, "one seed after the other")
    args = parser.parse_args()
    file, rows = RowFile(args.rows), []
    parser_only = ("rows", "seeds", "limit", "scheduler")
    given = {name: value for name, value in vars(args).items() if name not in parser_only}
    if args.limit:
        print_predicted([limit(seed, **given) for seed in range(args.seeds)])
        return
    missing = [(seed,) for seed in range(args.seeds) if file.row({**given, "seed": seed}) is None]
    with asked_cluster(args) as connect:
        for (seed,), row in each_of(partial(measured, **given), missing, connect):
            file.append({**given, "seed": seed}, row)
            print(seed, row["predicted"], row["inside"], flush=True)
    rows = [file.row({**given, "seed": seed}) for seed in range(args.seeds)]
    inside, errors = (np.array([row[name] for row in rows]) for name in ("inside", "errors"))
    print(f"{len(rows)} runs; error of the worst joint, of its range (median and worst run):")
    print_predicted([row["predicted"] for row in rows])
    names = rows[0]["names"]
    for kind in RESISTANCES:
        own = [number for number, name in enumerate(names) if name.startswith(kind)]
        if not own:
            continue
        print(f"{kind}: median error {np.median(np.abs(errors[:, own])):.2%}", end=", ")
        print(f"coverage {inside[:, own].mean():.1%} of {inside[:, own].size}")
    print(f"processor {np.median([row['processor_seconds'] for row in rows]):.0f} s, ", end="")
    print(f"{np.median([row['memory'] for row in rows]):.0f} MiB")


def print_predicted(rows: list[dict[str, list[float]]]) -> None:
    """Print errors of the worst joint."""
    for name in rows[0]:
        for number, duration in enumerate(AHEAD):
            worst = [row[name][number] for row in rows]
            print(f"  {duration:g} s, {name}: {np.median(worst):.2%}, {max(worst):.2%}")


def limit(
    seed: int,
    robot: str,
    seconds: float,
    rate: float,
    motions: int,
    encoder: float,
    effort_noise: float,
    armature: float,
    commanded: bool,
    step: float,
) -> dict[str, list[float]]:
    """Return errors of the worst joint with the true resistances, by efforts and duration."""
    urdf = find_urdf(robot)
    sensors = MotorOptions(encoder_noise=encoder), EffortOptions(noise=effort_noise)
    recording, truth, applied = recorded(urdf, seed, seconds, rate, sensors, armature)
    if commanded:
        recording = applied.held(recording)
    mechanism = mechanism_of_urdf(urdf, recording.joints, RobotSimulation(step=step))
    place = np.log([truth.get(name, NOTHING) for name in mechanism.table.names])
    cutting = CuttingOptions(motions=motions, commanded=commanded)
    return predicted(mechanism, {"true": place}, (recording, applied), cutting)


def measured(
    seed: int,
    robot: str,
    seconds: float,
    rate: float,
    motions: int,
    encoder: float,
    effort_noise: float,
    armature: float,
    commanded: bool,
    step: float,
) -> dict[str, Any]:
    """Return the row of one seed."""
    urdf = find_urdf(robot)
    sensors = MotorOptions(encoder_noise=encoder), EffortOptions(noise=effort_noise)
    recording, truth, applied = recorded(urdf, seed, seconds, rate, sensors, armature)
    if commanded:
        recording = applied.held(recording)
    cutting = CuttingOptions(motions=motions, commanded=commanded)
    choices = DynamicsChoices(simulation=RobotSimulation(step=step), cutting=cutting)
    begin, spent = time.perf_counter(), time.process_time()
    done = judged_joints(urdf, None, recording, choices)
    seconds, processor = time.perf_counter() - begin, time.process_time() - spent
    posterior = done.found.posterior
    known = [name in truth for name in posterior.names]
    names = [name for name in posterior.names if name in truth]
    away = posterior.mean[known] - np.log([truth[name] for name in names])
    values = np.array([truth.get(name, NOTHING) for name in posterior.names])
    places = {"found": posterior.mean, "true": np.log(values)}
    return {
        "names": names,
        "errors": np.expm1(away).tolist(),
        "inside": (np.abs(away) <= 2 * posterior.stds[known]).tolist(),
        "stds": posterior.stds[known].tolist(),
        "predicted": predicted(posterior.mechanism, places, (recording, applied), cutting),
        "converged": done.found.fit.converged,
        "iterations": done.found.fit.iterations,
        "verdict": done.verdict.trust,
        "reasons": list(done.verdict.reasons),
        "seconds": seconds,
        "processor_seconds": processor,
        "memory": peak_memory(),
    }


def predicted(
    mechanism: Mechanism,
    places: dict[str, np.ndarray],
    efforts: tuple[EffortRecording, AppliedEfforts],
    cutting: CuttingOptions,
) -> dict[str, list[float]]:
    """Errors of the worst joint, of the range that it passes, by duration."""
    recording, applied = efforts
    found: dict[str, list[float]] = {}
    order = [recording.joints.index(name) for name in mechanism.joints]
    passed = np.ptp(recording.positions, axis=0)[order]
    for duration in AHEAD:
        held_out = predicted_motions(recording, replace(cutting, predicted=duration))
        for name, place in places.items():
            driven = {"recorded": held_out}
            if not cutting.commanded:
                driven["applied"] = applied.drive(held_out)
            for kind, motions in driven.items():
                errors = predict_motions(mechanism, place, motions).errors / passed
                words = f"{name} resistances, {kind} efforts"
                found.setdefault(words, []).append(float(errors.max()))
    return found


@dataclass(frozen=True)
class AppliedEfforts:
    """What the motors really gave.

    Attributes:
        times: (F,) s.
        efforts: (F, J) from each time to the next.
    """

    times: np.ndarray
    efforts: np.ndarray

    def drive(self, held_out: HeldOutMotions) -> HeldOutMotions:
        """Return motions that these efforts drive, as one knows."""
        exact = 1e-5 * np.sqrt(np.mean(self.efforts**2, axis=0))
        before, ahead = (
            replace(
                data,
                motions=tuple(
                    replace(motion, forces=self.efforts, force_stamps=self.times, force_stds=exact)
                    for motion in data.motions
                ),
            )
            for data in (held_out.before, held_out.ahead)
        )
        return HeldOutMotions(before, ahead)

    def held(self, recording: EffortRecording) -> EffortRecording:
        """Return a recording with the mean of these efforts from each record to the next one."""
        each = round(len(self.times) / (len(recording.times) - 1))
        count = len(self.times) // each
        efforts = self.efforts[: count * each].reshape(count, each, -1).mean(1)
        return replace(
            recording,
            times=recording.times[:count],
            positions=recording.positions[:count],
            efforts=efforts,
        )


def recorded(
    urdf: Path,
    seed: int,
    seconds: float,
    rate: float,
    sensors: tuple[MotorOptions, EffortOptions],
    armature: float,
) -> tuple[EffortRecording, dict[str, float], AppliedEfforts]:
    """Return what the cell's sensors read along a motion, true resistances, and true efforts."""
    robot, (motors, options) = SimulatedRobot(urdf), sensors
    all_names = driven_names(robot)
    arm = [number for number, name in enumerate(all_names) if not _is_finger(name)]
    names = tuple(all_names[number] for number in arm)
    velocity = np.array([joint.velocity for joint in robot.joints])[robot.driven]
    velocity = np.where(np.isfinite(velocity), velocity, motors.default_velocity)
    limits = DriveLimits(velocity, np.full(len(velocity), motors.acceleration))
    friction = JointFriction.of(robot, limits, options)
    each = max(1, round(FINE / rate))
    chosen = SimulationOptions(duration=seconds, rate=each * rate, acceleration=motors.acceleration)
    shapes = link_shapes(read_description(urdf), None, DENSITY)
    motion = random_motion(TorqueModel(urdf, list(names), shapes.solids), chosen, seed)
    dynamics, rng = DrivenDynamics(robot), np.random.default_rng(seed)
    rows = [np.zeros((len(motion.positions), len(all_names))) for _ in range(3)]
    for row, moved in zip(
        rows, (motion.positions, motion.velocities, motion.accelerations), strict=True
    ):
        row[:, arm] = moved
    own = np.array([dynamics.forces(*state)[0] for state in zip(*rows, strict=True)])
    own[:, arm] += armature * motion.accelerations
    exact = own + friction.at(rows[1])
    times = np.arange(len(exact)) / (each * rate)
    measured = exact[::each] + rng.normal(0, friction.noise, exact[::each].shape)
    positions = motion.positions[::each]
    recording = EffortRecording(
        names,
        times[::each],
        positions + rng.normal(0, motors.encoder_noise, positions.shape),
        measured[:, arm],
        source="simulated cell",
    )
    before, after = rows[1][:-1], rows[1][1:]
    held = (own[:-1] + own[1:]) / 2 + friction.viscous * (before + after) / 2
    held += friction.coulomb * (before + after) / np.maximum(abs(before) + abs(after), _LITTLE)
    truth = {}
    for number, name in zip(arm, names, strict=True):
        truth[f"damping of {name}"] = float(friction.viscous[number])
        truth[f"friction of {name}"] = float(friction.coulomb[number])
        if armature:
            truth[f"armature of {name}"] = armature
    return recording, truth, AppliedEfforts(times[:-1], held[:, arm])


def _is_finger(name: str) -> bool:
    return any(word in name for word in FINGERS)


if __name__ == "__main__":
    main()
