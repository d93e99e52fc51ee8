"""What every estimator takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, Protocol, TypeVar

from autourdf_ros.model.layers.layer import Provenance
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.progress import Progress

Data = TypeVar("Data", contravariant=True)
Options = TypeVar("Options", contravariant=True)
Trace = TypeVar("Trace", covariant=True)


@dataclass(frozen=True)
class Estimate(Generic[Trace]):
    """What an estimator found.

    Attributes:
        model: The model that it was given, with the layers that it found added or renewed.
        trace: How it got there, for report and comparison: each estimator has its own.
        warnings: Sentences for the user, each a reason for doubt.
    """

    model: SelfModel
    trace: Trace
    warnings: tuple[str, ...] = ()


class Estimator(Protocol[Data, Options, Trace]):
    """A function that finds a layer of the model, or several, from data."""

    def __call__(
        self, data: Data, model: SelfModel | None, options: Options, progress: Progress
    ) -> Estimate[Trace]:
        """Estimate from data.

        Args:
            data: What was sensed.
            model: What is known before; None where the estimator needs none.
            options: Choices of the user.
            progress: Is called with stage and fraction, and may raise to cancel.

        Raises:
            InputError: the data or the model cannot be used.
        """
        ...


def provenance(method: str, data_digest: str) -> Provenance:
    """Return the origin of a layer that is estimated now."""
    return Provenance(method, data_digest, datetime.now(UTC).isoformat(timespec="seconds"))
