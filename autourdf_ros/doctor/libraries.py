"""Checks of the interpreter and of the libraries that are not ROS."""

from __future__ import annotations

import importlib.util
import platform
import sys

from autourdf_ros.doctor.machine_finding import Finding, bad, good, note
from autourdf_ros.subprocesses import CheckError, run_python

# colcon does not check the version that setup.py requires.
MINIMUM_PYTHON = (3, 11)
SET_UP = "run 'make setup' in the package's folder"

# A ray that must hit the unit box one metre away: the part of Open3D that the depth cameras use.
_OPEN3D = """
import open3d as o3d
box = o3d.t.geometry.TriangleMesh.create_box()
scene = o3d.t.geometry.RaycastingScene()
scene.add_triangles(box)
rays = o3d.core.Tensor([[0.4, 0.5, -1, 0, 0, 1]], dtype=o3d.core.float32)
distance = scene.cast_rays(rays)["t_hit"].item()
assert abs(distance - 1) < 1e-5, f"a ray of length 1 has length {distance}"
print(o3d.__version__)
"""

_PINOCCHIO = """
import pinocchio, coal
model = pinocchio.buildSampleModelManipulator()
pinocchio.forwardKinematics(model, model.createData(), pinocchio.neutral(model))
print(pinocchio.__version__)
"""

_TORCH = """
import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
assert (torch.ones(3, device=device) * 2).sum().item() == 6
name = f"GPU {torch.cuda.get_device_name()}" if device == "cuda" else "CPU"
print(f"{torch.__version__} on {name}")
"""


def check_interpreter() -> Finding:
    """Check the version of Python, and report where it is."""
    detail = f"{platform.python_version()} ({sys.prefix})"
    if sys.version_info < MINIMUM_PYTHON:
        return bad("Python", detail, f"Python 3.11 or later is needed: {SET_UP}")
    return good("Python", detail)


def check_open3d() -> Finding:
    """Check whether Open3D loads and casts a ray."""
    try:
        return good("Open3D", run_python(["-c", _OPEN3D], timeout=60))
    except CheckError as error:
        return bad("Open3D", str(error), _open3d_remedy(str(error)))


def _open3d_remedy(error: str) -> str:
    packages = {"libusb": "libusb-1.0-0", "libGL": "libgl1", "libEGL": "libegl1"}
    for library, package in packages.items():
        if library in error:
            return f"sudo apt-get install -y {package}"
    return SET_UP


def check_pinocchio() -> Finding:
    """Check whether Pinocchio and Coal load and compute."""
    try:
        return good("Pinocchio", run_python(["-c", _PINOCCHIO], timeout=60))
    except CheckError as error:
        return bad("Pinocchio", str(error), SET_UP)


def check_torch() -> Finding:
    """Check PyTorch, which is optional: only learned methods use it."""
    if importlib.util.find_spec("torch") is None:
        return note("PyTorch", "not installed; only learned methods need it, the main job does not")
    try:
        return good("PyTorch", run_python(["-c", _TORCH], timeout=120))
    except CheckError as error:
        return note("PyTorch", str(error), "reinstall torch to use learned methods")
