"""All splats of a result in one file, in any configuration, for other programs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.splats.splat_file import write_splats
from autourdf_ros.estimation.appearance.splats.splat_model import Splats, moved, posed
from autourdf_ros.export.formats.splat_gltf import GltfLink, GltfSplats, write_splat_gltf
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.model.document.self_model_reading import read_self_model
from autourdf_ros.model.kinematic_tree import KinematicTree
from autourdf_ros.model.result_files import result_document
from autourdf_ros.workflows.appearance.image_poses import configured_poses
from autourdf_ros.workflows.appearance.splat_result import read_result_splats

PLY, GLB = ".ply", ".glb"


def export_splats(folder: Path, positions: Mapping[str, float], path: Path) -> None:
    """Write the splats of a result folder, lit and posed as in one configuration.

    Args:
        folder: With splats.
        positions: By name of a joint or motor (rad or m); others stand at their reference.
        path: Of the file: .ply in the base frame; .glb with a node for every link, y up.

    Raises:
        InputError: The folder has no splats, a joint is unknown, or the file has another ending.
    """
    if path.suffix.lower() not in (PLY, GLB):
        raise InputError(f"{path}: accepted is a file whose name ends in {PLY} or {GLB}")
    model = read_self_model(folder)
    splats, links = read_result_splats(folder)
    poses = configured_poses(model, positions, str(folder))
    lit = posed(splats, links, poses).colors
    if path.suffix.lower() == PLY:
        whole = replace(moved(splats, links, poses), albedos=lit)
        write_splats(whole, np.ones(len(links), bool), path)
    else:
        name = str(result_document(folder)["name"])
        write_splat_gltf(name, _gltf_links(model.tree, poses, splats, links, lit), path)


def _gltf_links(
    tree: KinematicTree, poses: Array, splats: Splats, links: Labels, lit: Floats
) -> list[GltfLink]:
    found = []
    for number, name in enumerate(tree.links):
        joint, own = tree.joint_of(name), links == number
        parent = None if joint is None else joint.parent
        above = np.eye(4) if parent is None else poses[tree.links.index(parent)]
        shown = GltfSplats(
            splats.means[own],
            splats.quaternions[own],
            np.exp(splats.log_scales[own]),
            splats.opacities[own],
            lit[own],
        )
        pose = np.linalg.inv(above) @ poses[number]
        found.append(GltfLink(name, parent, pose, shown if own.any() else None))
    return found
