"""Kinematics by the symmetry of joints: contact graph, pair joints, tree, base, consensus."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from autourdf_ros.data.parts.part_assembly import PartAssembly
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import Contact, EdgeJoint
from autourdf_ros.estimation.parts.contact.congruence import CongruentGroup, congruent_groups
from autourdf_ros.estimation.parts.contact.contact_options import ContactOptions
from autourdf_ros.estimation.parts.contact.contact_region import ContactRegion, contact_region
from autourdf_ros.estimation.parts.contact.prepared_part import PreparedPart
from autourdf_ros.estimation.parts.result.found_kinematics import FoundKinematics, guessed_joint
from autourdf_ros.estimation.parts.structure.closed_chains import closed_chains
from autourdf_ros.estimation.parts.structure.edge_weights import edge_weights
from autourdf_ros.estimation.parts.structure.near_pairs import near_pairs
from autourdf_ros.estimation.parts.structure.structure_options import StructureOptions
from autourdf_ros.estimation.parts.structure.tree_choice import Structure, choose_structure
from autourdf_ros.estimation.parts.symmetry.consensus import agree
from autourdf_ros.estimation.parts.symmetry.pair_joint import PairJoint, pair_joints
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.stopwatch import Stopwatch

Pair = tuple[int, int]


def find_by_symmetry(
    assembly: PartAssembly,
    parts: Sequence[PreparedPart],
    options: AssemblyOptions,
    watch: Stopwatch,
    progress: Progress = silent,
) -> FoundKinematics:
    """Find tree and joints: of all pairs near each other, those whose joints fit best.

    Args:
        assembly: The parts.
        parts: The same, prepared.
        options: Choices of the user.
        watch: Takes the seconds of the stages.
        progress: Is called with stage and fraction, and may raise to cancel.
    """
    structure = StructureOptions()
    contact = ContactOptions(seed=options.seed)
    symmetry = SymmetryOptions(seed=options.seed, contact=contact)
    with watch.stage("contact graph"):
        progress("finding contacts", 0.0)
        regions = contact_graph(parts, contact, structure)
        groups = congruent_groups(parts, contact)
    with watch.stage("pair joints"):
        triples = [(*pair, region) for pair, region in regions.items()]
        report = part(progress, 0.1, 0.9)
        joints = pair_joints(parts, triples, assembly.size, symmetry, report)
    with watch.stage("tree"):
        progress("choosing the tree", 0.9)
        names = [one.name for one in assembly.parts]
        root = None if options.root is None else names.index(options.root)
        chosen = choose_structure(parts, joints, groups, root, structure)
        alone = replace(structure.edges, spread=0.0)
        apart = edge_weights(joints, parts, range(len(parts)), alone)
        rings = closed_chains(len(parts), chosen.tree.edges, apart, structure.loop)
    with watch.stage("consensus"):
        progress("agreeing on the joints", 0.95)
        edges = _agreed(assembly, parts, chosen, joints, groups, symmetry)
    return FoundKinematics(
        contacts=tuple(_contact(joint) for joint in joints.values()),
        clusters=tuple(group.members for group in groups),
        tree=chosen.tree,
        runner_up=chosen.runner_up,
        joints=tuple(_with_probability(edge, chosen) for edge in edges),
        base_probability=chosen.base_probability,
        rings=tuple(ring.parts for ring in rings),
    )


def contact_graph(
    parts: Sequence[PreparedPart], contact: ContactOptions, structure: StructureOptions
) -> dict[Pair, ContactRegion]:
    """Return where parts are near each other, by pair, the smaller number first."""
    pairs = near_pairs(parts, structure)
    regions = on_all_cores(
        lambda pair: contact_region(parts[pair[0]], parts[pair[1]], contact), pairs
    )
    return dict(zip(pairs, regions, strict=True))


def _agreed(
    assembly: PartAssembly,
    parts: Sequence[PreparedPart],
    chosen: Structure,
    joints: Mapping[Pair, PairJoint],
    groups: Sequence[CongruentGroup],
    symmetry: SymmetryOptions,
) -> tuple[EdgeJoint, ...]:
    """The joint of every edge of the tree; a guess where nothing was found, or parts are apart."""
    guesses = {
        edge: reason
        for edge in chosen.tree.edges
        if (reason := _no_joint(assembly, joints[min(edge), max(edge)]))
    }
    sure = [edge for edge in chosen.tree.edges if edge not in guesses]
    found = iter(agree(sure, joints, groups, parts, symmetry))
    return tuple(
        guessed_joint(assembly, *edge, guesses[edge]) if edge in guesses else next(found)
        for edge in chosen.tree.edges
    )


def _with_probability(edge: EdgeJoint, chosen: Structure) -> EdgeJoint:
    if edge.best.type == "fixed":
        return edge
    pair = min(edge.parent, edge.child), max(edge.parent, edge.child)
    return replace(edge, edge_probability=chosen.probabilities[pair])


def _no_joint(assembly: PartAssembly, joint: PairJoint) -> str:
    """Why nothing is known of the joint between two parts; empty where something is."""
    first, second = assembly.parts[joint.first].name, assembly.parts[joint.second].name
    share = joint.contact.distance / assembly.size
    if share > ContactOptions().far:
        return (
            f"parts {first} and {second} are {joint.contact.distance:.3g} m apart, "
            f"{100 * share:.0f} % of the assembly: a fixed joint between them is a guess"
        )
    if not joint.candidates:
        return f"no joint was found between {first} and {second}: the fixed one is a guess"
    return ""


def _contact(joint: PairJoint) -> Contact:
    return Contact(
        (joint.first, joint.second),
        joint.contact.distance,
        joint.contact.strength,
        joint.contact.centre,
        joint.quality,
    )
