"""Parameters of a cart-pole by every method from tracked videos, and control with what was found.

`python studies/mppi_study.py FOLDER [--seeds 5] [--seconds 16] [--runs 4]` tracks the driven
cart-pole in a simulated depth video of each seed, identifies masses, radii of gyration and damping
by every method from the same track with the same time (multiple shooting takes what it takes), and
lets path integral control (200 samples of 60 steps, `--runs` random seeds) swing the true cart-pole
up, and balance it from 20 degrees, on each identified model. Rows beside are the true model and the
one before identification: masses by volume and an assumed density, no friction. `--methods
csvgd-images` is CSVGD by depth images instead of the track. `--show` prints the tables of the rows
that are there.

Times are seconds of the processor, of both cores together: wall time would favour whatever runs
while others leave the machine alone. FOLDER keeps tracks and rows (`rows.jsonl`), so that a run
that was cut off goes on; delete them to measure other code.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pickle
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import Any, cast

import mujoco
import numpy as np

from autourdf_ros.assessment.metrics.mechanisms.parameter_error import (
    ParameterEstimate,
    parameter_errors,
)
from autourdf_ros.benchmark.mechanisms.measure_mechanism import CaseInput
from autourdf_ros.benchmark.mechanisms.mechanism_case import MechanismCase
from autourdf_ros.benchmark.peak_memory import peak_memory
from autourdf_ros.benchmark.row_file import RowFile
from autourdf_ros.commanding.predictive.cart_pole import CartPole
from autourdf_ros.commanding.predictive.modelled_cart_pole import cart_pole_of_model
from autourdf_ros.commanding.predictive.path_integral import (
    PathIntegralController,
    PathIntegralOptions,
)
from autourdf_ros.commanding.predictive.trial import TASKS, run_trial
from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.dynamics.joint_motion_data import JointMotionData
from autourdf_ros.estimation.dynamics.mechanism.simulated_mechanism import (
    Mechanism,
    mechanism_of_mjcf,
)
from autourdf_ros.estimation.dynamics.methods.method_choice import METHODS, Method, find_parameters
from autourdf_ros.estimation.dynamics.methods.method_options import MethodOptions
from autourdf_ros.estimation.dynamics.pipeline import identify_dynamics
from autourdf_ros.estimation.dynamics.posterior.dynamics_posterior import DynamicsPosterior
from autourdf_ros.model.forward_kinematics import link_frames
from autourdf_ros.model.self_model import SelfModel
from autourdf_ros.simulation.mechanisms.mechanism_library import mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_mjcf import STEP, compiled
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene
from autourdf_ros.workflows.mechanisms.dynamics_layers import layers_of
from autourdf_ros.workflows.mechanisms.find_mechanism import MechanismOptions, find_mechanism
from autourdf_ros.workflows.mechanisms.image_likelihood import ImageLikelihood
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import (
    MechanismDynamicsOptions,
    ObservedMechanism,
)
from autourdf_ros.workflows.mechanisms.mechanism_result import (
    WrittenMechanism,
    completed_mechanism,
)
from autourdf_ros.workflows.mechanisms.model_simulator import simulated_xml

SCENES = ("driven_cart_pole", "cart_pole")
BESIDE = ("truth", "before")
"""Models that no method identified: the true one, and masses by volume without friction."""
IMAGES = "csvgd-images"
"""CSVGD with the likelihood of the depth images themselves, as Heiden et al. have it."""
SMALL = (64, 48)
"""Width and height of these images."""
LIMITS = PathIntegralOptions(force=10.0, rail=0.8)
"""The simulated rail is 1.8 m long, less the half cart."""
AFTER = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Seconds after which errors are shown."""
FREE = ("mass", "radius", "shear", "damping")
"""Kinds of parameters that every method finds; the pipeline's own default has centres, friction and
the tilt of gravity beside. Frames of links lie along no principal axes, so that radii without
shears do not reach every inertia."""
NOTHING = 1e-12
"""Damping of a model that has none (N m s/rad or N s/m)."""


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scene", choices=SCENES, default=SCENES[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0, help="seed to begin with")
    parser.add_argument("--seconds", type=float, default=16.0, help="budget of a method")
    parser.add_argument("--runs", type=int, default=4, help="of control, by random seeds")
    parser.add_argument("--methods", nargs="+", default=[*BESIDE, *METHODS])
    parser.add_argument("--show", action="store_true", help="print tables only")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    file = RowFile(args.folder / "rows.jsonl")
    found, controlled = [], []
    for seed in range(args.first, args.seeds):
        for method in args.methods:
            key = {"scene": args.scene, "seed": seed, "method": method}
            key |= {} if method in (*BESIDE, "shooting") else {"seconds": args.seconds}
            row = file.row(key)
            if row is None and not args.show:
                row = in_own_process(measured, args.folder, args.scene, seed, method, args.seconds)
                file.append(key, row)
                print(key, row.get("error", ""), flush=True)
            if row is None or "error" in row:
                continue
            found.append({**key, **row})
            for run in range(args.runs):
                name = {**key, "run": run}
                trial = file.row(name)
                if trial is None and not args.show:
                    trial = in_own_process(control, args.scene, seed, row["motion"], run)
                    file.append(name, trial)
                if trial is not None:
                    controlled.append({**name, **trial})
    print_tables(found, controlled, args.methods)


def in_own_process(work: Callable[..., dict[str, Any]], *given: Any) -> dict[str, Any]:
    """Return a row that a process of its own measures, for memory of its own."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(work, given)


def measured(folder: Path, scene: str, seed: int, method: str, seconds: float) -> dict[str, Any]:
    """Return the row of one method for one seed."""
    try:
        observed, forces, found = tracked(folder, scene, seed)
        true = mechanism_scene(scene).sample(seed)
        begin, spent = time.perf_counter(), time.process_time()
        budget = MethodOptions(
            seconds=seconds, iterations=10**6, seed=seed, clock=time.process_time
        )
        if method == IMAGES:
            budget = replace(budget, likelihood=images(observed, scene, seed))
        identified = identify(observed, forces, method, budget, true)
        return {
            "seconds": time.perf_counter() - begin,
            "processor_seconds": time.process_time() - spent,
            "motion": list(astuple(identified.motion)),
            **identified.errors(true),
            "tracking": found,
            "memory": peak_memory(),
        }
    except InputError as error:
        return {"error": str(error)}


def control(scene: str, seed: int, motion: Sequence[float], run: int) -> dict[str, Any]:
    """Return the row of one run of both tasks, with a model of these coefficients."""
    true, model = mechanism_scene(scene).sample(seed), CartPole(*motion)
    row: dict[str, Any] = {}
    for task, start in TASKS.items():
        begin = time.process_time()
        controller = PathIntegralController(model, LIMITS, np.random.default_rng(run))
        trial = run_trial(controller, TruePlant(true).after, start)
        seconds = time.process_time() - begin
        row[task] = {"reward": trial.reward, "success": trial.success, "seconds": seconds}
    return {**row, "memory": peak_memory()}


def images(observed: ObservedMechanism, scene: str, seed: int) -> ImageLikelihood:
    """Return the likelihood of the same motion's depth images, which are small."""
    given = CaseInput(MechanismCase(scene, seed, size=SMALL))
    joints = [joint.name for joint in observed.model.tree.joints if joint.type != "fixed"]
    return ImageLikelihood(given.video, given.shapes, observed.model.tree, observed.origins, joints)


def tracked(
    folder: Path, scene: str, seed: int
) -> tuple[ObservedMechanism, ForceTable | None, Mapping[str, float]]:
    """Return what the video shows, the known forces and seconds of tracking, kept in a file."""
    path = folder / f"{scene}_{seed}.pickle"
    if path.exists():
        kept: tuple[ObservedMechanism, ForceTable | None, Mapping[str, float]]
        kept = pickle.loads(path.read_bytes())
        return kept
    given = CaseInput(MechanismCase(scene, seed))
    found = find_mechanism(given.video, given.shapes, MechanismOptions())
    model = completed_mechanism(found, WrittenMechanism("mechanism")).model
    kept = ObservedMechanism.of_video(found, model), given.forces, found.timings
    path.write_bytes(pickle.dumps(kept))
    return kept


@dataclass(frozen=True)
class Identified:
    """What a method found.

    Attributes:
        model: With masses and resistances; None of the truth.
        motion: What control predicts with.
        after: Seconds, and the best model that was found within them.
    """

    model: SelfModel | None
    motion: CartPole
    after: tuple[tuple[float, SelfModel], ...] = ()

    @classmethod
    def of(cls, model: SelfModel, after: Sequence[tuple[float, SelfModel]] = ()) -> Identified:
        """Return what a model says."""
        return cls(model, cart_pole_of_model(model), tuple(after))

    def errors(self, true: MechanismScene) -> dict[str, Any]:
        """Return normalised errors, and those of the best within so many seconds."""
        if self.model is None:
            return {"nmae": 0.0, "nmae_up_to_scale": 0.0, "path": []}
        final = parameter_errors(estimates(self.model, true))
        path = [
            (seconds, parameter_errors(estimates(model, true)).nmae)
            for seconds, model in self.after
        ]
        return {"nmae": final.nmae, "nmae_up_to_scale": final.nmae_up_to_scale, "path": path}


def identify(
    observed: ObservedMechanism,
    forces: ForceTable | None,
    method: str,
    budget: MethodOptions,
    true: MechanismScene,
) -> Identified:
    """Return the model by a method, or one of `BESIDE`."""
    model = observed.model
    if method == "truth":
        return Identified(None, true_motion(true))
    if method == "before":
        return Identified.of(model)
    options = MechanismDynamicsOptions()
    mechanism = mechanism_of_mjcf(simulated_xml(model, frozenset(observed.origins)), FREE)
    data = JointMotionData(mechanism.joints, (observed.motion(mechanism.joints, forces),))
    if method == "shooting":
        posterior = identify_dynamics(mechanism, data, options.shooting).posterior
        return Identified.of(with_layers(posterior, model))
    chosen = cast(Method, "csvgd" if method == IMAGES else method)
    made = find_parameters(mechanism, data, chosen, budget)
    after = []
    for limit in (limit for limit in AFTER if limit <= budget.seconds):
        earlier = [place for when, place in made.history if when <= limit]
        if earlier:
            after.append((limit, with_layers(placed(mechanism, earlier[-1]), model)))
    return Identified.of(with_layers(placed(mechanism, made.best), model), after)


def true_motion(true: MechanismScene) -> CartPole:
    """Return the coefficients of the true cart-pole."""
    rail, hinge = true.joints
    cart, pole = (true.body(joint.child) for joint in true.joints)
    away = (pole.home @ np.append(pole.centre, 1))[:3] - hinge.pivot
    away -= hinge.axis * (hinge.axis @ away)
    axis = hinge.axis @ pole.home[:3, :3]
    return CartPole(
        cart.mass + pole.mass,
        pole.mass * float(np.linalg.norm(away)),
        float(axis @ pole.inertia @ axis + pole.mass * away @ away),
        rail.damping,
        hinge.damping,
        rail.friction,
        hinge.friction,
    )


class TruePlant:
    """The true cart-pole, simulated by MuJoCo."""

    def __init__(self, true: MechanismScene) -> None:
        self._model = compiled(true)
        self._data = mujoco.MjData(self._model)

    def after(self, state: np.ndarray, force: float) -> np.ndarray:
        """Return the state (4,) a control period later, with the force (N) held."""
        data = self._data
        data.qpos[:], data.qvel[:] = state[:2], state[2:]
        data.qfrc_applied[0] = force
        mujoco.mj_step(self._model, data, round(LIMITS.period / STEP))
        return np.concatenate([data.qpos, data.qvel])


def placed(mechanism: Mechanism, best: np.ndarray) -> DynamicsPosterior:
    """A posterior with nothing but a mean, for what turns one into layers of a model."""
    nothing = np.zeros((len(best), len(best)))
    return DynamicsPosterior(mechanism, best, nothing, (), (), np.full(2, np.nan))


def with_layers(posterior: DynamicsPosterior, model: SelfModel) -> SelfModel:
    """Return the model with masses and resistances of a posterior."""
    inertia, dynamics = layers_of(posterior, model, "", False)
    return model.with_layer(inertia).with_layer(dynamics)


def estimates(model: SelfModel, true: MechanismScene) -> list[ParameterEstimate]:
    """Return what a model says of the true parameters that the scene varies."""
    tree, found = model.tree, []
    frames = dict(zip(tree.links, link_frames(tree), strict=True))
    assert model.inertia is not None
    for one in true.parameters:
        if one.kind in ("mass", "inertia"):
            own, joint = model.inertia.links[one.target], tree.joint_of(one.target)
            assert joint is not None
            axis = frames[one.target][:3, :3].T @ joint.axis
            value = own.mass if one.kind == "mass" else float(axis @ own.inertia @ axis)
        else:
            body = next(joint.child for joint in true.joints if joint.name == one.target)
            joint = tree.joint_of(body)
            resists = model.dynamics.joints if model.dynamics is not None else {}
            assert joint is not None
            value = resists[joint.name].damping if joint.name in resists else NOTHING
        found.append(ParameterEstimate(one.name, one.value, value, np.nan, one.low, one.high))
    return found


def print_tables(
    found: list[dict[str, Any]], controlled: list[dict[str, Any]], methods: Sequence[str]
) -> None:
    """Print errors, rewards and successes by method, then how errors fall with time."""
    print("\n| method | videos | processor s | MiB | NMAE (worst) | NMAE to scale |", end="")
    print(" runs | swing-up | swung up | balancing | balanced |\n" + "|---" * 11 + "|")
    for method in methods:
        own = [row for row in found if row["method"] == method]
        trials = [row for row in controlled if row["method"] == method]
        if not own:
            continue
        middle = {
            name: np.median([row[name] for row in own])
            for name in ("processor_seconds", "memory", "nmae", "nmae_up_to_scale")
        }
        text = f"| {method} | {len(own)} | {middle['processor_seconds']:.1f}"
        text += f" | {middle['memory']:.0f} | {middle['nmae']:.4f} "
        text += f"({max(row['nmae'] for row in own):.4f}) | {middle['nmae_up_to_scale']:.4f}"
        text += f" | {len(trials)}"
        for task in TASKS if trials else ():
            rewards = [row[task]["reward"] for row in trials]
            text += f" | {np.mean(rewards):.3f} ± {np.std(rewards):.3f}"
            text += f" | {sum(row[task]['success'] for row in trials)}"
        print(text + " |")
    print("\n| method | " + " | ".join(f"{limit:g} s" for limit in AFTER) + " |")
    print("|---" * (len(AFTER) + 1) + "|")
    for method in methods:
        paths = [dict(row["path"]) for row in found if row["method"] == method and row["path"]]
        if paths:
            falls = [[path.get(limit, np.nan) for path in paths] for limit in AFTER]
            print(f"| {method} | " + " | ".join(f"{np.median(one):.4f}" for one in falls) + " |")


if __name__ == "__main__":
    main()
