"""What the writers of a result folder need of an estimate, whichever estimator made it.

Each workflow builds it from its estimator's trace. Writers, report and viewer know no estimator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.model.joint_grading import Judgement
from autourdf_ros.model.layers.kinematics import BaseKind
from autourdf_ros.model.layers.layer import Trust
from autourdf_ros.model.self_model import SelfModel

LimitSource = Literal["observed", "collision-free"]
"""Where limits come from that nobody gave: the range seen, or what no collision stops."""


@dataclass(frozen=True)
class Shown:
    """What a figure is drawn of.

    Attributes:
        model: Under the names to show.
        judgements: By joint name.
    """

    model: SelfModel
    judgements: Mapping[str, Judgement]


Draw = Callable[[Shown, Path], None]
"""Draws a figure as SVG into a file."""


@dataclass(frozen=True)
class Account:
    """An estimate as a result folder accounts for it; all names are those of the URDF.

    Values may be arrays, dataclasses and infinite numbers: the writer turns them into JSON values.

    Attributes:
        verdict: Sums the warnings up.
        warnings: Sentences for the user, each a reason for doubt.
        notes: Sentences for the user that are no doubt.
        base: How the root link moves.
        recorded: (F, J) joint values (rad or m) in the frames that the model explains.
        links: Figures of every link, in the model's order: keys of an entry of `links`.
        joints: Evidence of every joint beside its estimate, likewise of `joints`.
        sections: The estimator's own entries of the document; documented keys that it does not
            name are empty or null there.
        limits: Where limits come from that are not given.
        options: Of the user.
        timings: Seconds of every stage.
        input: Entries of `input`: where the data come from, their digest and size.
        fixed_frame: Name of the frame that the data are in.
        figures: The estimator's own, by name.
    """

    verdict: Trust
    warnings: tuple[str, ...]
    notes: tuple[str, ...]
    base: BaseKind
    recorded: NDArray[np.float64]
    links: tuple[Mapping[str, Any], ...]
    joints: tuple[Mapping[str, Any], ...]
    sections: Mapping[str, Any]
    limits: LimitSource
    options: Mapping[str, Any]
    timings: Mapping[str, float]
    input: Mapping[str, Any]
    fixed_frame: str
    figures: Mapping[str, Draw] = field(default_factory=dict)

    @property
    def observed_ranges(self) -> NDArray[np.float64]:
        """(J, 2) smallest and largest recorded value of each joint, NaN where there is none."""
        if not len(self.recorded):
            return np.full((self.recorded.shape[1], 2), np.nan)
        return np.column_stack([self.recorded.min(0), self.recorded.max(0)])
