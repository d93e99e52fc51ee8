"""A robot of known shape and motion, as the reconstruction would hand it over."""

from dataclasses import replace

import numpy as np
import trimesh

from autourdf_ros.data.frame import Frame, Recording, Sequence
from autourdf_ros.data.recording.writer import RecordingWriter
from autourdf_ros.estimation.motion.reconstruction import (
    BaseMotion,
    LinkCost,
    Loop,
    ModelOrderStep,
    Reconstruction,
    SequenceMotion,
    UnexplainedPatch,
    WeakDirection,
)
from autourdf_ros.model.forward_kinematics import link_motions
from autourdf_ros.model.layers.kinematics import Confidence, JointEstimate, MotorMatch
from autourdf_ros.model.layers.shape import Surface
from autourdf_ros.model.self_model import Joint, Link, SelfModel

MOTORS = ("shoulder-pan", "arm/lift", "slide", "spin")


def sampled(mesh, count, seed, colored=True, noise=0.0005):
    """Points on a mesh with normals, and colours that vary along z."""
    points, faces = trimesh.sample.sample_surface(mesh, count, seed=seed)
    points = points + np.random.default_rng(seed).normal(0, noise, points.shape)
    height = np.interp(points[:, 2], (points[:, 2].min(), points[:, 2].max()), (0, 255))
    colors = np.column_stack([height, np.full(count, 90), 255 - height]).astype(np.uint8)
    return Surface(points, mesh.face_normals[faces], colors if colored else None)


def box(size, centre):
    return trimesh.creation.box(size, transform=trimesh.transformations.translation_matrix(centre))


def arm_model(readings=True, colored=True, count=900):
    """Base, two revolute joints, a prismatic one, a continuous one with a link of three points."""
    shapes = [
        box((0.2, 0.2, 0.1), (0, 0, 0.05)),
        box((0.1, 0.1, 0.3), (0, 0, 0.25)),
        box((0.4, 0.06, 0.06), (0.2, 0, 0.43)),
        box((0.05, 0.05, 0.2), (0.42, 0, 0.35)),
    ]
    surfaces = [sampled(shape, count, seed, colored) for seed, shape in enumerate(shapes)]
    surfaces.append(sampled(box((0.01,) * 3, (0.42, 0, 0.2)), 3, 9, colored))
    links = tuple(Link(f"link_{i}", surface) for i, surface in enumerate(surfaces))
    tilt = np.array([0.1, 0.99, -0.05])
    rows = [
        ("revolute", (0, 0, 1), (0, 0, 0.1), -1.0, 1.5, 0.3),
        ("revolute", tilt / np.linalg.norm(tilt), (0, 0.02, 0.42), -0.8, 0.9, -0.4),
        ("prismatic", (0, 0, 1), (0.4, 0, 0.4), -0.05, 0.1, 0.02),
        ("continuous", (0, 0, 1), (0.42, 0, 0.25), -np.inf, np.inf, 0.7),
    ]
    joints = []
    for i, (kind, axis, point, lower, upper, reference) in enumerate(rows):
        name = MOTORS[i] if readings else f"joint_{i + 1}"
        covariance = np.diag([1e-5, 2e-5, 1e-8, 3e-8])
        if kind == "prismatic":
            covariance[2:, 2:] = np.nan
        motor = MotorMatch(name, 1.0, 0.0, 0.001) if readings else None
        offset = 0.0 if readings else reference
        across = np.linalg.svd(np.array([axis], float))[2][1:]
        joints.append(
            Joint(
                name,
                kind,
                f"link_{i}",
                f"link_{i + 1}",
                np.array(axis, float),
                np.array(point, float),
                lower - offset,
                upper - offset,
                reference - offset,
                estimate=JointEstimate(
                    covariance, across, Confidence(1.0, 0.97 - 0.1 * i, 1.0 - 0.02 * i), motor
                ),
            )
        )
    return SelfModel.of("test arm", links, tuple(joints))


def arm_reconstruction(readings=True, colored=True, count=900, frames=5, verdict="trusted"):
    """Two sequences of the arm's motion, with all that a reconstruction reports."""
    model = arm_model(readings, colored, count)
    random = np.random.default_rng(4)
    reference = np.array([joint.reference for joint in model.joints])
    motions = []
    for _ in range(2):
        steps = random.uniform(-0.08, 0.08, (frames, len(reference)))
        values = reference + np.cumsum(steps, axis=0) - steps[0]
        residuals = random.uniform(0.0006, 0.0009, frames)
        residuals[-1] = np.nan
        held_out = np.arange(frames) == 3
        motions.append(
            SequenceMotion(
                values,
                np.full_like(values, 1e-3),
                np.tile(np.eye(4), (frames, 1, 1)),
                residuals,
                np.isfinite(residuals),
                held_out,
            )
        )
    points = np.vstack([link.surface.points for link in model.links])
    labels = np.repeat(np.arange(len(model.links)), [len(k.surface.points) for k in model.links])
    labels[::50] = -1
    order = tuple(
        ModelOrderStep(bodies, 40.0 * 9.0 ** max(0, 6 - bodies), bodies >= 5)
        for bodies in range(14, 2, -1)
    )
    return Reconstruction(
        model,
        tuple(motions),
        0.0007,
        points,
        labels,
        verdict,
        ("Joint 'spin' moved a link that is seen in 3 points only; its axis is uncertain.",),
        order,
        {"registration": 4.2, "segmentation": 1.1, "adjustment": 2.0},
        weak_directions=(
            WeakDirection((model.joints[1].name, model.joints[2].name), (0.05, 0.04), (0.0, 0.0)),
        ),
        base=BaseMotion("floating", 0.1, 0.02, 0.3, 0.5),
        notes=("the base floats",),
        patches=(UnexplainedPatch("link_2", 40, 3.5),),
        loops=(
            Loop(
                ("link_1", "link_3"),
                (model.joints[1].name, model.joints[2].name),
                "revolute",
                np.array([0, 1.0, 0]),
                np.zeros(3),
                1.2,
            ),
        ),
        link_costs=tuple(LinkCost(0.5, 0.6 + 0.1 * i) for i in range(len(model.links))),
    )


def folded(reconstruction):
    """The same, but in one frame that it explains, the arm's upper link is in its base."""
    first, *others = reconstruction.motions
    values = first.joint_values.copy()
    values[1, 1] += 1.5
    return replace(reconstruction, motions=(replace(first, joint_values=values), *others))


def two_joint_model(count=3200):
    """A small arm of two revolute joints: a base, an upright and a beam."""
    shapes = [
        box((0.3, 0.3, 0.1), (0, 0, 0.05)),
        box((0.1, 0.12, 0.3), (0, 0, 0.26)),
        box((0.4, 0.08, 0.1), (0.2, 0, 0.46)),
    ]
    links = tuple(Link(f"link_{i}", sampled(s, count, i)) for i, s in enumerate(shapes))
    up, across = np.eye(3)[2], np.eye(3)[1]
    pan = Joint("pan", "revolute", "link_0", "link_1", up, 0.1 * up, -2, 2)
    lift = Joint("lift", "revolute", "link_1", "link_2", across, 0.44 * up, -2, 2)
    return SelfModel.of("two_joints", links, (pan, lift))


def moving_recording(frames=6, count=800, sway=0.0, start=(0.0, 0.0)):
    """The small arm, seen from everywhere, as it moves so that the engine can reconstruct it.

    sway: (rad) by which the second joint's motion is not the first one's in proportion.
    start: (rad) values of the joints in the first frame.
    """
    model = two_joint_model(4 * count)
    random = np.random.default_rng(0)
    moments = []
    for index in range(frames):
        values = np.array([0.12, -0.1]) * index + [0, sway * np.sin(2 * index)] + start
        clouds = [cloud[random.choice(len(cloud), count)] for cloud in posed(model, values)]
        readings = {"pan": values[0], "lift": values[1]}
        moments.append(Frame(np.vstack(clouds).astype(np.float32), None, float(index), readings))
    return Recording((Sequence(tuple(moments), "0000"),))


def write_recording(recording, folder):
    """Write it as a rosbag2 recording."""
    with RecordingWriter(folder) as writer:
        for sequence in recording.sequences:
            writer.start_sequence(sequence.name)
            for frame in sequence.frames:
                writer.write_frame(frame)
    return folder


def posed(model, values):
    """The model's points at joint values (J,), as a list by link."""
    motions = link_motions(model.tree, values)
    return [
        link.surface.points @ motion[:3, :3].T + motion[:3, 3]
        for link, motion in zip(model.links, motions, strict=True)
    ]


def arm_recording(reconstruction):
    """A recording of as many sequences and frames as the reconstruction speaks of."""
    points = reconstruction.reference_points.astype(np.float32)
    readings = {joint.name: joint.reference for joint in reconstruction.model.joints}
    return Recording(
        tuple(
            Sequence(
                tuple(
                    Frame(points, None, float(i), readings) for i in range(len(motion.residuals))
                ),
                f"{number:04d}",
            )
            for number, motion in enumerate(reconstruction.motions)
        ),
        cameras=("/camera_0/points",),
    )
