"""USD files (.usd, .usda, .usdc): a part for each rigid body, or else for each mesh."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from autourdf_ros.data.parts.formats.mesh_bounds import BOUNDS, check_nodes, check_triangles
from autourdf_ros.data.parts.formats.raw_scene import (
    RawPart,
    RawScene,
    UpAxis,
    fans,
    joined,
    placed,
    used_only,
)
from autourdf_ros.errors import InputError

USD_SUFFIXES = (".usd", ".usda", ".usdc")


def check_usd_reader(path: Path) -> None:
    """Raise InputError where the library that reads USD is not installed."""
    if find_spec("pxr") is None:
        raise InputError(
            f"{path}: USD needs the extra 'usd'; install it: pip install 'autourdf_ros[usd]'"
        )


def read_usd(path: Path) -> RawScene:
    """Read the visible meshes of a stage, in its unit, with its up axis.

    Raises:
        InputError: It cannot be read, names a layer outside of its folder, or holds too much.
    """
    check_usd_reader(path)
    from pxr import Tf, Usd, UsdGeom

    try:
        _check_layers(path)
        stage = Usd.Stage.Open(str(path))
        parts = _meshes(path, stage)
    except (Tf.ErrorException, RuntimeError, ValueError) as error:
        raise InputError(f"{path}: not a readable USD file ({_text(error)})") from error
    metres = float(UsdGeom.GetStageMetersPerUnit(stage))
    if not 0.0 < metres < np.inf:
        raise InputError(f"{path}: its metersPerUnit is {metres}; accepted is a number above 0")
    up: UpAxis = "y" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.y else "z"
    grouped: dict[str, list[RawPart]] = {}
    for body, mesh in parts:
        grouped.setdefault(body, []).append(mesh)
    whole = (joined(tuple(found), body.rpartition("/")[2]) for body, found in grouped.items())
    return RawScene(
        tuple(RawPart(one.name, one.vertices, one.triangles, metres, up) for one in whole)
    )


def _text(error: Exception) -> str:
    """Return what an error says in one line, where it says anything that is text."""
    try:
        return " ".join(str(error).split())[:200]
    except UnicodeDecodeError:  # it quotes the bytes of the file
        return type(error).__name__


def _check_layers(path: Path) -> None:
    """Refuse layers outside of the folder of the file."""
    from pxr import UsdUtils

    layers, _, unresolved = UsdUtils.ComputeAllDependencies(str(path))
    if not layers:
        raise ValueError("it has no layer")
    folder = path.resolve().parent
    for layer in layers:
        if layer.realPath and not Path(layer.realPath).resolve().is_relative_to(folder):
            raise InputError(
                f"{path}: names the layer {layer.realPath[:200]}; accepted are files in its folder"
            )
    missing = [name for name in unresolved if name.lower().endswith(USD_SUFFIXES)]
    if missing:
        raise InputError(f"{path}: names the layer {missing[0][:200]}, which does not exist")


def _meshes(path: Path, stage: Any) -> list[tuple[str, RawPart]]:
    """Return each mesh in the stage's frame, with the path of its rigid body or of itself."""
    from pxr import Usd, UsdGeom, UsdPhysics

    poses = UsdGeom.XformCache()
    found: list[tuple[str, RawPart]] = []
    total = 0
    for seen, prim in enumerate(Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()), 1):
        check_nodes(path, seen)
        if not prim.IsA(UsdGeom.Mesh) or not _is_shown(UsdGeom.Imageable(prim)):
            continue
        mesh = _mesh(path, UsdGeom.Mesh(prim))
        total += len(mesh.triangles)
        check_triangles(path, total)
        body = prim
        while body and not body.HasAPI(UsdPhysics.RigidBodyAPI):
            body = body.GetParent()
        pose = np.array(poses.GetLocalToWorldTransform(prim)).T  # its vectors are rows
        found.append((str((body or prim).GetPath()), placed(mesh, pose)))
        if len({name for name, _ in found}) > BOUNDS.parts:
            raise InputError(
                f"{path}: has more than {BOUNDS.parts} parts; accepted are up to {BOUNDS.parts}"
            )
    return found


def _is_shown(prim: Any) -> bool:
    from pxr import UsdGeom

    hidden = (UsdGeom.Tokens.guide, UsdGeom.Tokens.proxy)
    return (
        prim.ComputePurpose() not in hidden and prim.ComputeVisibility() != UsdGeom.Tokens.invisible
    )


def _mesh(path: Path, mesh: Any) -> RawPart:
    """Return a mesh in its own frame."""
    name = str(mesh.GetPath())
    points = np.array(mesh.GetPointsAttr().Get() or np.empty((0, 3)), np.float64).reshape(-1, 3)
    sizes = np.array(mesh.GetFaceVertexCountsAttr().Get() or (), np.int64)
    corners = np.array(mesh.GetFaceVertexIndicesAttr().Get() or (), np.int64)
    check_triangles(path, len(corners))
    if len(corners) and (corners.min() < 0 or corners.max() >= len(points)):
        raise ValueError(f"{name} has faces of vertex {corners.min()} to {corners.max()}")
    if sizes.sum() != len(corners) or (len(sizes) and sizes.min() < 3):
        raise ValueError(f"{name} has faces whose counts are wrong")
    triangles = fans(sizes, corners)
    if str(mesh.GetOrientationAttr().Get()) == "leftHanded":
        triangles = triangles[:, ::-1]
    return used_only(RawPart(name, points, triangles))
