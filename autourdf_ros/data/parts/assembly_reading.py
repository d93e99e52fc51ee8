"""Read the parts of a robot or an object from files of any accepted layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from autourdf_ros.data.parts.component_split import split_components
from autourdf_ros.data.parts.formats.isolated_reading import read_isolated
from autourdf_ros.data.parts.formats.mesh_bounds import BOUNDS, check_file
from autourdf_ros.data.parts.formats.mesh_file import MESHES, read_mesh_file
from autourdf_ros.data.parts.formats.mesh_folder import read_folder
from autourdf_ros.data.parts.formats.raw_scene import RawPart, RawScene
from autourdf_ros.data.parts.formats.usd_reading import USD_SUFFIXES, check_usd_reader
from autourdf_ros.data.parts.part_assembly import Part, PartAssembly, SetAside
from autourdf_ros.data.parts.part_checks import fault, merge_vertices, with_few_duplicates
from autourdf_ros.data.parts.part_names import part_names
from autourdf_ros.data.parts.part_units import check_size, in_metres, unit_notes
from autourdf_ros.data.parts.parts_options import PartsOptions
from autourdf_ros.errors import InputError
from autourdf_ros.progress import Progress, part, silent

_MODELS = (".urdf", ".xml", ".mjcf")
ACCEPTED = (
    f"a folder of meshes, a file of one mesh or of named parts ({', '.join(MESHES)}, "
    f"{', '.join(USD_SUFFIXES)}), or a robot description whose joints are erased "
    f"({', '.join(_MODELS)})"
)


def read_assembly(
    path: Path | str,
    options: PartsOptions = PartsOptions(),  # noqa: B008  (frozen)
    progress: Progress = silent,
) -> PartAssembly:
    """Read parts that stand together.

    Args:
        path: A folder with one mesh file a part; a file with named parts; a file with one mesh,
            which is split into its connected components; a URDF or MJCF, whose joints are erased.
        options: Choices of the user.
        progress: Is called with stage and fraction, and may raise to cancel.

    Returns:
        The usable parts in metres, z up, with legal, unique names, and what is set aside.

    Raises:
        InputError: Names the file, what is wrong with it, and what is accepted.
    """
    path = Path(path)
    scene = _scene(path, part(progress, 0.0, 0.7))
    return assembly_of(scene, path, options, part(progress, 0.7, 1.0))


def _scene(path: Path, progress: Progress) -> RawScene:
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:  # a name that is too long, or has a zero byte
        raise InputError(f"{path}: cannot be read: {error}; accepted is {ACCEPTED}") from error
    if not exists:
        raise InputError(f"{path}: does not exist; accepted is {ACCEPTED}")
    if path.is_dir():
        return read_folder(path, progress)
    check_file(path)
    progress(f"reading {path.name}", 0.0)
    suffix = path.suffix.lower()
    if suffix in USD_SUFFIXES:
        check_usd_reader(path)
        return read_isolated("usd", path)
    if suffix in _MODELS:
        return read_isolated("model", path)
    if suffix not in MESHES:
        raise InputError(f"{path}: is of a format that is not read; accepted is {ACCEPTED}")
    return read_mesh_file(path)


def assembly_of(
    scene: RawScene, path: Path, options: PartsOptions, progress: Progress = silent
) -> PartAssembly:
    """Clean, scale, split and name the meshes of a file or folder; set aside what is unusable.

    Raises:
        InputError: Fewer than two parts are usable, there are too many, or their size is
            implausible.
    """
    progress("checking parts", 0.0)
    merged = [in_metres(merge_vertices(one), options) for one in scene.parts]
    pieces, lonely, notes = _split(merged, scene, options)
    if len(pieces) > BOUNDS.parts:
        raise InputError(f"{path}: has {len(pieces)} parts; accepted are up to {BOUNDS.parts}")
    names, renamed = part_names(one.name for one in pieces)
    named = [replace(one, name=name) for one, name in zip(pieces, names, strict=True)]
    faults = {one.name: fault(one) for one in named}
    aside = [SetAside(name, reason) for name, reason in faults.items() if reason]
    progress("checking parts", 0.5)
    kept, repeated = with_few_duplicates([one for one in named if not faults[one.name]])
    check_size(path, kept, options)
    return PartAssembly(
        name=_assembly_name(path),
        parts=tuple(Part(one.name, one.vertices, one.triangles) for one in kept),
        set_aside=(*lonely, *aside, *repeated),
        source=path,
        reading=options,
        notes=(*scene.notes, *unit_notes(scene.parts, options), *notes, *renamed),
    )


def _split(
    parts: list[RawPart], scene: RawScene, options: PartsOptions
) -> tuple[list[RawPart], list[SetAside], list[str]]:
    """Split every mesh where the user wants it, or where there is only one."""
    if not options.split and (scene.rigid or len(parts) != 1):
        return parts, [], []
    splits = [split_components(one) for one in parts if not fault(one)]
    pieces = [piece for split in splits for piece in split.parts]
    pieces += [one for one in parts if fault(one)]
    notes = [split.note for split in splits if split.note]
    return pieces, [one for split in splits for one in split.set_aside], notes


def _assembly_name(path: Path) -> str:
    """Return the name of a file or folder, or of the folder around `parts` or `meshes`."""
    whole = path.resolve()
    return whole.parent.name if whole.name in ("parts", "meshes") else whole.stem
