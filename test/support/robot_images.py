"""Images of a result folder's robot, drawn by ray casting from its visual meshes."""

import numpy as np

from autourdf_ros.data.images.posed_camera import PinholeCamera, look_at
from autourdf_ros.data.images.robot_images import RobotImage, RobotImages
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.forward_kinematics import configuration, link_frames
from autourdf_ros.simulation.cameras.pinhole_camera import Camera, Intrinsics
from autourdf_ros.simulation.cameras.renderer import Renderer
from autourdf_ros.workflows.appearance.image_poses import configured_poses
from autourdf_ros.workflows.appearance.link_surfaces import visual_mesh


def robot_images(folder, count, size=64, shift=0.0, seed=0, same=False, tree=None):
    """Images from all around in random configurations; joints are said `shift` too far.

    With `same`, all show the configuration of the first. With `tree`, the links move about its axes
    from where they stand at the reference.
    """
    model, rng = read_self_model(folder), np.random.default_rng(seed)
    meshes = [visual_mesh(folder, name) for name in model.tree.links]
    colors = np.linspace(60, 230, 3 * len(meshes)).reshape(-1, 3).astype(np.uint8)
    for mesh, color in zip(meshes, colors, strict=True):
        mesh.colors[:] = color
    still = configured_poses(model, model.reference_configuration, "")
    vertices = np.concatenate(
        [m.vertices @ pose[:3, :3].T + pose[:3, 3] for m, pose in zip(meshes, still, strict=True)]
    )
    middle = (vertices.min(axis=0) + vertices.max(axis=0)) / 2
    distance = 1.2 * np.linalg.norm(np.ptp(vertices, axis=0)) / 2 / np.sin(np.radians(20))
    lens = Intrinsics.from_field_of_view(size, size, 40)
    frames = link_frames(model.tree)

    def poses_of(values):
        if tree is None:
            return configured_poses(model, values, "")
        return tree.motions(configuration(tree, values)) @ frames

    images = []
    for number in range(count):
        turn = 2 * np.pi * number / count
        way = np.array([np.cos(turn), np.sin(turn), rng.uniform(-0.5, 0.9)])
        eye = middle + distance * way / np.linalg.norm(way)
        pose = look_at(eye, middle)
        if not (same and images):
            values = {
                joint.name: joint.reference + rng.uniform(-0.3, 0.3) for joint in model.tree.joints
            }
        view = Renderer(meshes, [Camera(lens, pose)]).render(poses_of(values), 0)
        camera = PinholeCamera(size, size, (lens.focal, lens.focal), lens.center, pose)
        said = {name: value + shift for name, value in values.items()}
        mask = (view.body >= 0).astype(np.uint8) * np.uint8(255)
        images.append(RobotImage(camera, view.color, said, mask, view.depth))
    return RobotImages(tuple(images))
