"""How true a payload's deviations are on fast motions, from stamped poses and noisy wrenches.

Moves of a simulated mallet, smooth (quintics) and with constant accelerations; prints what was
used, and the largest errors in deviations.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "support"))
from weighed_tools import data_of, hasty_recording, true_parameters

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.estimation.inertia.payload.sensor.record_preparation import SensorOptions

SMOOTH, JOLTS = False, True
OPTIONS = IdentifyOptions(SensorOptions(delay=0.0, gain=0.0))  # the sensor is exact but noise
CASES = (
    (SMOOTH, 3.0, True), (SMOOTH, 0.8, True), (SMOOTH, 0.45, True), (JOLTS, 1.5, True),
    (JOLTS, 0.8, False), (JOLTS, 0.8, True), (JOLTS, 0.45, False), (JOLTS, 0.45, True),
    (JOLTS, 0.3, False), (JOLTS, 0.3, True),
)  # fmt: skip


def row(jolts: bool, move: float, uneven: bool, draws: int) -> str:
    """Return a row of the table of one motion."""
    errors, used, left_out, refused = [], [], 0, 0
    for seed in range(draws):
        data = data_of(hasty_recording(move, seed, uneven, jolts))
        try:
            found = identify_payload(data, OPTIONS).estimate
        except InputError as error:
            print(f"refused: {error}", file=sys.stderr)
            refused += 1
            continue
        assert found.covariance is not None
        std = np.sqrt(np.diag(found.covariance))
        errors.append(np.abs(found.parameters - true_parameters()) / std)
        used.append(found.used.mean())
        left_out += not found.used.all()
    worst = np.max(errors, axis=0, initial=0.0) if errors else np.full(10, np.nan)
    groups = " / ".join(f"{one.max():.1f}" for one in np.split(worst, [1, 4]))
    kind = "constant accelerations" if jolts else "quintic"
    steps = "1 to 24 ms" if uneven else "10 ms"
    share = 100 * float(np.mean(used)) if used else 0.0
    return f"| {kind}, {move:g} s | {steps} | {left_out} | {refused} | {share:.0f} % | {groups} |"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=12)
    draws = parser.parse_args().draws
    print("| move | steps | records left out in | refused | used | mass / centre / inertia |")
    print("|---|---|---|---|---|---|")
    for case in CASES:
        print(row(*case, draws), flush=True)


if __name__ == "__main__":
    main()
