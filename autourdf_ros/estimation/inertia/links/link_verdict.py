"""Whether masses from efforts may be trusted, and why not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.inertia.links.effort_problem import unconstrained_noise
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
    _check_signs(found, shares, options, source)
    if (shares < options.explained).all():
        listed = ", ".join(f"{name} {share:.0%}" for name, share in zip(heard, shares, strict=True))
        raise InputError(
            f"{source}: efforts do not follow from the motion of this robot (explained: {listed}); "
            "accepted are efforts of these joints in N m or N, with the joints' signs"
        )
    density = mean_density(found, shapes)
    low, high = options.possible
    if density is not None and not low < density < high:
        raise InputError(
            f"{source}: by these efforts the links would have {density:.3g} kg/m³; accepted are "
            f"efforts in N m or N that make {low:g} to {high:g} kg/m³ (is the unit, the gear ratio "
            "or the scale of the meshes another one?)"
        )
    reasons = [
        *(
            f"efforts of {name}: masses and friction explain {max(share, 0.0):.0%} of them (sign, "
            "unit or gear ratio?)"
            for name, share in zip(heard, shares, strict=True)
            if share < options.explained
        ),
        *_implausible(density, options),
        *late_reasons(found, options),
        *_unpredicted(found, options),
        *_untold(found, options),
    ]
    return Verdict("doubtful" if reasons else "trusted", tuple(reasons))


def _check_signs(
    found: LinkIdentification, shares: Array, options: LinkOptions, source: str
) -> None:
    """Refuse efforts that follow from the motion by no bodies, but by negative masses or friction.

    One such joint may have the other sign or another gear ratio; from half of them on, no link can
    be trusted.
    """
    free = unconstrained_noise(found.problem).std
    spread = np.maximum(np.std(found.problem.efforts, axis=0), np.finfo(float).tiny)
    against = (shares < options.explained) & (1.0 - (free / spread) ** 2 > options.explained)
    if against.sum() < max(2.0, len(shares) / 2):
        return
    names = ", ".join(name for name, one in zip(found.heard, against, strict=True) if one)
    raise InputError(
        f"{source}: efforts of {names} follow from the motion by negative masses or friction only; "
        "accepted are efforts of these joints in N m or N, with the joints' signs (are they "
        "negated, as those that the load exerts on the joints?)"
    )


def _implausible(density: float | None, options: LinkOptions) -> list[str]:
    low, high = options.plausible
    if density is None or low < density < high:
        return []
    return [
        f"the links would have {density:.3g} kg/m³ on average; robots have {low:g} to {high:g} "
        "(unit of the efforts, gear ratio, scale of the meshes?)"
    ]


def late_reasons(found: LinkIdentification, options: LinkOptions) -> list[str]:
    """Return the reason for doubt where efforts come late or early; empty where they do not."""
    delay, std = effort_delay(found)
    interval = 1.0 / found.motion.rate
    if abs(delay) < max(options.late * std, interval / 2):
        return []
    side, most = "after" if delay > 0 else "before", _longest_delay(found)
    if abs(delay) > most:
        return [
            f"efforts come more than {most * 1e3:.0f} ms {side} the positions, or do not follow "
            "from them: masses and friction are those of no robot"
        ]
    return [
        f"efforts come about {abs(delay) * 1e3:.0f} ± {std * 1e3:.1g} ms {side} the positions: "
        "masses and friction are off by it"
    ]


def _longest_delay(found: LinkIdentification) -> float:
    """Return the delay (s) up to which its first order holds: one radian of the efforts."""
    predicted = found.problem.regressor @ found.posterior.parameters
    weights = 1.0 / (found.noise.std**2 * found.noise.repeats)
    rates = np.gradient(predicted, found.problem.times, axis=0)
    return float(np.sqrt((weights * predicted.var(0)).sum() / (weights * (rates**2).mean(0)).sum()))


def effort_delay(found: LinkIdentification) -> tuple[float, float]:
    """Return by how much efforts come after the positions (s), to first order, and its std.

    One more column beside those of the parameters: the change of the predicted efforts over time.
    """
    problem, posterior = found.problem, found.posterior
    predicted = problem.regressor @ posterior.parameters
    change = -np.gradient(predicted, problem.times, axis=0)
    change[np.concatenate([problem.starts, problem.starts[1:] - 1])] = 0.0
    weights = 1.0 / (found.noise.std**2 * found.noise.repeats)
    shared = np.einsum("njp,nj->p", problem.regressor, weights * change)
    alone = float((weights * change**2).sum() - shared @ posterior.covariance @ shared)
    alone = max(alone, 1e-12 * float((weights * change**2).sum()) + np.finfo(float).tiny)
    delay = float((weights * change * (problem.efforts - predicted)).sum()) / alone
    return delay, float(alone**-0.5)


def _unpredicted(found: LinkIdentification, options: LinkOptions) -> list[str]:
    ratios = found.held_out_error / found.judged_noise.std
    return [
        f"efforts of {name} that were held out are predicted to {ratio:.1f} times their noise"
        for name, ratio in zip(found.heard, ratios, strict=True)
        if ratio > options.predicted
    ]


def _untold(found: LinkIdentification, options: LinkOptions) -> list[str]:
    ratios = zip(found.model.joints, found.identifiability.effort_ratios, strict=True)
    return [
        f"the motion shows nothing of the efforts of {name}"
        if ratio > 1
        else f"the motion shows little of the efforts of {name}: all over its range they are known "
        f"to {ratio:.0%} of their size"
        for name, ratio in ratios
        if ratio > options.enough
    ]
