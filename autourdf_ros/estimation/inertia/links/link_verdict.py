"""Whether masses from efforts may be trusted, and why not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.link_identification import (
    LinkIdentification,
    LinkShapes,
)
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.model.layers.layer import Verdict

Array = NDArray[np.float64]


def explained_shares(found: LinkIdentification) -> Array:
    """Return the share (H,) of the variance of each joint's effort that the links explain."""
    errors = found.problem.efforts - found.predicted
    own = np.maximum(np.var(found.problem.efforts, axis=0), np.finfo(float).tiny)
    return np.asarray(1.0 - np.mean(errors**2, axis=0) / own)


def mean_density(found: LinkIdentification, shapes: LinkShapes) -> float | None:
    """Return the mean density of the moving links (kg/m³); None where shapes have no volume."""
    volumes = [shapes.volumes.get(name, 0.0) for name in found.model.links]
    if not sum(volumes):
        return None
    weighed = np.array(volumes) > 0
    return float(found.link_parameters[weighed, 0].sum() / sum(volumes))


def link_verdict(
    found: LinkIdentification, shapes: LinkShapes, options: LinkOptions, source: str
) -> Verdict:
    """Return the verdict of masses and friction.

    Args:
        found: The estimate.
        shapes: What was known before.
        options: Bounds.
        source: The recording, for messages.

    Raises:
        InputError: the efforts are those of no robot of this shape.
    """
    shares, heard = explained_shares(found), found.heard
    if (shares < options.explained).all():
        listed = ", ".join(f"{name} {share:.0%}" for name, share in zip(heard, shares, strict=True))
        raise InputError(
            f"{source}: efforts do not follow from the motion of this robot (explained: {listed}); "
            "accepted are efforts of these joints in N m or N, with the joints' signs"
        )
    density = mean_density(found, shapes)
    if density is not None and not options.densest[1] < density < options.densest[0]:
        raise InputError(
            f"{source}: by these efforts the links would have {density:.3g} kg/m³; accepted are "
            f"efforts in N m or N that make {options.densest[1]:g} to {options.densest[0]:g} kg/m³ "
            "(is the unit, the gear ratio or the scale of the meshes another one?)"
        )
    reasons = [
        *(
            f"efforts of {name}: masses and friction explain {max(share, 0.0):.0%} of them (sign, "
            "unit or gear ratio?)"
            for name, share in zip(heard, shares, strict=True)
            if share < options.explained
        ),
        *_unpredicted(found, options),
        *_untold(found, options),
    ]
    return Verdict("doubtful" if reasons else "trusted", tuple(reasons))


def _unpredicted(found: LinkIdentification, options: LinkOptions) -> list[str]:
    ratios = found.held_out_error / found.judged_noise.std
    return [
        f"efforts of {name} that were held out are predicted to {ratio:.1f} times their noise"
        for name, ratio in zip(found.heard, ratios, strict=True)
        if ratio > options.predicted
    ]


def _untold(found: LinkIdentification, options: LinkOptions) -> list[str]:
    told = found.identifiability.determined_share
    if told >= options.enough:
        return []
    return [
        f"the motion told {told:.0%} of what efforts can tell of masses and friction; the rest "
        "comes from shapes and one density"
    ]
