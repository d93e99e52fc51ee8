"""The figures of one case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from autourdf_ros.assessment.metrics.evaluation import Evaluation


@dataclass(frozen=True)
class Row:
    """The figures of one case. Lengths in mm, angles in degrees.

    A figure that needs the true meshes is None for a truth without them.

    Attributes:
        name: Name of the case.
        method: What reconstructed it.
        sequences: Of the recording.
        evaluation: Against the truth.
        verdict: Of the result.
        warnings: Of the result: why it is not trusted.
        frames: Of the recording.
        points: Of the recording, mean over its frames.
        registration: CD of the model.
        tracking: CD of AutoURDF's clusters; None for our engine.
        silhouettes: Mean silhouette by number of links, of AutoURDF's method.
        reposed: CD_r.
        floor: CD_r between two samplings of the true robot.
        rand_index: Of the reference frame's points.
        right_link: Share of the reference frame's points on the right link.
        scores: Errors over their standard deviations, four for each joint found.
        value_scores: The same of the joint values in all adjusted frames, by joint found; empty
            without the true robot.
        chi_squares: With their degrees of freedom, by joint found.
        engine: Seconds from the recording in memory to the model.
        engine_cpu: The processor's seconds of the same.
        whole: Seconds, with reading the recording and writing the result.
        stages: Seconds by stage.
        memory: Peak resident memory, MiB.
    """

    name: str
    method: str
    sequences: int
    evaluation: Evaluation
    verdict: str
    warnings: Sequence[str]
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
        """Return the row as JSON values."""
        return asdict(self)
