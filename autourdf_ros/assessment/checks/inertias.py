"""Check whether a body with the mass, centre and inertia of a link can exist where the link is."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.assessment.checks.finding import Finding, concluded, skipped
from autourdf_ros.assessment.checks.subject import Subject
from autourdf_ros.model.urdf.described_robot import DescribedLink, Inertial

INERTIAS = "inertias"

_ROUNDING = 1e-3  # share of the largest moment: files have few digits


def check_inertias(subject: Subject) -> tuple[Finding, ...]:
    """Check that inertias are physically possible and that every moving body has one.

    The tensor must be positive definite (or zero, a point mass, on a link that is fixed to
    another), and its principal moments must satisfy the triangle inequality (Traversaro et al.,
    "Identification of fully physical consistent inertial parameters", IROS 2016). Where the link's
    shapes are known, the centre of mass must be at most half the diagonal of their bounding box
    outside that box, and no radius of gyration may exceed the diagonal.
    """
    links = [link for link in subject.robot.links if _is_body(link)]
    failures = [failure for link in links for failure in _of_link(link, subject)]
    failures += [
        f"link '{name}' moves, but neither it nor what is fixed to it has a mass; accepted is a "
        "mass above 0"
        for name in _massless(subject)
    ]
    if not links and not failures:
        return skipped(INERTIAS, "no link has one, and none moves")
    return concluded(INERTIAS, failures, f"{len(links)} links")


def _is_body(link: DescribedLink) -> bool:
    """Whether it has an inertial; one that is all zero counts as none."""
    inertial = link.inertial
    return inertial is not None and bool(inertial.mass or inertial.tensor.any())


def _is_fixed(link: DescribedLink, subject: Subject) -> bool:
    return any(j.child == link.name and j.type == "fixed" for j in subject.robot.joints)


def _of_link(link: DescribedLink, subject: Subject) -> list[str]:
    inertial = link.inertial
    assert inertial is not None
    where = f"link '{link.name}'"
    if not inertial.mass > 0:
        return [f"{where} has mass {inertial.mass:g} kg; accepted is above 0"]
    moments = np.asarray(np.linalg.eigvalsh(inertial.tensor), float)
    listed = ", ".join(f"{moment:.3g}" for moment in moments)
    point = not inertial.tensor.any() and _is_fixed(link, subject)
    if not (moments[0] > 0 or point):
        return [f"{where} has principal moments {listed} kg m²; accepted are all above 0"]
    failures = []
    if moments[0] + moments[1] < (1 - _ROUNDING) * moments[2]:
        failures.append(
            f"{where} has principal moments {listed} kg m², of which the largest exceeds the sum "
            "of the others; no body has these"
        )
    bounds = _bounds(link, subject)
    return failures if bounds is None else failures + _in_place(inertial, moments, bounds, where)


def _in_place(
    inertial: Inertial, moments: NDArray[np.float64], bounds: NDArray[np.float64], where: str
) -> list[str]:
    failures = []
    diagonal = float(np.linalg.norm(np.ptp(bounds, axis=0)))
    centre = inertial.pose[:3, 3]
    outside = float(np.linalg.norm(centre - np.clip(centre, *bounds)))
    if outside > diagonal / 2:
        failures.append(
            f"{where} has its centre of mass {outside:.3g} m outside its shapes; accepted are "
            f"{diagonal / 2:.3g} m"
        )
    gyration = float(np.sqrt(moments[2] / inertial.mass))
    if gyration > diagonal:
        failures.append(
            f"{where} has a radius of gyration of {gyration:.3g} m; accepted is its shapes' size, "
            f"{diagonal:.3g} m"
        )
    return failures


def _bounds(link: DescribedLink, subject: Subject) -> NDArray[np.float64] | None:
    """Return the (2, 3) box (m) around a link's shapes in its frame; None without known shapes."""
    corners = []
    for shape in link.shapes:
        box = subject.bounds(shape)
        if box is not None and np.isfinite(box).all():
            grid = np.array([[box[i, 0], box[j, 1], box[k, 2]] for i, j, k in np.ndindex(2, 2, 2)])
            corners.append(grid @ shape.pose[:3, :3].T + shape.pose[:3, 3])
    if not corners:
        return None
    points = np.vstack(corners)
    return np.array([points.min(0), points.max(0)])


def _massless(subject: Subject) -> list[str]:
    """Return children of moving joints whose body, with all links fixed to it, has no inertial."""
    robot = subject.robot
    weighty = {link.name for link in robot.links if _is_body(link)}
    fixed = [joint for joint in robot.joints if joint.type == "fixed"]
    names = []
    for joint in robot.moving_joints:
        body, new = {joint.child}, {joint.child}
        while new:
            new = {f.child for f in fixed if f.parent in new} - body
            body |= new
        if not body & weighty:
            names.append(joint.child)
    return names
