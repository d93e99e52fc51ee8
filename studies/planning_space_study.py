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

import numpy as np

from autourdf_ros.assessment.metrics.estimate_reading import load_estimate
from autourdf_ros.assessment.metrics.planning_space import SAMPLES, planning_space
from autourdf_ros.assessment.metrics.truth.truth import truth_for
from autourdf_ros.errors import InputError

WORST = 5  # pairs that are printed


def main() -> None:
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, metavar="OUT", help="result folder")
    parser.add_argument("truth", type=Path, metavar="TRUTH", help="truth.json of the cell")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="drawn (default: 2000)")
    args = parser.parse_args()
    estimate = load_estimate(args.out)
    try:
        space = planning_space(
            estimate, truth_for(args.truth, None, estimate.readings), args.samples
        )
    except InputError as error:
        raise SystemExit(f"{args.truth}: {error}") from error
    free, found = ~space.colliding, space.touching.any(axis=1)
    print(f"false {found[free].mean():.1%} of {free.sum()} free configurations")
    print(f"missed {(~found)[~free].mean():.1%} of {(~free).sum()} colliding ones")
    false = np.asarray(space.touching[free].mean(axis=0))
    for pair in np.argsort(-false)[:WORST]:
        print(f"  {' - '.join(space.model.pairs[pair])}: {false[pair]:.1%} of the free ones")
    drawn = space.model.sampled(args.samples, np.random.default_rng(0))
    own = space.model.touching(drawn, space.asked)
    print(f"within the model's own limits {own.any(axis=1).mean():.1%} collide")


if __name__ == "__main__":
    main()
