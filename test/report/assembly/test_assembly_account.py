"""The account of parts names links and joints as the URDF does, and keeps all evidence."""

from dataclasses import replace

import numpy as np
import pytest
import trimesh
from sample_assembly import BODY, KNOB, LID, cabinet_estimate

from autourdf_ros.model.layers.layer import plain_values
from autourdf_ros.model.names import legal_names
from autourdf_ros.report.assembly.assembly_account import assembly_account, part_links


def account_of(found):
    assembly, model = found.trace.assembly, found.model
    meshes = tuple(trimesh.Trimesh(one.vertices, one.triangles) for one in assembly.parts)
    links, joints = (
        legal_names(model.tree.links),
        {name: f"j_{name}" for name in model.tree.joint_names},
    )
    return assembly_account(found.trace, model, meshes, links, joints)


def section(found):
    return plain_values(account_of(found).sections["assembly"])


def test_every_number_of_a_part_becomes_the_name_of_its_link():
    entry = section(cabinet_estimate())
    assert [one["link"] for one in entry["parts"]] == ["cabinet_body", "drawer", "lid", "knob"]
    assert entry["parts"][0]["name"] == "cabinet body"
    assert ["cabinet_body", "drawer"] in [one["links"] for one in entry["contacts"]]
    assert entry["tree"]["root"] == "cabinet_body" and ["lid", "knob"] in entry["tree"]["edges"]
    assert ["cabinet_body", "knob"] in entry["runner_up"]["edges"]
    assert [one["joint"] for one in entry["joints"]] == ["j_joint_1", "j_joint_2", "j_joint_3"]


def test_links_may_have_legal_names_already():
    found = cabinet_estimate()
    links = legal_names(found.model.tree.links)
    renamed = found.model.renamed("cabinet", links, {})
    assert part_links(found.trace.assembly, renamed) == tuple(links.values())
    assert section(replace(found, model=renamed)) == section(found)


def test_alternatives_are_whole_and_what_is_unknown_or_endless_is_null():
    lid = section(cabinet_estimate())["joints"][1]
    assert lid["ambiguous"] and "flush" in lid["reason"]
    assert [one["type"] for one in lid["alternatives"]] == ["revolute"] * 3 + ["prismatic"]
    first, last = lid["alternatives"][0], lid["alternatives"][-1]
    assert first["features"] == {"symmetry": 0.31, "gap": 0.95, "collision": 0.0}
    assert first["source"] == "slippage" and first["probability"] == 0.46
    assert (last["lower"], last["upper"]) == (0.0, None)
    drawer, lid_contact = section(cabinet_estimate())["contacts"][0:3:2]
    assert drawer["quality"] == 2.31 and lid_contact["quality"] is None


def test_one_tree_alone_has_no_runner_up():
    found = cabinet_estimate()
    assert section(replace(found, trace=replace(found.trace, runner_up=None)))["runner_up"] is None


def test_the_confidence_is_of_all_that_is_known():
    found = cabinet_estimate()
    joints = account_of(found).joints
    assert [one["confidence"] for one in joints] == pytest.approx([0.9603, 0.4416, 0.9021])
    edges = tuple(
        replace(
            edge,
            edge_probability=np.nan,
            alternatives=tuple(replace(one, probability=np.nan) for one in edge.alternatives),
        )
        for edge in found.trace.joints
    )
    unknown = replace(found, trace=replace(found.trace, joints=edges))
    assert account_of(unknown).joints == ({}, {}, {})


def test_joints_may_stand_in_another_order_than_the_edges():
    found = cabinet_estimate()
    joints = tuple(reversed(found.model.joints))
    entry = section(replace(found, model=found.model.with_parts(joints=joints)))
    assert [one["joint"] for one in entry["joints"]] == ["j_joint_3", "j_joint_2", "j_joint_1"]
    assert entry["joints"][0]["child"] == "knob"
    assert (BODY, LID, KNOB) == (0, 2, 3)


def test_nothing_was_recorded():
    account = account_of(cabinet_estimate())
    assert account.recorded.shape == (0, 3) and np.isnan(account.observed_ranges).all()
    assert account.input["parts"] == 4 and account.input["frames"] == 0
