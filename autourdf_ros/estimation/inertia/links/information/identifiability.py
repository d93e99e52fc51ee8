"""Which parameters the data determined, which came from the prior, and which no motion shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.estimation.inertia.links.information.base_parameters import (
    BaseParameters,
    random_states,
)
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.link_posterior import LinkPosterior
from autourdf_ros.estimation.inertia.links.torque_model import TorqueModel

Array = NDArray[np.float64]

Source = Literal["data", "both", "prior"]


@dataclass(frozen=True)
class Identifiability:
    """How much the data said of p parameters and b base parameters.

    Attributes:
        names: (p,).
        ratios: (p,) standard deviation by data and prior over that by the prior alone.
        limits: (p,) the same with data without end: what the best motion could reach.
        sources: (p,).
        base_names: (b,).
        base_values: (b,).
        base_std: (b,).
        base_ratios: (b,).
        effort_ratios: (J,) standard deviation of predicted efforts all over the joints' ranges,
            over their rms.
    """

    names: tuple[str, ...]
    ratios: Array
    limits: Array
    sources: tuple[Source, ...]
    base_names: tuple[str, ...]
    base_values: Array
    base_std: Array
    base_ratios: Array
    effort_ratios: Array

    @property
    def determined_share(self) -> float:
        """Share of the base parameters whose prior the data narrowed, weighing each by how much."""
        return float(np.mean(1.0 - np.minimum(self.base_ratios, 1.0) ** 2))


def identifiability(
    posterior: LinkPosterior, base: BaseParameters, model: TorqueModel, options: LinkOptions
) -> Identifiability:
    """Compare what is known with the data to what the prior said.

    Args:
        posterior: Of the parameters.
        base: Base parameters of the robot.
        model: The robot.
        options: Bounds of the words.
    """
    prior = _std(posterior.prior_covariance)
    ratios = _std(posterior.covariance) / prior
    limits = _std(base.unreachable(posterior.prior_covariance)) / prior
    spread = base.grouping @ posterior.covariance @ base.grouping.T
    before = base.grouping @ posterior.prior_covariance @ base.grouping.T
    return Identifiability(
        model.names,
        ratios,
        np.minimum(limits, ratios),
        tuple(_source(ratio, options) for ratio in ratios),
        base.names,
        base.grouping @ posterior.parameters,
        _std(spread),
        _std(spread) / _std(before),
        _effort_ratios(posterior, model),
    )


def _effort_ratios(posterior: LinkPosterior, model: TorqueModel) -> Array:
    rows = model.regressor(random_states(model, seed=0))
    efforts = rows @ posterior.parameters
    variances = np.einsum("njp,pq,njq->j", rows, posterior.covariance, rows, optimize=True)
    size = np.maximum((efforts**2).sum(0), np.finfo(float).tiny)
    return np.asarray(np.sqrt(np.maximum(variances, 0.0) / size))


def _std(covariance: Array) -> Array:
    return np.asarray(np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny)))


def _source(ratio: float, options: LinkOptions) -> Source:
    if ratio <= options.determined:
        return "data"
    return "prior" if ratio >= options.from_prior else "both"
