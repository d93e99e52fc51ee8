"""The ROS packages of a result build with colcon, and name only what exists."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from jointed_models import arm_with_gripper
from synthetic_robot import arm_model

from autourdf_ros.export.formats.semantics import semantics
from autourdf_ros.export.formats.srdf import write_srdf
from autourdf_ros.export.formats.urdf import urdf_names, write_urdf
from autourdf_ros.export.packages.description_package import write_description_package
from autourdf_ros.export.packages.moveit_config import write_moveit_config
from autourdf_ros.model.layers.kinematics import BaseKind
from autourdf_ros.model.result_files import description_package, moveit_package

pytestmark = pytest.mark.slow

ROBOT = "My_Arm"
PACKAGES = (description_package(ROBOT), moveit_package(ROBOT))

EXECUTABLES = {
    "controller_manager": {"ros2_control_node", "spawner"},
    "joint_state_publisher_gui": {"joint_state_publisher_gui"},
    "robot_state_publisher": {"robot_state_publisher"},
    "rviz2": {"rviz2"},
    "tf2_ros": {"static_transform_publisher"},
}
"""What the packages install by their sources (CMakeLists.txt, setup.py)."""

MOVEIT_LAUNCHES = {
    f"generate_{name}_launch"
    for name in (
        *("rsp", "move_group", "moveit_rviz", "setup_assistant", "spawn_controllers"),
        "static_virtual_joint_tfs",
    )
}
"""What moveit_configs_utils/launches.py has, less what needs files that are not written."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A colcon workspace with the two packages, built."""
    workspace = tmp_path_factory.mktemp("workspace")
    result = workspace / "result"
    result.mkdir()
    model = arm_model(count=100)
    names = urdf_names(model, ROBOT)
    write_urdf(model, result, name=ROBOT)
    found = semantics(model, names, {})
    write_srdf(found, (), result / "robot.srdf")
    for package in (write_description_package(ROBOT, result), write_moveit_config(found, result)):
        shutil.copytree(package, workspace / "src" / package.name)
    shutil.rmtree(result)
    programs = Path(sys.executable).parent
    found_by = dict.fromkeys(("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH"), f"{programs.parent}")
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    environment = {**found_by, **os.environ, "PATH": path}
    built = subprocess.run(
        [programs / "colcon", "build", "--cmake-args", f"-DPython3_EXECUTABLE={sys.executable}"],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    for package in PACKAGES:
        assert f"Finished <<< {package}" in built.stdout
    return workspace


def share(workspace: Path, package: str) -> Path:
    return workspace / "install" / package / "share" / package


def dependencies(workspace: Path, package: str) -> set[str | None]:
    manifest = ElementTree.parse(share(workspace, package) / "package.xml").getroot()
    assert manifest.findtext("name") == package
    return {element.text for element in manifest.iter("exec_depend")}


@pytest.mark.parametrize("package", PACKAGES)
def test_everything_is_installed_and_indexed(workspace: Path, package: str) -> None:
    source = workspace / "src" / package
    files = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    for file in files - {Path("CMakeLists.txt")}:
        assert (share(workspace, package) / file).is_file(), file
    index = share(workspace, package).parent / "ament_index/resource_index/packages"
    assert (index / package).is_file()


@pytest.mark.parametrize("suffix", ["urdf", "macro.xacro"])
def test_meshes_are_in_the_description(workspace: Path, suffix: str) -> None:
    folder = share(workspace, PACKAGES[0])
    root = ElementTree.parse(folder / "urdf" / f"{ROBOT}.{suffix}").getroot()
    meshes = [mesh.get("filename", "") for mesh in root.iter("mesh")]
    assert len(meshes) == 10
    for mesh in meshes:
        package, _, path = mesh.removeprefix("package://").partition("/")
        assert package in (PACKAGES[0], "${mesh_package}")
        assert (folder / path).is_file()


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """All calls of a file by the name of what is called."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function = node.func
            name = function.attr if isinstance(function, ast.Attribute) else function.id  # type: ignore[attr-defined]
            yield name, node


def texts(tree: ast.AST) -> list[str]:
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


@pytest.mark.parametrize("package", PACKAGES)
def test_launch_files_name_only_what_exists(workspace: Path, package: str) -> None:
    folder = share(workspace, package)
    depends = dependencies(workspace, package)
    files = {path.name for path in folder.rglob("*") if path.is_file()}
    launches = sorted((folder / "launch").glob("*.launch.py"))
    assert launches
    for launch in launches:
        tree = ast.parse(launch.read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                module = str(node.module).partition(".")[0]
                assert module in sys.stdlib_module_names or module in depends, launch
                if node.module == "moveit_configs_utils.launches":
                    assert {alias.name for alias in node.names} <= MOVEIT_LAUNCHES
        for name, call in calls(tree):
            given = {word.arg: word.value for word in call.keywords}
            if name == "Node":
                needed = ast.literal_eval(given["package"])
                assert needed in depends
                assert ast.literal_eval(given["executable"]) in EXECUTABLES[needed]
            elif name in ("FindPackageShare", "get_package_share_directory"):
                assert ast.literal_eval(call.args[0]) == package
            elif name == "MoveItConfigsBuilder":
                robot = ast.literal_eval(call.args[0])
                assert ast.literal_eval(given["package_name"]) == package
                assert {f"{robot}.urdf.xacro", f"{robot}.srdf"} <= files
        for text in texts(tree):
            if "." in text and " " not in text:
                assert text in files, f"{launch.name} names {text}"


def test_moveit_depends_on_the_description(workspace: Path) -> None:
    assert PACKAGES[0] in dependencies(workspace, PACKAGES[1])
    assert (
        PACKAGES[0]
        in (share(workspace, PACKAGES[1]) / "config" / f"{ROBOT}.urdf.xacro").read_text()
    )


def test_packages_of_another_robot_have_other_names(tmp_path: Path) -> None:
    model = arm_with_gripper()
    found = semantics(model, urdf_names(model, "other"), {})
    write_srdf(found, (), tmp_path / "robot.srdf")
    assert write_moveit_config(found, tmp_path).name == "other_moveit_config"


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_the_demo_says_where_the_base_stands(tmp_path: Path, base: BaseKind) -> None:
    """As the setup assistant's, for the virtual joint of the SRDF: MoveIt waits for that."""
    model = arm_with_gripper()
    found = semantics(model, urdf_names(model, "other"), {}, base)
    write_srdf(found, (), tmp_path / "robot.srdf")
    package = write_moveit_config(found, tmp_path)
    demo = (package / "launch" / "demo.launch.py").read_text()
    ast.parse(demo)
    assert "static_virtual_joint_tfs.launch.py" in demo
    (joint,) = ElementTree.parse(package / "config" / "other.srdf").iter("virtual_joint")
    assert (joint.get("type"), joint.get("parent_frame")) == (base, "world")
    assert "<exec_depend>tf2_ros</" in (package / "package.xml").read_text()
