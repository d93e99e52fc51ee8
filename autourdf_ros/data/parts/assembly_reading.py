"""Read the parts of a robot or an object from files of any accepted layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from autourdf_ros.data.parts.formats.mesh_bounds import check_file
from autourdf_ros.data.parts.formats.mesh_file import MESHES, read_mesh_file
from autourdf_ros.data.parts.formats.mesh_folder import read_folder
from autourdf_ros.data.parts.formats.raw_scene import RawScene
from autourdf_ros.data.parts.part_assembly import Part, PartAssembly, SetAside
from autourdf_ros.data.parts.part_checks import fault, merge_vertices, without_duplicates
from autourdf_ros.data.parts.part_names import part_names
from autourdf_ros.data.parts.part_units import check_size, in_metres
from autourdf_ros.data.parts.parts_options import PartsOptions
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, part, silent

ACCEPTED = f"a folder of meshes ({', '.join(MESHES)})"


def read_assembly(
    path: Path | str, options: PartsOptions = PartsOptions(), progress: Progress = silent
) -> PartAssembly:
    """Read parts that stand together.

    Args:
        path: A folder with one mesh file a part.
        options: Choices of the user.
        progress: Is called with stage and fraction, and may raise to cancel.

    Returns:
        The usable parts in metres, with legal, unique names, and what is set aside.

    Raises:
        InputError: Names the file, what is wrong with it, and what is accepted.
    """
    path = Path(path)
    scene = _scene(path, part(progress, 0.0, 0.7))
    return assembly_of(scene, path, options, part(progress, 0.7, 1.0))


def _scene(path: Path, progress: Progress) -> RawScene:
    if not path.exists():
        raise InputError(f"{path}: does not exist; accepted is {ACCEPTED}")
    if path.is_dir():
        return read_folder(path, progress)
    check_file(path)
    return read_mesh_file(path)


def assembly_of(
    scene: RawScene, path: Path, options: PartsOptions, progress: Progress = silent
) -> PartAssembly:
    """Clean, scale and name the meshes of a file or folder, and set aside what is unusable.

    Raises:
        InputError: Fewer than two parts are usable, or their size is implausible.
    """
    progress("checking parts", 0.0)
    merged = [merge_vertices(one) for one in scene.parts]
    names, notes = part_names(one.name for one in merged)
    named = [replace(one, name=name) for one, name in zip(merged, names, strict=True)]
    faults = {one.name: fault(one) for one in named}
    aside = [SetAside(name, reason) for name, reason in faults.items() if reason]
    usable = [in_metres(one, options) for one in named if not faults[one.name]]
    kept, repeated = without_duplicates(usable)
    check_size(path, kept, options)
    return PartAssembly(
        name=_assembly_name(path),
        parts=tuple(Part(one.name, one.vertices, one.triangles) for one in kept),
        set_aside=(*aside, *repeated),
        source=path,
        notes=(*scene.notes, *notes),
    )


def _assembly_name(path: Path) -> str:
    """Return the name of a file or folder; a folder `parts` or `meshes` has that of the one above."""
    whole = path.resolve()
    return whole.parent.name if whole.name in ("parts", "meshes") else whole.stem
