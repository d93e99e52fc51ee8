"""What reconstruction.json says of masses and friction from efforts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from autourdf_ros.data.efforts.effort_recording import EffortRecording
from autourdf_ros.estimation.inertia.links.information.informative_motion import Swing
from autourdf_ros.estimation.inertia.links.link_identification import LinkIdentification
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.link_verdict import explained_shares
from autourdf_ros.estimation.inertia.links.torque_model import RESISTANCES
from autourdf_ros.model.layers.layer import Verdict


@dataclass(frozen=True)
class IdentifiedRobot:
    """Masses and friction of a robot, judged.

    Attributes:
        found: The estimate.
        verdict: Of both layers.
        swings: Motions that would show more, the best first.
        warnings: Sentences for the user that are no doubt about the layers.
    """

    found: LinkIdentification
    verdict: Verdict
    swings: tuple[Swing, ...]
    warnings: tuple[str, ...]


def effort_section(
    identified: IdentifiedRobot, recording: EffortRecording, options: LinkOptions
) -> dict[str, Any]:
    """Return the account of masses and friction for the document."""
    found = identified.found
    report = found.identifiability
    parameters = [
        {"name": name, "ratio": ratio, "best_ratio": best, "source": source}
        for name, ratio, best, source in zip(
            report.names,
            report.ratios.tolist(),
            report.limits.tolist(),
            report.sources,
            strict=True,
        )
    ]
    base = [
        {"name": name, "value": value, "std": std, "ratio": ratio}
        for name, value, std, ratio in zip(
            report.base_names,
            report.base_values.tolist(),
            report.base_std.tolist(),
            report.base_ratios.tolist(),
            strict=True,
        )
    ]
    return {
        "source": recording.source,
        "records": len(recording.times),
        "rate": recording.rate,
        "cutoff": found.motion.cutoff,
        "determined_share": report.determined_share,
        "effort_ratios": dict(zip(found.model.joints, report.effort_ratios.tolist(), strict=True)),
        "joints": _joint_entries(found),
        "links": _link_entries(found),
        "parameters": parameters,
        "base_parameters": base,
        "motions": [asdict(swing) for swing in identified.swings],
        "warnings": list(identified.warnings),
        "options": asdict(options),
    }


def _joint_entries(found: LinkIdentification) -> list[Mapping[str, Any]]:
    values, stds = found.resistances
    rows = zip(
        found.heard,
        np.sqrt(np.mean(found.problem.efforts**2, axis=0)).tolist(),
        found.noise.std.tolist(),
        found.noise.repeats.tolist(),
        (found.held_out_error / found.judged_noise.std).tolist(),
        explained_shares(found).tolist(),
        found.problem.heard.tolist(),
        strict=True,
    )
    return [
        {
            "name": name,
            "effort": effort,
            "noise": noise,
            "correlation": repeats,
            "held_out": ratio,
            "explained": explained,
            "offset": values[number, RESISTANCES.index("offset")],
            "offset_std": stds[number, RESISTANCES.index("offset")],
        }
        for name, effort, noise, repeats, ratio, explained, number in rows
    ]


def _link_entries(found: LinkIdentification) -> list[Mapping[str, Any]]:
    """Per link: what came from where, of its mass, centre of mass and inertia."""
    report = found.identifiability
    entries: list[Mapping[str, Any]] = []
    for number, name in enumerate(found.model.links):
        own = slice(10 * number, 10 * number + 10)
        sources = report.sources[own]
        entries.append(
            {
                "name": name,
                "mass": sources[0],
                "centre": list(sources[1:4]),
                "inertia": list(sources[4:]),
                "mass_ratio": report.ratios[own][0],
                "best_mass_ratio": report.limits[own][0],
                "freed": found.posterior.freed[number],
            }
        )
    return entries
