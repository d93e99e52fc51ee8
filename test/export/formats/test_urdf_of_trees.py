"""Trees that were changed, written as URDF, move in Pinocchio as they do here."""

import numpy as np
import pinocchio as pin
import pytest
from random_trees import random_tree

from autourdf_ros.export.formats.urdf import BASE_LINK, write_urdf
from autourdf_ros.model.forward_kinematics import link_poses
from autourdf_ros.model.self_model import SelfModel

OPERATIONS = {
    "nothing": lambda tree: tree,
    "reroot": lambda tree: tree.reroot(tree.links[-1]),
    "merge": lambda tree: tree.merge_links(tree.links[1]),
    "remove": lambda tree: tree.remove_link(tree.links[-1]),
    "change parent": lambda tree: tree.change_parent(tree.links[-1], tree.root),
    "repose": lambda tree: tree.repose(np.linspace(-1, 1, len(tree.joints))),
    "rezero": lambda tree: tree.rezero(np.linspace(-1, 1, len(tree.joints))),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("example", range(3))
def test_pinocchio_agrees(name, example, tmp_path):
    tree = OPERATIONS[name](random_tree(example, 6, followers=0.0))
    model = pin.buildModelFromUrdf(str(write_urdf(SelfModel("robot", tree), tmp_path)))
    values = np.random.default_rng(example).uniform(-3, 3, len(tree.joints))
    configuration = pin.neutral(model)
    for joint, value in zip(tree.joints, values, strict=True):
        if joint.type != "fixed":
            own = model.joints[model.getJointId(joint.name)]
            entry = (value,) if own.nq == 1 else (np.cos(value), np.sin(value))
            configuration[own.idx_q : own.idx_q + own.nq] = entry
    data = model.createData()
    pin.framesForwardKinematics(model, data, configuration)
    base = data.oMf[model.getFrameId(BASE_LINK)]
    for link, expected in zip(tree.links, link_poses(tree, values), strict=True):
        pose = base.actInv(data.oMf[model.getFrameId(link)]).homogeneous
        np.testing.assert_allclose(pose, expected, atol=1e-6)
