"""The xacro is the URDF, with a prefix and meshes from where one says."""

import re

import numpy as np
import pytest
from lxml import etree
from synthetic_robot import arm_model

from autourdf_ros.export.formats.end_frames import EndFrame
from autourdf_ros.export.formats.urdf import write_urdf
from autourdf_ros.export.formats.xacro import XACRO, packaged_urdf, xacro_file, xacro_macro


@pytest.fixture(scope="module")
def urdf(tmp_path_factory):
    return write_urdf(arm_model(count=100, colored=False), tmp_path_factory.mktemp("xacro"))


def expanded(macro, **values):
    """What the macro gives: its elements, with the parameters put in."""
    elements = [child for child in macro if child.tag != f"{{{XACRO}}}if"]
    text = "".join(etree.tostring(child).decode() for child in elements)
    return re.sub(r"\$\{(\w+)\}", lambda match: values[match[1]], text)


def canonical(elements):
    body = f'<robot xmlns:xacro="{XACRO}">{elements}</robot>'
    root = etree.fromstring(body, etree.XMLParser(remove_blank_text=True))
    etree.cleanup_namespaces(root)
    return etree.tostring(root, method="c14n").decode()


def test_without_a_prefix_it_is_the_urdf(urdf):
    (macro,) = xacro_macro(urdf, "arm", "arm_description")
    given = expanded(macro, prefix="", mesh_package="arm_description")
    plain = "".join(
        etree.tostring(child).decode() for child in packaged_urdf(urdf, "arm_description")
    )
    assert canonical(given) == canonical(plain)


def test_a_prefix_renames_everything_consistently(urdf):
    (macro,) = xacro_macro(urdf, "arm", "arm_description")
    text = canonical(expanded(macro, prefix="left_", mesh_package="other"))
    root = etree.fromstring(text)
    links = {link.get("name") for link in root.iter("link")}
    assert links and all(name.startswith("left_") for name in links)
    assert {element.get("link") for element in root.iter("parent", "child")} == links
    assert all(joint.get("name").startswith("left_") for joint in root.iter("joint"))
    assert all(material.get("name").startswith("left_") for material in root.iter("material"))
    paths = [mesh.get("filename") for mesh in root.iter("mesh")]
    assert all(path.startswith("package://other/meshes/") for path in paths)


def test_meshes_of_the_package_are_those_of_the_urdf(urdf):
    packaged = packaged_urdf(urdf, "arm_description")
    assert packaged.find("mujoco") is None
    for mesh in packaged.iter("mesh"):
        path = mesh.get("filename").removeprefix("package://arm_description/")
        assert (urdf.parent / path).is_file()


def test_the_file_passes_its_arguments_to_the_macro(urdf):
    (macro,) = xacro_macro(urdf, "arm_2", "arm_description")
    given = {"prefix": "", "mesh_package": "arm_description"}
    file = xacro_file("Arm_2", "arm_2", "Arm_2.macro.xacro", given)
    declared = {arg.get("name"): arg.get("default") for arg in file.findall(f"{{{XACRO}}}arg")}
    assert declared == given
    assert file.get("name") == "Arm_2"
    assert file.find(f"{{{XACRO}}}include").get("filename") == "Arm_2.macro.xacro"
    call = file.find(f"{{{XACRO}}}{macro.get('name')}")
    assert dict(call.attrib) == {name: f"$(arg {name})" for name in declared}
    names = re.findall(r"(\w+):=", macro.get("params"))
    assert names == ["prefix", "mesh_package", "parent", "xyz", "rpy"]


def test_the_robot_may_stand_on_a_parent(urdf):
    (macro,) = xacro_macro(urdf, "arm", "arm_description")
    (stands,) = macro.findall(f"{{{XACRO}}}if")
    assert stands.get("value") == "${parent != ''}"
    joint = stands.find("joint")
    assert joint.find("parent").get("link") == "${parent}"
    assert joint.find("child").get("link") == "${prefix}base_link"
    assert dict(joint.find("origin").attrib) == {"xyz": "${xyz}", "rpy": "${rpy}"}


def test_frames_of_tools_are_in_all_descriptions(urdf):
    frame = EndFrame("manipulator", "link_2", "", np.eye(4))
    names = {"flange", "tool0"}
    packaged = packaged_urdf(urdf, "arm_description", [frame])
    assert names <= {link.get("name") for link in packaged.iter("link")}
    (macro,) = xacro_macro(urdf, "arm", "arm_description", [frame])
    prefixed = {link.get("name") for link in macro.iter("link")}
    assert {f"${{prefix}}{name}" for name in names} <= prefixed
