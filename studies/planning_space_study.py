"""How much of a robot's free space MoveIt may plan in, with a model's own SRDF and meshes.

`.venv/bin/python studies/planning_space_study.py OUT TRUTH` draws configurations within the true
limits and compares the model in the result folder OUT, whose robot.srdf says which pairs of links
are checked, with the visible surface of the robot of TRUTH (truth.json of a simulated cell). Prints

- false, missed: shares of the free, and of the colliding, configurations,
- pairs of links with the share of the free configurations in which they touch,
- the share of configurations within the model's own limits in which it collides, which is no error:
  the true robot collides with itself in many of them, too.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.metrics.assignment import assign_joints
from autourdf_ros.assessment.metrics.estimate_reading import Estimate, load_estimate
from autourdf_ros.assessment.metrics.self_collision_error import collides
from autourdf_ros.assessment.metrics.truth.truth import TrueModel, truth_for
from autourdf_ros.model.result_files import SRDF, URDF
from autourdf_ros.shape.collision.link_collisions import LinkCollisions

WORST = 5  # pairs that are printed


def checked(folder: Path, model: LinkCollisions) -> NDArray[np.bool_]:
    """Return (P,) the pairs of links that the SRDF leaves to be checked."""
    root = ElementTree.parse(folder / SRDF).getroot()
    entries = root.iter("disable_collisions")
    disabled = {frozenset((entry.get("link1"), entry.get("link2"))) for entry in entries}
    return np.array([frozenset(pair) not in disabled for pair in model.pairs], bool)


def in_the_model(
    values: NDArray[np.float64],
    estimate: Estimate,
    truth: TrueModel,
    model: LinkCollisions,
    true: LinkCollisions,
) -> NDArray[np.float64]:
    """Return (N, J) joint values of the model where the true robot has (N, K) values."""
    reference = estimate.report["reference_configuration"]
    home = model.configuration({n: v for n, v in reference.items() if n in model.joints})
    moved = values - true.configuration(truth.configuration or {})
    turned = np.tile(home, (len(values), 1))
    for e, t in assign_joints(estimate.skeleton, truth.skeleton).pairs:
        guess, known = estimate.skeleton.joints[e], truth.skeleton.joints[t]
        sign = np.sign(np.dot(guess.axis, known.axis))
        column = moved[:, true.joints.index(known.name)]
        turned[:, model.joints.index(guess.name)] += sign * column
    return turned


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="result folder")
    parser.add_argument("truth", type=Path, metavar="TRUTH", help="truth.json of the cell")
    parser.add_argument("--samples", type=int, default=2000, help="configurations (default: 2000)")
    args = parser.parse_args()
    estimate = load_estimate(args.out)
    truth = truth_for(args.truth, None, estimate.readings)
    if truth.robot is None:
        raise SystemExit(f"{args.truth}: names no URDF with meshes")
    true, model = LinkCollisions(truth.robot.path, "visual"), LinkCollisions(args.out / URDF)
    values = true.sampled(args.samples, np.random.default_rng(0))
    start = true.configuration(truth.configuration or {})
    colliding = np.asarray(collides(true, values, start[None]))
    asked = checked(args.out, model)
    touching = model.touching(in_the_model(values, estimate, truth, model, true), asked)
    found = np.asarray(touching.any(axis=1))
    print(f"false {found[~colliding].mean():.1%} of {(~colliding).sum()} free configurations")
    print(f"missed {(~found)[colliding].mean():.1%} of {colliding.sum()} colliding ones")
    false = np.asarray(touching[~colliding].mean(axis=0))
    for pair in np.argsort(-false)[:WORST]:
        print(f"  {' - '.join(model.pairs[pair])}: {false[pair]:.1%} of the free ones")
    own = model.touching(model.sampled(args.samples, np.random.default_rng(0)), asked)
    print(f"within the model's own limits {own.any(axis=1).mean():.1%} collide")


if __name__ == "__main__":
    main()
