"""Everyday objects that scene-synthesizer builds from parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from autourdf_ros.benchmark.parts.case_source import CaseSource
from autourdf_ros.data.parts.erased.mechanism import Mechanism
from autourdf_ros.data.parts.erased.urdf_mechanism import urdf_mechanism

_PACKAGE = "scene-synthesizer"
_CABINET = {"width": 0.8, "depth": 0.45, "height": 0.9}
_LEVER = {"lever_length": 0.1, "base": True}

# Case, class of asset, parameters (m).
_OBJECTS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("refrigerator", "RefrigeratorAsset", {}),
    (
        "refrigerator_right",
        "RefrigeratorAsset",
        {"handle_left": False, "freezer_compartment_height": 0.35, "height": 1.2, "width": 0.6},
    ),
    ("microwave", "MicrowaveAsset", {}),
    ("microwave_left", "MicrowaveAsset", {"handle_left": True, "width": 0.5, "height": 0.3}),
    ("range", "RangeAsset", {}),
    ("dishwasher", "DishwasherAsset", {}),
    (
        "cabinet_doors",
        "CabinetAsset",
        {
            **_CABINET,
            "compartment_mask": [[0, 1]],
            "compartment_types": ["door_left", "door_right"],
        },
    ),
    (
        "cabinet_drawers",
        "CabinetAsset",
        {
            **_CABINET,
            "compartment_mask": [[0], [1], [2]],
            "compartment_types": ["drawer", "drawer", "drawer"],
        },
    ),
    (
        "cabinet_mixed",
        "CabinetAsset",
        {
            **_CABINET,
            "compartment_mask": [[0, 1], [2, 2]],
            "compartment_types": ["drawer", "door_right", "door_bottom"],
        },
    ),
    ("sink_cabinet", "SinkCabinetAsset", {"width": 0.9, "depth": 0.6, "height": 0.9}),
    ("lever_switch", "LeverSwitchAsset", _LEVER),
    (
        "safety_switch",
        "SafetySwitchAsset",
        {
            "fuse_box_width": 0.2,
            "fuse_box_depth": 0.1,
            "fuse_box_height": 0.3,
            "lever_length": 0.12,
            "base": True,
        },
    ),
    ("machine_door", "CNCMachineAsset", {"button_size": 0.0, "window_size": 0.5}),
)


def synthesised_objects() -> tuple[CaseSource, ...]:
    """Return all objects, whether the package is installed or not."""
    return tuple(_source(*one) for one in _OBJECTS)


def _source(name: str, asset: str, parameters: Mapping[str, Any]) -> CaseSource:
    return CaseSource(name, "object", _PACKAGE, lambda: _build(name, asset, parameters))


def _build(name: str, asset: str, parameters: Mapping[str, Any]) -> Mechanism:
    with TemporaryDirectory() as folder, _free_triangulation():
        from scene_synthesizer import procedural_assets

        built = getattr(procedural_assets, asset)(**parameters)
        urdf = Path(folder) / f"{name}.urdf"
        built._model.write_xml_file(str(urdf))
        return urdf_mechanism(urdf)


@contextmanager
def _free_triangulation() -> Iterator[None]:
    """Triangulate with Manifold: the assets ask for a library that is not free."""
    from trimesh import creation

    library: Any = creation
    original = library.triangulate_polygon

    def triangulate(polygon: Any, **options: Any) -> Any:
        rings = [np.array(ring.coords)[:, :2] for ring in (polygon.exterior, *polygon.interiors)]
        flat = type(polygon)(rings[0], rings[1:])
        return original(flat, **{**options, "engine": "manifold"})

    library.triangulate_polygon = triangulate
    try:
        yield
    finally:
        library.triangulate_polygon = original
