"""Layers that come to a result folder later: the one call that estimators make to store theirs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from numpy.typing import NDArray

from autourdf_ros.errors import InputError
from autourdf_ros.export.formats.urdf import nine_digits
from autourdf_ros.export.revision import Edit, stated_model
from autourdf_ros.export.versions import write_version
from autourdf_ros.model.document.layer_entries import layers_document
from autourdf_ros.model.document_migration import VERSION
from autourdf_ros.model.layers.appearance import AppearanceLayer
from autourdf_ros.model.layers.dynamics import DynamicsLayer, JointDynamics
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import Layer, plain_values
from autourdf_ros.model.result_files import DOCUMENT, FIGURES, SPLATS, URDF, result_document
from autourdf_ros.model.self_model import SelfModel, name_of
from autourdf_ros.progress import Progress, silent


@dataclass(frozen=True)
class LayerAccount:
    """What an estimator states beside its layer.

    Attributes:
        layers: Further layers of the same estimate.
        sections: Entries of the document, by key; values may be arrays and dataclasses.
        figures: Of the report, by name: each draws itself as SVG into a file.
        files: Texts of further files that a result folder may have, by name (`result_files.py`).
    """

    layers: tuple[Layer, ...] = ()
    sections: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Callable[[Path], None]] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)


_MOMENTS = ("xx", "xy", "xz", "yy", "yz", "zz")


def enrich(
    folder: Path,
    layer: Layer,
    progress: Progress = silent,
    *,
    files: Mapping[str, Path] | None = None,
    account: LayerAccount | None = None,
    before: Edit | None = None,
) -> Path:
    """Add a layer to a result folder, or renew it, as a new version; return the absolute path.

    URDF, MJCF, packages, checks and report follow. Layers that rest on the one before are stale
    from then on. Links or joints that the layer does not name keep what they had.

    Args:
        folder: The result folder.
        layer: Appearance, inertia or dynamics, by the names of the URDF.
        progress: Is called with stage and fraction.
        files: Files of splats to copy, by the names that an appearance layer gives them.
        account: Further layers of the same estimate, and what the report says of it.
        before: Changes URDF and document first, as in `revise`; the layers rest on what they are
            then.

    Raises:
        InputError: the folder is no result folder or is being written, or the layer names unknown
            links or joints, a file that is not there, or is one that no folder takes later.
    """
    account = account or LayerAccount()
    for one in (layer, *account.layers):
        if not isinstance(one, AppearanceLayer | InertiaLayer | DynamicsLayer):
            raise InputError(
                f"{folder}: layer {name_of(one)} cannot be added; accepted are appearance, inertia "
                "and dynamics: shapes and kinematics come with a reconstruction"
            )

    def edit(new: Path, document: dict[str, Any]) -> dict[str, Any]:
        if before is not None:
            document = before(new, document)
        model = stated_model(new, document)
        for one in (layer, *account.layers):
            if before is not None:
                now = {name: model.digests[name] for name in one.rests_on}
                one = replace(one, rests_on=now)
            model = model.with_layer(_completed(one, model))
            _rewrite(new / URDF, model, one)
            if isinstance(one, AppearanceLayer):
                _copy_splats(new, one, files or {})
        (new / FIGURES).mkdir(exist_ok=True)
        for name, draw in account.figures.items():
            draw(new / FIGURES / f"{name}.svg")
        for name, text in account.files.items():
            (new / name).write_text(text)
        sections = {key: plain_values(value) for key, value in account.sections.items()}
        return {**document, **sections, "layers": layers_document(model)}

    return write_version(folder, edit, progress=progress)


def upgrade(folder: Path, progress: Progress = silent) -> bool:
    """Bring a result folder of an earlier version up to date; return whether it was one.

    Raises:
        InputError: it is no result folder, is damaged or is being written.
    """
    result_document(folder)
    if json.loads((folder / DOCUMENT).read_text())["version"] == VERSION:
        return False
    write_version(folder, lambda new, document: document, progress=progress)
    return True


def _completed(layer: Layer, model: SelfModel) -> Layer:
    """The layer with what it does not name from the one before."""
    before = model.layers.get(name_of(layer))
    if before is None:
        return layer
    kept: dict[str, Any] = {
        key: {**getattr(before, key), **getattr(layer, key)}
        for key in ("links", "joints")
        if hasattr(layer, key)
    }
    return replace(layer, **kept)


def _rewrite(urdf: Path, model: SelfModel, layer: Layer) -> None:
    """Let the URDF have what a layer states; everything else in it stays."""
    tree = etree.parse(urdf, etree.XMLParser(remove_blank_text=True))
    if isinstance(layer, InertiaLayer):
        _comment_masses(tree, layer)
        for name, own in layer.links.items():
            _set_inertial(tree.find(f"link[@name='{name}']"), own)
    if isinstance(layer, DynamicsLayer):
        for name, joint in layer.joints.items():
            _set_dynamics(tree.find(f"joint[@name='{name}']"), joint)
    tree.write(urdf, pretty_print=True, xml_declaration=True, encoding="utf-8")


def _copy_splats(folder: Path, layer: AppearanceLayer, files: Mapping[str, Path]) -> None:
    """Copy the files of a layer; refuse names elsewhere than in `SPLATS`, and files that lack."""
    inside = (folder / SPLATS).resolve()
    for link, splats in layer.links.items():
        target = (folder / splats.file).resolve()
        where = f"layer appearance: link {link!r}: file {splats.file!r}"
        if not target.is_relative_to(inside) or target == inside:
            raise InputError(f"{where}; accepted is a path below {SPLATS}/")
        if splats.file in files:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(files[splats.file], target)
        elif not target.is_file():
            raise InputError(f"{where} is not there; give it among `files`")


def _comment_masses(tree: etree._ElementTree, layer: InertiaLayer) -> None:
    """Say where masses come from, in place of the comment about estimates by volume."""
    for comment in tree.getroot().iterchildren(etree.Comment):
        tree.getroot().remove(comment)
    links = ", ".join(layer.links)
    text = (
        f" Masses and inertias of {links}: {layer.provenance.method}; of other links, estimates by "
        "the volume of the closed visual mesh and one density. "
    )
    tree.getroot().insert(0, etree.Comment(text.replace("--", "-")))


def _set_inertial(link: etree._Element, own: LinkInertia) -> None:
    before = link.find("inertial")
    element = etree.Element("inertial")
    etree.SubElement(element, "origin", xyz=_text(own.centre), rpy="0 0 0")
    etree.SubElement(element, "mass", value=_text([own.mass]))
    moments = {
        f"i{m}": _text([own.inertia["xyz".index(m[0]), "xyz".index(m[1])]]) for m in _MOMENTS
    }
    etree.SubElement(element, "inertia", **moments)
    if before is not None:
        link.replace(before, element)
    else:
        link.insert(0, element)


def _set_dynamics(joint: etree._Element, own: JointDynamics) -> None:
    element = joint.find("dynamics")
    if element is None:
        element = etree.SubElement(joint, "dynamics")
    element.set("damping", _text([own.damping]))
    element.set("friction", _text([own.friction]))


def _text(values: NDArray[np.float64] | list[float]) -> str:
    digits = np.atleast_1d(nine_digits(np.asarray(values, float)))
    return " ".join(f"{value + 0.0:.9g}" for value in digits.tolist())
