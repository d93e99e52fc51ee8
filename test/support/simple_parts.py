"""Simple parts of which the joints are known: pins, plates, sliders, rings of links."""

import numpy as np
import trimesh

from autourdf_ros.data.parts.part_assembly import Part, PartAssembly


def part(name, mesh):
    """A part of a trimesh mesh."""
    return Part(name, np.array(mesh.vertices, float), np.array(mesh.faces, np.int64))


def box(size, centre):
    """A box, subdivided so that it has vertices inside its faces."""
    mesh = trimesh.creation.box(size, transform=trimesh.transformations.translation_matrix(centre))
    return mesh.subdivide().subdivide()


def cylinder(radius, height, centre, direction=(0, 0, 1)):
    """A cylinder about a direction."""
    mesh = trimesh.creation.cylinder(radius, height, sections=48)
    mesh.apply_transform(trimesh.geometry.align_vectors([0, 0, 1], direction))
    mesh.apply_translation(centre)
    return mesh


def bored(mesh, radius, centre, direction=(0, 0, 1)):
    """A mesh with a hole through it."""
    return trimesh.boolean.difference(
        [mesh, cylinder(radius, 10.0, centre, direction)], engine="manifold"
    )


def link(name, start, end, pin_up=True, height=0.0):
    """A flat bar from `start` to `end` (x, y) with a hole at its start and a pin at its end."""
    start, end = np.array([*start, height]), np.array([*end, height])
    along = end - start
    length = np.linalg.norm(along)
    bar = trimesh.creation.box((length + 0.06, 0.06, 0.02))
    turn = np.eye(4)
    turn[:3, 0] = along / length
    turn[:3, 2] = [0, 0, 1]
    turn[:3, 1] = np.cross(turn[:3, 2], turn[:3, 0])
    turn[:3, 3] = (start + end) / 2
    bar.apply_transform(turn)
    bar = bored(bar, 0.0155, start)
    rise = 0.021 if pin_up else -0.021
    pin = cylinder(0.015, 0.022, end + np.array([0, 0, rise]))
    return part(name, trimesh.boolean.union([bar, pin], engine="manifold"))


def chain(count=3):
    """Links on top of each other, each turning about the pin of the one below."""
    links = [
        link(f"link_{i}", (0.3 * i, 0), (0.3 * (i + 1), 0), height=0.021 * i) for i in range(count)
    ]
    base = trimesh.boolean.union(
        [
            trimesh.creation.box(
                (0.4, 0.4, 0.1),
                transform=trimesh.transformations.translation_matrix((0, 0, -0.065)),
            ),
            cylinder(0.015, 0.03, (0, 0, -0.004)),
        ],
        engine="manifold",
    )
    return PartAssembly("chain", (part("base", base), *links))
