"""Compare masses from efforts with figaroh and mujoco.sysid on the same data.

All get the same positions, filtered alike, the same efforts, and bodies of the same shapes and one
density to start from. figaroh finds base parameters by least squares (its QR), without a prior and
without constraints. mujoco.sysid finds pseudo-inertias by Gauss-Newton with finite differences; its
residual here is that of MuJoCo's inverse dynamics, with friction, damping, armature and offset
beside, since a rollout by measured efforts alone diverges; once with its default bounds about the
start, and once with wide ones and more evaluations. figaroh, colorama and absl-py must be
installed; a peer that is not is left out, with the reason.

    .venv/bin/python studies/link_inertia_study.py --robots panda ur5_robot --draws 2
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import types
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree
from scipy.spatial.transform import Rotation

from autourdf_ros.benchmark.links.measure_links import (
    LinkCase,
    errors_of,
    link_case,
    links_table,
    measured,
)
from autourdf_ros.estimation.inertia.links.effort_problem import joint_motion
from autourdf_ros.estimation.inertia.links.link_options import LinkOptions
from autourdf_ros.estimation.inertia.links.motion_filter import filtered_motion
from autourdf_ros.estimation.inertia.links.torque_model import JointMotion
from autourdf_ros.model.inertial.inertial_parameters import (
    mass_centre_inertia,
)
from autourdf_ros.model.urdf.robot_library import find_urdf

WIDE = {
    "mass_bound_mult": (0.01, 100.0),
    "ipos_bound_off": (-1.0, 1.0),
    "stretch_bound_mult": (1e-4, 1e4),
    "shear_bound_off": (-5.0, 5.0),
}
EVALUATIONS = {False: 30, True: 100}
THINNED = 8  # every so many records for mujoco.sysid: it evaluates the model for each parameter


def states(case: LinkCase, held_out: bool) -> tuple[JointMotion, np.ndarray]:
    """Return the filtered motion of a recording and its efforts."""
    chosen = case.held_out if held_out else case.training
    motion = filtered_motion(chosen.recording, LinkOptions().filter)
    return joint_motion(motion, slice(None)), motion.efforts


def row(case: LinkCase, draw: int, method: str, predicted: np.ndarray, **more: Any) -> dict:
    """Return the figures of a peer."""
    errors = errors_of(case, predicted)
    return {
        "name": case.name,
        "draw": draw,
        "method": method,
        "measured": errors.measured,
        "true": errors.true,
        **more,
    }


def _without_viewers(package: str, inside: str) -> None:
    """Let modules of a package be imported without its own start, which needs viewers."""
    if f"{package}.{inside}" in sys.modules:
        return
    found = importlib.util.find_spec(package)
    if found is None or found.submodule_search_locations is None:
        raise ImportError(f"{package} is not installed")
    for name, end in ((package, ""), (f"{package}.{inside}", inside)):
        module = types.ModuleType(name)
        module.__path__ = [str(Path(found.submodule_search_locations[0]) / end)]
        sys.modules[name] = module


def by_figaroh(case: LinkCase, draw: int) -> dict:
    """Identify base parameters as figaroh's double QR does; friction's columns are appended."""
    _without_viewers("figaroh", "tools")
    from figaroh.tools.qrdecomposition import QRDecomposer
    from figaroh.tools.regressor import eliminate_non_dynaffect

    (motion, efforts), (other, _) = states(case, False), states(case, True)
    start = time.perf_counter()
    # Joint after joint, as figaroh stacks its records; its columns are those of Pinocchio.
    matrix, test = (
        np.swapaxes(case.model.regressor(one), 0, 1).reshape(-1, case.model.size)
        for one in (motion, other)
    )
    truth = dict(zip(case.model.names, case.parameters.tolist(), strict=True))
    # Rows by their joint's noise, from least squares before: without, large joints drown the wrist.
    first = np.linalg.lstsq(matrix, efforts.T.ravel(), rcond=None)[0]
    away = (efforts.T.ravel() - matrix @ first).reshape(efforts.T.shape)
    noise = np.repeat(np.std(away, axis=1), len(efforts))
    matrix, measured = matrix / noise[:, None], efforts.T.ravel() / noise
    kept, names = eliminate_non_dynaffect(matrix, truth, 1e-6)
    decomposer = QRDecomposer(tolerance=1e-6)
    base, _, expressions, values, nominal = decomposer.double_decomposition(
        measured, kept, list(names), truth
    )
    columns = [list(case.model.names).index(names[k]) for k in decomposer.base_indices]
    residual = measured - base @ values
    variance = residual @ residual / (len(residual) - len(values))
    std = np.sqrt(variance * np.diag(np.linalg.inv(base.T @ base)))
    seconds = time.perf_counter() - start
    predicted = (test[:, columns] @ values).reshape(len(case.model.joints), -1).T
    return row(
        case,
        draw,
        "figaroh",
        predicted,
        base_parameters=len(expressions),
        inside=int((np.abs(values - np.asarray(nominal, float)) <= 2 * std).sum()),
        consistent=np.nan,
        seconds=seconds,
    )


def mujoco_model(case: LinkCase) -> tuple[Any, Any, list[str]]:
    """Return MuJoCo's spec, model and bodies of a case, each body a solid of its shape."""
    import mujoco

    urdf = find_urdf(case.name)
    tree = etree.parse(str(urdf), etree.XMLParser(remove_comments=True))
    for element in tree.xpath(
        "//visual|//collision|//transmission|//gazebo|//mimic|//safety_controller"
    ):
        element.getparent().remove(element)
    for joint in tree.xpath("//joint[@type]"):
        if joint.get("type") != "fixed" and joint.get("name") not in case.model.joints:
            joint.set("type", "fixed")
    for link in tree.xpath("//link"):
        for inertial in link.findall("inertial"):
            link.remove(inertial)
        if link.get("name") in case.shapes.solids:
            mass, centre, tensor = mass_centre_inertia(case.shapes.solids[link.get("name")])
            inertial = etree.SubElement(link, "inertial")
            etree.SubElement(inertial, "origin", xyz=" ".join(f"{x:.12g}" for x in centre))
            etree.SubElement(inertial, "mass", value=f"{mass:.12g}")
            moments = {
                f"i{'xyz'[i]}{'xyz'[j]}": f"{tensor[i, j]:.12g}"
                for i in range(3)
                for j in range(i, 3)
            }
            etree.SubElement(inertial, "inertia", **moments)
    settings = etree.SubElement(tree.getroot(), "mujoco")
    etree.SubElement(settings, "compiler", fusestatic="true", discardvisual="true")
    whole = mujoco.MjModel.from_xml_string(etree.tostring(tree, encoding="unicode"))
    merged = mujoco.MjSpec.from_string(_saved(whole))
    model = merged.compile()
    bodies = [model.body(model.joint(name).bodyid[0]).name for name in case.model.joints]
    return merged, model, bodies


def _saved(model: Any) -> str:
    import tempfile

    import mujoco

    with tempfile.NamedTemporaryFile("r", suffix=".xml") as file:
        mujoco.mj_saveLastXML(file.name, model)
        return file.read()


def _set_body(name: str) -> Any:
    """Return what writes a pseudo-inertia into a body, by principal moments."""
    from mujoco.sysid._src.model_modifier import pi_from_theta

    def modify(spec: Any, own: Any) -> Any:
        pi = pi_from_theta(own.value)
        body, centre = spec.body(name), pi[1:4] / pi[0]
        shift = centre @ centre * np.eye(3) - np.outer(centre, centre)
        tensor = pi[4:].reshape(3, 3) - pi[0] * shift
        moments, axes = np.linalg.eigh((tensor + tensor.T) / 2)
        axes[:, 0] *= np.sign(np.linalg.det(axes))
        body.mass, body.ipos, body.inertia = pi[0], centre, moments
        body.iquat = Rotation.from_matrix(axes).as_quat()[[3, 0, 1, 2]]
        body.fullinertia = np.full((6, 1), np.nan)
        body.explicitinertial = True
        return spec

    return modify


def by_sysid(case: LinkCase, draw: int, wide: bool) -> dict:
    """Identify pseudo-inertias with mujoco.sysid."""
    import mujoco
    from mujoco.sysid._src.model_modifier import apply_param_modifiers_spec, body_inertia_param
    from mujoco.sysid._src.optimize import optimize
    from mujoco.sysid._src.parameter import InertiaType, Parameter, ParameterDict

    spec, model, bodies = mujoco_model(case)
    (motion, efforts), (other, _) = states(case, False), states(case, True)
    spread = np.std(efforts, axis=0)
    joints = len(bodies)
    parameters = ParameterDict()
    for body in bodies:
        own = {"inertia_type": InertiaType.Pseudo, "modifier": _set_body(body)}
        if wide:
            own |= {name: np.array(bounds) for name, bounds in WIDE.items()}
        parameters.add(body_inertia_param(spec, model, body, **own))
    size = np.sqrt(np.mean(efforts**2, axis=0))
    for name in ("friction", "damping", "armature", "offset"):
        low = -size if name == "offset" else np.zeros(joints)
        parameters.add(Parameter(name, 0.1 * size, low, 3 * size, modifier=lambda spec, own: spec))
    places = [model.joint(name).dofadr[0] for name in case.model.joints]

    def efforts_of(own: ParameterDict, at: JointMotion, step: int) -> np.ndarray:
        made = apply_param_modifiers_spec(own, spec.copy()).compile()
        data = mujoco.MjData(made)
        found = np.empty((len(at.positions[::step]), joints))
        records = zip(
            at.positions[::step], at.velocities[::step], at.accelerations[::step], strict=True
        )
        for number, (position, velocity, acceleration) in enumerate(records):
            data.qpos[places], data.qvel[places], data.qacc[places] = (
                position,
                velocity,
                acceleration,
            )
            mujoco.mj_inverse(made, data)
            found[number] = data.qfrc_inverse[places]
        value = {name: own[name].value for name in ("friction", "damping", "armature", "offset")}
        found += (
            value["friction"] * at.directions[::step] + value["damping"] * at.velocities[::step]
        )
        return found + value["armature"] * at.accelerations[::step] + value["offset"]

    def residual(x: np.ndarray, initial: ParameterDict, **_: Any) -> tuple[list, list, list]:
        x = np.asarray(x)
        columns = x.reshape(len(x), -1)
        rows = []
        for column in columns.T:
            initial.update_from_vector(column)
            away = (efforts_of(initial, motion, THINNED) - efforts[::THINNED]) / spread
            rows.append(away.ravel())
        stacked = np.array(rows).T
        return [stacked if x.ndim > 1 else stacked[:, 0]], [], []

    start = time.perf_counter()
    best, _ = optimize(parameters, residual, "scipy", verbose=False, max_iters=EVALUATIONS[wide])
    seconds = time.perf_counter() - start
    return row(
        case,
        draw,
        "sysid, wide" if wide else "mujoco.sysid",
        efforts_of(best, other, 1),
        base_parameters=len(parameters.as_vector()),
        inside=-1,
        consistent=1.0,
        seconds=seconds,
    )


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robots", nargs="+", default=["panda", "ur5_robot"])
    parser.add_argument("--draws", type=int, default=2)
    parser.add_argument(
        "--without", nargs="+", default=[], choices=("figaroh", "sysid", "sysid-wide", "lmi")
    )
    args = parser.parse_args()
    rows = []
    for name in args.robots:
        for draw in range(args.draws):
            case = link_case(name, draw)
            rows.append(
                {"name": case.name, "draw": draw, "method": "log-cholesky", **measured(case)}
            )
            if "lmi" not in args.without:
                rows.append(
                    {"name": case.name, "draw": draw, "method": "lmi", **measured(case, "lmi")}
                )
            peers = {
                "figaroh": by_figaroh,
                "sysid": partial(by_sysid, wide=False),
                "sysid-wide": partial(by_sysid, wide=True),
            }
            for peer, run in peers.items():
                if peer in args.without:
                    continue
                try:
                    rows.append(run(case, draw))
                except ImportError as error:
                    print(f"{peer}: left out, {error}")
    print(links_table(rows))


if __name__ == "__main__":
    main()
