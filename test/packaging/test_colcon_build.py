"""The packages as `colcon build` installs them, by the command of the documents."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from autourdf_ros import __version__

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
NAME = "autourdf_ros"
INTERFACES = "autourdf_msgs"
COMMAND = re.compile(r"colcon build --base-paths [^&]+")
SHARED = ("launch", "config", "rviz")

CALL_ALL_ENTRY_POINTS = """
from importlib import metadata
for entry in metadata.distribution("autourdf_ros").entry_points:
    assert callable(entry.load()), entry
    print(entry.name)
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A colcon workspace with the repository in it, built as the installation page says."""
    workspace = tmp_path_factory.mktemp("workspace")
    source = workspace / "src" / NAME
    source.mkdir(parents=True)
    for folder in (NAME, INTERFACES, "resource", *SHARED):
        shutil.copytree(ROOT / folder, source / folder, ignore=shutil.ignore_patterns("__pyc*"))
    for file in ("package.xml", "setup.py", "setup.cfg", "pyproject.toml"):
        shutil.copy(ROOT / file, source)
    programs = Path(sys.executable).parent
    prefixes = dict.fromkeys(("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH"), f"{programs.parent}")
    (command,) = set(COMMAND.findall((ROOT / "docs" / "install.md").read_text()))
    result = subprocess.run(
        [*shlex.split(command), "--cmake-args", f"-DPython3_EXECUTABLE={sys.executable}"],
        cwd=workspace,
        env={**prefixes, **os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert f"Finished <<< {NAME}" in result.stdout
    return workspace


def in_workspace(workspace: Path, command: str) -> str:
    """Output of a shell command after sourcing the workspace."""
    return subprocess.run(
        ["sh", "-c", f". install/setup.sh && {command}"],
        cwd=workspace,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def files_below(folder: Path) -> set[Path]:
    """All files, relative to the folder."""
    return {
        path.relative_to(folder)
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_interfaces_are_built_beside_by_the_command_that_all_pages_give(
    workspace: Path,
) -> None:
    pages = [ROOT / "README.md", ROOT / "docs" / "install.md"]
    assert len({command for page in pages for command in COMMAND.findall(page.read_text())}) == 1
    built = workspace / "install" / INTERFACES
    actions = {path.name for path in (built / "share" / INTERFACES / "action").glob("*.action")}
    assert actions == {path.name for path in (ROOT / INTERFACES / "action").iterdir()}
    (module,) = built.glob("lib/python3*/site-packages/autourdf_msgs/action")
    assert {path.name for path in module.glob("_*.py")} >= {"_capture.py", "_reconstruct.py"}


def test_ros_finds_the_package(workspace: Path) -> None:
    share = workspace / "install" / NAME / "share"
    assert (share / "ament_index/resource_index/packages" / NAME).is_file()
    assert (share / NAME / "package.xml").read_text() == (ROOT / "package.xml").read_text()


@pytest.mark.parametrize("folder", SHARED)
def test_share_holds_every_file(workspace: Path, folder: str) -> None:
    installed = workspace / "install" / NAME / "share" / NAME / folder
    files = files_below(ROOT / folder)
    assert files
    assert files_below(installed) == files


def test_every_module_and_template_is_installed(workspace: Path) -> None:
    (installed,) = (workspace / "install" / NAME).glob(f"lib/python3*/site-packages/{NAME}")
    assert files_below(ROOT / NAME) - files_below(installed) == set()


def test_ros2_run_finds_the_executables(workspace: Path) -> None:
    executables = workspace / "install" / NAME / "lib" / NAME
    nodes = ("capture", "identification", "monitor", "publisher", "reconstruction", "rendering")
    shown = ("mechanism_cell", "sim_cell", "slider", "swing_up")
    names = {f"{node}_node" for node in (*nodes, *shown)} | {"autourdf", "demo_follower"}
    assert {path.name for path in executables.iterdir()} == names
    output = in_workspace(workspace, f"{sys.executable} {executables / 'autourdf'} --version")
    assert output == f"autourdf {__version__}\n"


def test_entry_points_load_from_the_workspace(workspace: Path) -> None:
    script = f"import {NAME}; print({NAME}.__file__)\n{CALL_ALL_ENTRY_POINTS}"
    lines = in_workspace(workspace, f"{sys.executable} -c '{script}'").splitlines()
    assert Path(lines[0]).is_relative_to(workspace)
    assert len(set(lines[1:])) == 12


def test_the_three_places_of_the_version_agree() -> None:
    manifest = ElementTree.parse(ROOT / "package.xml").getroot()
    assert manifest.findtext("version") == __version__
    assert f'version="{__version__}"' in (ROOT / "setup.py").read_text()
