"""From an object's shape and the wrenches that it exerts to its payload: files, URDF, report."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.data.wrenches.wrench_recording import WrenchRecording
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.common.estimator import provenance
from autourdf_ros.estimation.inertia.payload.payload_data import PayloadData, PayloadEstimate
from autourdf_ros.estimation.inertia.payload.payload_pipeline import (
    Identified,
    IdentifyOptions,
    identify_payload,
)
from autourdf_ros.export.enrichment import enrich
from autourdf_ros.export.payload.jointed_files import jointed_sections, write_jointed_urdf
from autourdf_ros.export.payload.payload_files import (
    PayloadNotes,
    check_payload_output,
    payload_document,
    write_payload_files,
)
from autourdf_ros.files.atomic_folder import replacing
from autourdf_ros.model.inertial.held_payload import HeldPayload
from autourdf_ros.model.inertial.inertial_parameters import moving_matrix
from autourdf_ros.model.inertial.jointed_description import JointedDescription
from autourdf_ros.model.layers.inertia import InertiaLayer, LinkInertia
from autourdf_ros.model.layers.layer import Verdict
from autourdf_ros.model.result_files import URDF, result_document
from autourdf_ros.model.urdf.urdf_reading import read_description
from autourdf_ros.progress import Progress, part, silent
from autourdf_ros.report.payload.payload_account import PayloadAccount
from autourdf_ros.report.payload.payload_page import write_payload_report
from autourdf_ros.shape.segmentation.over_segmentation import over_segmented
from autourdf_ros.shape.solid.cloud_solid import cloud_solid
from autourdf_ros.shape.solid.coloured_surface import ColouredSurface
from autourdf_ros.shape.solid.mesh_solid import even_points, mesh_solid
from autourdf_ros.shape.solid.solid_body import SolidBody
from autourdf_ros.workflows.payloads.object_scan import ScannedObject

Array = NDArray[np.float64]

_PARTS = 4
"""Parts of the method hps: as many as records at rest determine."""


@dataclass(frozen=True)
class HeldObject:
    """An object whose shape is known.

    Attributes:
        body: Its volume in its own frame.
        points: (n, 3) of its surface, in its own frame (m).
        colours: (n, 3) of them, RGB from 0 to 1; None where unknown.
        name: For the report.
        observed: (n,) whether a sensor saw the point; None where all were seen.
        jointed: Description of an object with joints; None for a rigid one.
        links: (m,) link of each of the body's m elements, of an object with joints.
        corners: (c, 3) vertices of its mesh, in whose hull all of it is; None without a mesh.
    """

    body: SolidBody
    points: Array
    colours: Array | None
    name: str
    observed: NDArray[np.bool_] | None = None
    jointed: JointedDescription | None = None
    links: NDArray[np.int64] | None = None
    corners: Array | None = None

    @property
    def unseen(self) -> float:
        """Share of the volume whose nearest surface was not seen."""
        return float(self.body.volumes[~self.body.seen].sum() / self.body.volume)


@dataclass(frozen=True)
class PayloadChoices:
    """Choices of the user.

    Attributes:
        identify: Of sensor and estimator.
        pose: (4, 4) of the object's frame in the sensor's frame.
        frame: Name of the sensor's frame.
        result: Result folder and name of the link that holds the payload; None: none is changed.
        sensor_in_link: (4, 4) pose of the sensor's frame in that link's.
    """

    identify: IdentifyOptions = field(default_factory=IdentifyOptions)
    pose: Array = field(default_factory=lambda: np.eye(4))
    frame: str = "sensor"
    result: tuple[Path, str] | None = None
    sensor_in_link: Array = field(default_factory=lambda: np.eye(4))


def object_of_surface(surface: ColouredSurface, name: str) -> HeldObject:
    """Return the object whose surface points show from all sides."""
    return HeldObject(cloud_solid(surface), surface.points, surface.colours, name)


def object_on_its_table(found: ScannedObject, name: str) -> HeldObject:
    """Return the object that stood on a table; its unseen side makes the shape less certain.

    The surface is somewhere between that which closes what was seen, and that which goes straight
    down to the table: half the distance of the two bodies' centres is a standard deviation.
    """
    surface = found.surface
    body = cloud_solid(surface)
    if surface.observed is not None and not surface.observed.all():
        body = replace(body, shape_std=max(body.shape_std, _between(found, body)))
    return HeldObject(body, surface.points, surface.colours, name, surface.observed)


def _between(found: ScannedObject, body: SolidBody) -> float:
    """Half the distance (m) of a body's centre to that of what closes the seen surface alone."""
    surface = found.surface
    seen = surface.chosen(np.asarray(surface.observed))
    centre = body.volumes @ body.centres / body.volume
    try:
        least = cloud_solid(seen)
        other = least.volumes @ least.centres / least.volume
    except InputError:  # a flat piece, which encloses nothing
        other = seen.points.mean(0)
    return float(np.linalg.norm(other - centre)) / 2


def object_of_mesh(mesh: Any, name: str) -> HeldObject:
    """Return the object inside a trimesh."""
    corners = np.asarray(mesh.vertices, float)
    return HeldObject(mesh_solid(mesh), even_points(mesh), None, name, corners=corners)


def payload_to_folder(
    held: HeldObject,
    recording: WrenchRecording,
    out: Path,
    choices: PayloadChoices,
    progress: Progress = silent,
) -> HeldPayload:
    """Find a held object's payload and write its folder at `out`, whole or not at all.

    Raises:
        InputError: names what is wrong with records or shape; then nothing is written.
    """
    out = check_payload_output(out)
    if choices.result is not None:
        _check_attached(*choices.result)
    data = PayloadData(recording, held.body, choices.pose)
    data = _segmented(data, held, choices.identify.payload.method)
    found = identify_payload(data, choices.identify, part(progress, 0.0, 0.6))
    found = _with_doubt(found, held)
    estimate = found.estimate
    payload = HeldPayload(estimate.parameters, estimate.covariance, choices.frame)
    sections = {**_sections(found), "shape": _shape_section(held)}
    if held.jointed is not None and estimate.links is not None:
        linked = estimate.links
        sections |= jointed_sections(
            held.jointed, linked.parameters, linked.covariance, choices.pose
        )
    notes = PayloadNotes(estimate.method, estimate.warnings, sections)
    document = payload_document(payload, notes)
    progress("writing", 0.7)
    with replacing(out) as folder:
        write_payload_files(document, folder)
        if held.jointed is not None:
            write_jointed_urdf(held.jointed, document, choices.pose, folder)
        write_payload_report(_account(held, payload, document, found, choices.pose), folder)
    if choices.result is not None:
        own = in_link(payload, choices.sensor_in_link, choices.result[1])
        attach_payload(own, estimate, choices.result, part(progress, 0.8, 1.0))
    progress("done", 1.0)
    return payload


def _check_attached(folder: Path, link: str) -> None:
    """Raise InputError where no payload can be attached, before anything is written."""
    result_document(folder)
    links = [one.name for one in read_description(folder / URDF).links]
    if link not in links:
        raise InputError(f"{folder}: has no link {link!r}; accepted are {', '.join(links)}")


def in_link(payload: HeldPayload, sensor_in_link: Array, link: str) -> HeldPayload:
    """Return the payload in the frame of a link, given the pose (4, 4) of the sensor's in it."""
    matrix = moving_matrix(sensor_in_link)
    spread = None if payload.covariance is None else matrix @ payload.covariance @ matrix.T
    return HeldPayload(matrix @ payload.parameters, spread, link)


def attach_payload(
    payload: HeldPayload,
    estimate: PayloadEstimate,
    result: tuple[Path, str],
    progress: Progress = silent,
) -> Path:
    """Write the payload as the inertia of a link of a result folder, as a new version of it.

    Args:
        payload: In the link's frame.
        estimate: Where it comes from.
        result: The folder and the link that holds the payload.
        progress: Is called with stage and fraction.
    """
    folder, link = result
    own = LinkInertia(
        payload.mass, payload.centre, payload.inertia, payload.covariance, payload=True
    )
    layer = InertiaLayer(
        provenance=provenance(f"inertia/{estimate.method}", ""),
        verdict=Verdict("doubtful" if estimate.warnings else "trusted", estimate.warnings),
        links={link: own},
    )
    return enrich(folder, layer, progress)


def _segmented(data: PayloadData, held: HeldObject, method: str) -> PayloadData:
    """The clusters or parts that a method needs."""
    if method == "field":
        clusters = over_segmented(held.body, groups=held.links)
        return replace(data, clusters=clusters, links=held.links)
    if held.jointed is not None:
        raise InputError(
            f"--method {method}: {held.jointed.path} has joints; accepted is --method field"
        )
    if method == "hps":
        from autourdf_ros.shape.segmentation.htc import htc_parts

        surface = ColouredSurface(held.points, held.colours)
        return replace(data, parts=htc_parts(held.body, _PARTS, surface))
    return data


def _with_doubt(found: Identified, held: HeldObject) -> Identified:
    """With a warning where most of the object was never seen."""
    if held.unseen <= 0.5:
        return found
    warning = (
        f"{100 * held.unseen:.0f} % of the object were never seen; they are closed down to the "
        "table. Move the camera around the object"
    )
    estimate = replace(found.estimate, warnings=(*found.estimate.warnings, warning))
    return replace(found, estimate=estimate)


def _shape_section(held: HeldObject) -> dict[str, float]:
    """Volume (m³), share of it that was not seen, and how well the surface is known (m)."""
    return {"volume": held.body.volume, "unseen": held.unseen, "std": held.body.shape_std}


def _sections(found: Identified) -> dict[str, Any]:
    """Further entries of payload.json."""
    estimate, prepared = found.estimate, found.prepared
    return {
        "part_masses": estimate.part_masses.tolist(),
        "condition_number": _finite(estimate.condition_number),
        "records": {
            "all": len(estimate.used) + prepared.recording.left_out,
            "used": int(estimate.used.sum()),
            "left_out": prepared.recording.left_out,
        },
        "sensor": {
            "bias": None if estimate.bias is None else estimate.bias.tolist(),
            "bias_std": None if estimate.bias_std is None else estimate.bias_std.tolist(),
            "delay": prepared.delay,
            "drift": prepared.drift.tolist(),
            "correlation": None if estimate.correlation is None else estimate.correlation.tolist(),
        },
    }


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _account(
    held: HeldObject,
    payload: HeldPayload,
    document: dict[str, Any],
    found: Identified,
    pose: Array,
) -> PayloadAccount:
    recording = found.prepared.recording
    points = held.points @ pose[:3, :3].T + pose[:3, 3]
    return PayloadAccount(
        payload,
        document,
        points,
        held.colours,
        recording.times,
        recording.wrenches,
        found.estimate.predicted,
        held.name,
        held.observed,
    )
