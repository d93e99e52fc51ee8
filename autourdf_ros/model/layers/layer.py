"""What every layer of a model has: where it came from, whether to trust it, what it rests on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, Literal, Self

import numpy as np

Trust = Literal["trusted", "doubtful", "failed"]
TRUST: tuple[Trust, ...] = ("trusted", "doubtful", "failed")

LayerName = Literal["kinematics", "shape", "appearance", "inertia", "dynamics"]
LAYERS: tuple[LayerName, ...] = ("kinematics", "shape", "appearance", "inertia", "dynamics")


@dataclass(frozen=True)
class Provenance:
    """Where a layer came from.

    Attributes:
        method: Name of the estimator and of its method, such as "motion/engine".
        data_digest: SHA-256 of the data that it was estimated from, empty where unknown.
        created: When, ISO 8601 in UTC, empty where unknown.
    """

    method: str
    data_digest: str = ""
    created: str = ""


UNKNOWN_ORIGIN = Provenance("unknown")


@dataclass(frozen=True)
class Verdict:
    """Whether a layer may be trusted, and in a sentence each what speaks against it."""

    trust: Trust = "trusted"
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Layer:
    """What all layers share.

    Attributes:
        rests_on: Digests of the layers that it was estimated with, by name. Where the model has
            another digest of one by now, the layer is stale.
    """

    provenance: Provenance = UNKNOWN_ORIGIN
    verdict: Verdict = Verdict()
    rests_on: Mapping[LayerName, str] = field(default_factory=dict)

    def stamped(self, provenance: Provenance, verdict: Verdict) -> Self:
        """Return the layer with this origin and verdict."""
        return replace(self, provenance=provenance, verdict=verdict)

    @property
    def values(self) -> dict[str, Any]:
        """What the layer states, as JSON values: `links` or `joints`, by name."""
        kept = {item.name for item in fields(self)} - {item.name for item in fields(Layer)}
        return {name: plain_values(getattr(self, name)) for name in sorted(kept)}

    @property
    def content(self) -> Any:
        """What the layer's digest covers: by default its values."""
        return self.values

    def renamed(self, links: Mapping[str, str], joints: Mapping[str, str]) -> Self:
        """Return the layer with other names of links and joints, given by today's."""
        changes: dict[str, Any] = {
            key: {names.get(name, name): value for name, value in getattr(self, key).items()}
            for key, names in (("links", links), ("joints", joints))
            if hasattr(self, key)
        }
        return replace(self, **changes)


def digest_of(values: Any) -> str:
    """Return the SHA-256 of values as JSON, by which a layer is recognised: see `plain_values`."""
    text = json.dumps(plain_values(values), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def plain_values(value: Any) -> Any:
    """Return JSON values: arrays as lists, objects by field, infinite or NaN as None."""
    if is_dataclass(value):
        return {item.name: plain_values(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain_values(value.tolist())
    if isinstance(value, np.generic):
        return plain_values(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
