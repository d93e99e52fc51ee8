"""The account of an assembly of parts: contacts, trees, and each joint's alternatives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import trimesh

from autourdf_ros.data.parts.assembly_digest import assembly_digest
from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_trace import (
    AssemblyTrace,
    EdgeJoint,
    JointCandidate,
    RankedTree,
)
from autourdf_ros.model.names import legal_names
from autourdf_ros.model.result_files import ASSEMBLY
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.report.account import Account, Draw
from autourdf_ros.report.assembly.contact_graph_figure import draw_contact_graph
from autourdf_ros.report.assembly.solid_figure import Solids
from autourdf_ros.report.figures.parts_figure import draw_parts

FIXED_FRAME = "assembly"
"""The frame that the parts are given in."""


def assembly_account(
    trace: AssemblyTrace,
    model: SelfModel,
    shown: tuple[trimesh.Trimesh, ...],
    links: Mapping[str, str],
    joints: Mapping[str, str],
) -> Account:
    """Return the account of a parts result.

    Args:
        trace: How the model came about.
        model: What was found, its links named after the parts.
        shown: Meshes of the model's links, in the base frame with every joint at zero.
        links: Names to write, by those of the model.
        joints: Likewise.
    """
    own = part_links(trace.assembly, model)
    by_child = {own[edge.child]: edge for edge in trace.joints}
    edges = [by_child[joint.child] for joint in model.joints]
    names = tuple(links[name] for name in own)
    named = dict(zip(model.tree.joint_names, edges, strict=True))
    return Account(
        verdict=trace.verdict,
        warnings=trace.warnings,
        notes=_notes(trace),
        base="fixed",
        recorded=np.empty((0, len(model.joints))),
        links=tuple({} for _ in model.links),
        joints=tuple(_confidence(edge) for edge in edges),
        sections={
            ASSEMBLY: assembly_section(trace, names, {joints[j]: e for j, e in named.items()})
        },
        limits="collision-free",
        options={**asdict(trace.options), "reading": asdict(trace.assembly.reading)},
        timings=trace.timings,
        input={
            "source": None if trace.assembly.source is None else str(trace.assembly.source),
            "sha256": assembly_digest(trace.assembly),
            "sequences": 0,
            "frames": 0,
            "cameras": [],
            "parts": len(trace.assembly.parts),
        },
        fixed_frame=FIXED_FRAME,
        figures=_figures(trace, names, shown),
    )


def part_links(assembly: PartAssembly, model: SelfModel) -> tuple[str, ...]:
    """Return the model's link of every part: it has the part's name, or that made legal."""
    legal = legal_names(part.name for part in assembly.parts)
    known = set(model.tree.links)
    return tuple(part.name if part.name in known else legal[part.name] for part in assembly.parts)


def assembly_section(
    trace: AssemblyTrace, names: tuple[str, ...], joints: Mapping[str, EdgeJoint]
) -> dict[str, Any]:
    """Return the entry `assembly` of the document.

    Args:
        trace: How the model came about.
        names: Of the links, by the parts' numbers.
        joints: By name.
    """

    def tree(ranked: RankedTree | None) -> dict[str, Any] | None:
        return None if ranked is None else _tree(ranked, names)

    return {
        "parts": [
            {"link": names[number], "name": part.name, "triangles": len(part.triangles)}
            for number, part in enumerate(trace.assembly.parts)
        ],
        "set_aside": [asdict(one) for one in trace.assembly.set_aside],
        "contacts": [
            {
                "links": [names[number] for number in contact.parts],
                "distance": contact.distance,
                "strength": contact.strength,
                "centre": contact.centre,
                "quality": contact.quality,
            }
            for contact in trace.contacts
        ],
        "clusters": [[names[number] for number in cluster] for cluster in trace.clusters],
        "tree": tree(trace.tree),
        "runner_up": tree(trace.runner_up),
        "joints": [
            {
                "joint": name,
                "parent": names[edge.parent],
                "child": names[edge.child],
                "edge_probability": edge.edge_probability,
                "ambiguous": edge.ambiguous,
                "reason": edge.reason,
                "warnings": list(edge.warnings),
                "alternatives": [_alternative(one) for one in edge.alternatives],
            }
            for name, edge in joints.items()
        ],
    }


def _tree(ranked: RankedTree, names: tuple[str, ...]) -> dict[str, Any]:
    return {
        "root": names[ranked.root],
        "edges": [[names[parent], names[child]] for parent, child in ranked.edges],
        "score": ranked.score,
        "terms": dict(ranked.terms),
    }


def _alternative(one: JointCandidate) -> dict[str, Any]:
    return {
        "type": one.type,
        "axis": one.axis,
        "point": one.point,
        "lower": one.lower,
        "upper": one.upper,
        "score": one.score,
        "probability": one.probability,
        "features": dict(one.features),
        "source": one.source,
    }


def _confidence(edge: EdgeJoint) -> dict[str, float]:
    """That parent, axis and type are right, of what is known of these."""
    known = [edge.edge_probability, edge.best.probability]
    known = [value for value in known if np.isfinite(value)]
    return {"confidence": float(np.prod(known))} if known else {}


def _notes(trace: AssemblyTrace) -> tuple[str, ...]:
    """Those of the trace and of the reading, each once."""
    return tuple(dict.fromkeys([*trace.notes, *trace.assembly.notes]))


def _figures(
    trace: AssemblyTrace, names: tuple[str, ...], shown: tuple[trimesh.Trimesh, ...]
) -> dict[str, Draw]:
    solids = Solids.of(shown)
    others = [one for edge in trace.joints if edge.ambiguous for one in edge.alternatives[1:]]
    return {
        "parts": lambda page, path: draw_parts(
            solids, page.model, page.judgements, path, others=others
        ),
        "contact_graph": lambda page, path: draw_contact_graph(
            trace, names, page.model.tree.links, path
        ),
    }
