"""A cabinet with a drawer and a lid, as the estimator of parts would hand it over."""

import numpy as np
import trimesh
from made_once import copy_of

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly, SetAside
from autourdf_ros.estimation.common.estimator import Estimate
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
from autourdf_ros.estimation.parts.assembly_trace import (
    AssemblyTrace,
    Contact,
    EdgeJoint,
    JointCandidate,
    RankedTree,
)
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel

BODY, DRAWER, LID, KNOB = range(4)


def box(size, centre):
    return trimesh.creation.box(size, transform=trimesh.transformations.translation_matrix(centre))


def hollow(size, centre, wall, open_side):
    """A box with walls, open on one side: five plates that overlap nowhere but touch, joined."""
    outer = box(size, centre)
    inner_size, inner_centre = np.array(size) - 2 * wall, np.array(centre, float)
    axis, sign = open_side
    inner_size[axis] += wall
    inner_centre[axis] += sign * wall / 2
    inner_size[axis] += 1e-6
    inner_centre[axis] += sign * 5e-7
    return trimesh.boolean.difference([outer, box(inner_size, inner_centre)], engine="manifold")


def cabinet_parts():
    body = hollow((0.4, 0.5, 0.4), (0, 0, 0.2), 0.02, (0, 1))
    drawer = hollow((0.36, 0.45, 0.2), (0.021, 0, 0.125), 0.01, (2, 1))
    lid = box((0.4, 0.5, 0.02), (0, 0, 0.411))
    knob = trimesh.creation.cylinder(0.02, 0.03, sections=32)
    knob.apply_translation((-0.1, 0.1, 0.436))
    knob = knob.slice_plane((0, 0, 0.4215), (0, 0, 1))  # open below
    meshes = {"cabinet body": body, "drawer": drawer, "lid": lid, "knob": knob}
    return tuple(
        Part(name, np.array(mesh.vertices), np.array(mesh.faces)) for name, mesh in meshes.items()
    )


def cabinet(source=None):
    """The parts, one of them open, and one that is set aside."""
    return PartAssembly(
        "cabinet",
        cabinet_parts(),
        (SetAside("label", "has 2 vertices; accepted are 4 or more"),),
        source,
        ("lengths were recognised as millimetres",),
    )


def _candidate(kind, axis, point, score, probability, limits=(np.nan, np.nan), **found):
    return JointCandidate(
        kind,
        np.array(axis, float),
        np.array(point, float),
        score,
        probability,
        *limits,
        features=found,
        source="slippage",
    )


def cabinet_joints():
    opened, found = (0.0, np.pi), {"symmetry": 0.31, "gap": 0.95, "collision": 0.0}
    hinges = (
        ((0, 1, 0), (-0.2, 0, 0.401), 1.24, 0.46),
        ((0, -1, 0), (0.2, 0, 0.401), 1.22, 0.31),
        ((1, 0, 0), (0, 0.25, 0.401), 0.97, 0.12),
    )
    lid = (
        *(_candidate("revolute", *hinge, opened, **found) for hinge in hinges),
        _candidate("prismatic", (0, 0, 1), (0, 0, 0.401), 0.71, 0.08, (0.0, np.inf)),
    )
    return (
        EdgeJoint(
            BODY,
            DRAWER,
            (
                _candidate(
                    "prismatic",
                    (1, 0, 0),
                    (0.02, 0, 0.12),
                    2.31,
                    0.97,
                    (0.0, 0.35),
                    symmetry=0.91,
                    gap=0.99,
                    collision=0.0,
                    blocking=0.98,
                ),
                _candidate("revolute", (0, 0, 1), (0.2, 0.24, 0.12), 0.4, 0.02, (0.0, 0.1)),
            ),
            edge_probability=0.99,
        ),
        EdgeJoint(
            BODY,
            LID,
            lid,
            ambiguous=True,
            reason="the lid is flush: two of its edges are as likely to be hinged",
            edge_probability=0.96,
        ),
        EdgeJoint(
            LID,
            KNOB,
            (
                _candidate(
                    "revolute",
                    (0, 0, 1),
                    (-0.1, 0.1, 0.42),
                    1.9,
                    0.93,
                    (-np.inf, np.inf),
                    symmetry=1.0,
                ),
            ),
            edge_probability=0.97,
        ),
    )


def cabinet_estimate(assembly=None, options=None):
    """A model whose joints are the first of the alternatives."""
    assembly = assembly or cabinet()
    edges = cabinet_joints()
    links, joints = [], []
    for part in assembly.parts:
        mesh = trimesh.Trimesh(part.vertices, part.triangles, process=False)
        points, faces = trimesh.sample.sample_surface(mesh, 200, seed=0)
        links.append(Link(part.name, Surface(np.array(points), mesh.face_normals[faces])))
    for number, edge in enumerate(edges):
        best = edge.best
        endless = best.type == "revolute" and not np.isfinite(best.upper)
        joints.append(
            Joint(
                f"joint_{number + 1}",
                "continuous" if endless else best.type,
                assembly.parts[edge.parent].name,
                assembly.parts[edge.child].name,
                best.axis,
                best.point,
                best.lower,
                best.upper,
            )
        )
    tree = tuple((edge.parent, edge.child) for edge in edges)
    trace = AssemblyTrace(
        assembly,
        options or AssemblyOptions(),
        contacts=(
            Contact((BODY, DRAWER), 0.001, 0.93, np.array([0, 0, 0.12]), 2.31),
            Contact((BODY, LID), 0.001, 0.71, np.array([0, 0, 0.401]), 1.24),
            Contact((DRAWER, LID), 0.17, 0.05, np.array([0, 0, 0.3])),
            Contact((LID, KNOB), 0.0005, 0.4, np.array([-0.1, 0.1, 0.42]), 1.9),
            Contact((BODY, KNOB), 0.021, 0.08, np.array([-0.1, 0.1, 0.41]), 0.9),
        ),
        clusters=(),
        tree=RankedTree(BODY, tree, 5.45, {"quality": 5.45, "distance": 0.0}),
        runner_up=RankedTree(
            BODY, (*tree[:2], (BODY, KNOB)), 4.2, {"quality": 4.45, "distance": -0.25}
        ),
        joints=edges,
        verdict="doubtful",
        warnings=("joint between 'cabinet body' and 'lid': two edges are as likely to be hinged",),
        notes=("the base is 'cabinet body': it is the largest part and stands on the ground",),
        timings={"contacts": 0.4, "joints": 1.3, "tree": 0.02},
    )
    return Estimate(SelfModel.of(assembly.name, links, joints), trace, trace.warnings)


def write_cabinet(out, source=None, **options):
    """Write the cabinet's result folder."""
    if source is None and not options:
        return copy_of("cabinet", _write_cabinet, out)
    return _write_cabinet(out, source, **options)


def _write_cabinet(out, source=None, **options):
    from autourdf_ros.workflows.assemble import AssembleOptions, write_assembly

    found = cabinet_estimate(cabinet(source))
    return write_assembly(found, out, "cabinet", AssembleOptions(**options))
