"""The figures of one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from autourdf_ros.assessment.metrics.evaluation import Evaluation


@dataclass(frozen=True)
class Row:
    """What was measured of one robot. Lengths in mm, angles in degrees.

    method: what reconstructed it. sequences, frames, points: of the recording, points as the mean
    of its frames. evaluation: against the truth. registration: CD of the model; tracking: of
    AutoURDF's clusters, None by our engine; silhouettes: mean one by number of links, likewise.
    reposed, floor: CD_r and what two samplings of the true robot differ by. rand_index, right_link:
    of the reference frame's points. scores: the errors over their standard deviations, four a joint
    found; value_scores: those of the joint values in all adjusted frames, by joint found, none
    without the true robot; chi_squares: by joint found, with their degrees of freedom. engine:
    seconds from the recording in memory to the model, engine_cpu: the processor's; whole: with
    reading it and writing the result; stages: by stage. memory: peak, MiB.
    A figure that needs the true meshes is None for a truth without them.
    """

    name: str
    method: str
    sequences: int
    evaluation: Evaluation
    verdict: str
    frames: int
    points: float
    registration: float
    tracking: float | None
    silhouettes: Mapping[int, float]
    reposed: float | None
    floor: float | None
    rand_index: float | None
    right_link: float | None
    scores: list[list[float | None]]
    value_scores: list[list[float]]
    chi_squares: list[tuple[float, int]]
    engine: float
    engine_cpu: float
    whole: float
    stages: Mapping[str, float]
    memory: float

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)
