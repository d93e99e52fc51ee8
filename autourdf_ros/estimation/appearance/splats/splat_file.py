"""PLY files of splats, as viewers of Gaussian splats read them.

The properties are those of the reference implementation (Kerbl et al., 2023): x, y, z, nx, ny, nz,
f_dc_0..2, opacity, scale_0..2, rot_0..3, little endian, so that gsplat and web viewers show a link
as it looks under a light of 1 from all sides. The light itself is in the result's document.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.cloud_files.ply_reading import columns, read_vertices
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.appearance.rasterizer.projection import Floats
from autourdf_ros.estimation.appearance.splats.harmonics import C0
from autourdf_ros.estimation.appearance.splats.splat_model import Splats

_GROUPS = {
    "means": ("x", "y", "z"),
    "normals": ("nx", "ny", "nz"),
    "albedos": ("f_dc_0", "f_dc_1", "f_dc_2"),
    "logits": ("opacity",),
    "log_scales": ("scale_0", "scale_1", "scale_2"),
    "quaternions": ("rot_0", "rot_1", "rot_2", "rot_3"),
}
_NAMES = tuple(name for group in _GROUPS.values() for name in group)
_MIDDLE = 0.5  # colour of a coefficient of 0


def write_splats(splats: Splats, chosen: NDArray[np.bool_], path: Path) -> None:
    """Write the splats of one link, in its frame.

    Args:
        splats: Of all links.
        chosen: (N,) those that are written.
        path: Of the file.
    """
    arrays = {name: getattr(splats, name)[chosen] for name in _GROUPS}
    arrays["albedos"] = (arrays["albedos"] - _MIDDLE) / C0
    table = np.column_stack([arrays[name] for name in _GROUPS]).astype("<f4")
    header = "\n".join(
        [
            "ply",
            "format binary_little_endian 1.0",
            f"element vertex {len(table)}",
            *(f"property float {name}" for name in _NAMES),
            "end_header\n",
        ]
    )
    path.write_bytes(header.encode() + table.tobytes())


def read_splats(path: Path, light: Floats) -> Splats:
    """Return the splats of a file, under a light (9, 3).

    Raises:
        InputError: The file is none of splats, is cut off, or holds numbers that are not finite.
    """
    table = read_vertices(path)
    lacking = sorted(set(_NAMES) - set(table.dtype.names or ()))
    if lacking:
        raise InputError(
            f"{path}: has no {', '.join(lacking)}; accepted is a PLY file of Gaussian splats with "
            f"{', '.join(_NAMES)}"
        )
    arrays = {name: columns(table, group).astype(np.float32) for name, group in _GROUPS.items()}
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise InputError(f"{path}: {_GROUPS[name]} are not all finite; accepted are numbers")
    for name in ("quaternions", "normals"):
        if not (np.linalg.norm(arrays[name], axis=1) > 0).all():
            raise InputError(f"{path}: {_GROUPS[name]} are 0 in one; accepted is any other length")
    arrays["albedos"] = arrays["albedos"] * np.float32(C0) + np.float32(_MIDDLE)
    arrays["logits"] = arrays["logits"][:, 0]
    return Splats(**{n: np.ascontiguousarray(a) for n, a in arrays.items()}, light=light)
