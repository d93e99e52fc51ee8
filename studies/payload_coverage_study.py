"""How often true values are within two deviations, of scanned objects and of one with joints.

    .venv/bin/python studies/payload_coverage_study.py scan --draws 3
    .venv/bin/python studies/payload_coverage_study.py jointed --draws 10
    .venv/bin/python studies/payload_coverage_study.py efforts --draws 10

Scans: tools of one or several materials on a table, wrong stated poses, then wrenches of a slow
motion. Jointed: scissors of four materials; of each link and of the whole. Efforts: a mallet by the
efforts of six joints with friction, at moves of three durations. Prints errors (mass %, centre mm)
and the share of mass, centre and inertia within two deviations.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "workflows" / "payloads"))

import scanned_tools
import test_jointed_payload as scissors
from effort_arm import held_mallet
from weighed_tools import POSE, data_of, slow_motion, true_parameters

from autourdf_ros.data.wrenches.effort_wrenches import wrenches_from_efforts
from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.data.wrenches.wrench_table import recording_of_poses
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.payload_data import PayloadData, PayloadEstimate
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.estimation.inertia.payload.regressor import recording_regressor
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions
from autourdf_ros.model.inertial.held_payload import HeldPayload
from autourdf_ros.model.inertial.inertial_parameters import moved, parameters_from
from autourdf_ros.model.inertial.jointed_description import jointed_description
from autourdf_ros.workflows.payloads.jointed_shape import jointed_object
from autourdf_ros.workflows.payloads.object_scan import scanned_object
from autourdf_ros.workflows.payloads.payload_result import HeldObject, object_on_its_table

Array = NDArray[np.float64]

DENSITIES = (1200.0, 2700.0)
"""kg/m³ of a tool's parts in turn."""
OPTIONS = IdentifyOptions(SensorOptions(delay=0.0, gain=0.0))  # the sensor is exact but noise


def weighing(parameters: Array, noise: tuple[float, float], seed: int) -> WrenchRecording:
    """Return records of a slow motion with a load of such parameters."""
    times, poses = slow_motion()
    still = recording_of_poses(times, poses, np.zeros((len(times), 6)), "simulated")
    random = np.random.default_rng(seed)
    wrenches = recording_regressor(still) @ parameters
    wrenches += np.repeat(noise, 3) * random.standard_normal(wrenches.shape)
    return recording_of_poses(times, poses, wrenches, "simulated")


def estimated(held: HeldObject, pose: Array, recording: WrenchRecording) -> PayloadEstimate:
    """Return the payload of a held object at a pose in the sensor's frame."""
    data = PayloadData(recording, held.body, pose, links=held.links)
    return identify_payload(data, OPTIONS).estimate


def compared(found: Array, covariance: Array, true: Array) -> list[float]:
    """Errors of mass (%) and centre (mm); shares of mass, centre, inertia within two deviations."""
    one, other = HeldPayload(found, covariance, ""), HeldPayload(true, None, "")
    spread = one.central_covariance()
    assert spread is not None
    std = np.sqrt(np.diag(spread))
    rows, columns = [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]
    tensor = (one.inertia - other.inertia)[rows, columns]
    off = np.concatenate([[one.mass - other.mass], one.centre - other.centre, tensor])
    inside = np.abs(off) < 2 * std
    errors = [100 * abs(off[0]) / other.mass, 1e3 * float(np.linalg.norm(off[1:4]))]
    return [*errors, float(inside[0]), inside[1:4].mean(), inside[4:].mean()]


def scans(draws: int, noise: tuple[float, float]) -> dict[str, list[list[float]]]:
    """Return the comparisons by tool."""
    found: dict[str, list[list[float]]] = {}
    for tool in ("block", "mallet", "roll", "pan"):
        parts: Any = getattr(scanned_tools, tool)()
        grasp = np.linalg.inv(POSE)
        centre = parts[0].center_mass
        grasp[:3, 3] = centre + np.array([0.0, 0.0, 0.1])
        pose = np.linalg.inv(grasp)
        own = sum(
            parameters_from(density * part.volume, part.center_mass, density * part.moment_inertia)
            for density, part in zip(np.resize(DENSITIES, len(parts)), parts, strict=True)
        )
        true = moved(np.asarray(own), pose)
        found[tool] = []
        for seed in range(draws):
            recording = scanned_tools.scan(
                parts, scanned_tools.around(12), 0.003, 0.5, 0.0005, seed
            )
            held = object_on_its_table(scanned_object(recording), tool)
            try:
                estimate = estimated(held, pose, weighing(true, noise, seed))
            except InputError as error:
                print(f"{tool}, {seed}: refused: {error}", file=sys.stderr)
                continue
            assert estimate.covariance is not None
            found[tool].append(compared(estimate.parameters, estimate.covariance, true))
            print(tool, seed, np.round(found[tool][-1], 2), file=sys.stderr)
    return found


def jointed(draws: int, noise: tuple[float, float]) -> dict[str, list[list[float]]]:
    """Return the comparisons of the scissors, of the whole and by link."""
    with tempfile.TemporaryDirectory() as folder:
        path = scissors.write_scissors(Path(folder))
        values = {"hinge": scissors.WEIGHED}
        held = jointed_object(jointed_description(path, values, "hinge"))
    true = scissors.whole(scissors.WEIGHED)
    found: dict[str, list[list[float]]] = {name: [] for name in ("whole", *scissors.PARTS)}
    for seed in range(draws):
        estimate = estimated(held, POSE, weighing(true, noise, seed))
        assert estimate.covariance is not None and estimate.links is not None
        found["whole"].append(compared(estimate.parameters, estimate.covariance, true))
        for number, (name, angle) in enumerate((("under", None), ("upper", scissors.WEIGHED))):
            own = scissors.own_parameters(name)
            if angle is not None:
                opened = np.eye(4)
                opened[:3, :3] = scissors.Rotation.from_rotvec([0, 0, angle]).as_matrix()
                opened[:3, 3] = scissors.HINGE
                own = moved(own, opened)
            block = slice(10 * number, 10 * number + 10)
            spread = estimate.links.covariance[block, block]
            parameters = estimate.links.parameters[number]
            found[name].append(compared(parameters, spread, moved(own, POSE)))
    return found


def by_efforts(draws: int, _: tuple[float, float]) -> dict[str, list[list[float]]]:
    """Return the comparisons of the mallet by efforts, whose noise is the arm's own."""
    found: dict[str, list[list[float]]] = {}
    # Of records at uneven stamps: moves of up to 3 rad in so many seconds.
    for count, name in ((1500, "1.8 s"), (1000, "1.2 s"), (700, "0.8 s")):
        found[name] = []
        for seed in range(draws):
            with tempfile.TemporaryDirectory() as folder:
                urdf, efforts = held_mallet(Path(folder), seed, count=count)
                recording = wrenches_from_efforts(efforts, urdf, "l6")
            estimate = identify_payload(data_of(recording), IdentifyOptions()).estimate
            assert estimate.covariance is not None
            true = true_parameters()
            found[name].append(compared(estimate.parameters, estimate.covariance, true))
    return found


MEASURES = {"scan": scans, "jointed": jointed, "efforts": by_efforts}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=tuple(MEASURES))
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--noise", type=float, nargs=2, default=(0.05, 0.0025), help="N, N m")
    given = parser.parse_args()
    measure = MEASURES[given.kind]
    print("| object | draws | mass, % | centre, mm | within 2: mass / centre / inertia |")
    print("|---|---|---|---|---|")
    for name, rows in measure(given.draws, tuple(given.noise)).items():
        mean = np.mean(rows, axis=0)
        shares = " / ".join(f"{value:.2f}" for value in mean[2:])
        print(f"| {name} | {len(rows)} | {mean[0]:.2f} | {mean[1]:.2f} | {shares} |", flush=True)


if __name__ == "__main__":
    main()
