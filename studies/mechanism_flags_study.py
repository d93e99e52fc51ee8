"""How often a mechanism's dynamics from a depth video are flagged, if the model is right and wrong.

`python studies/mechanism_flags_study.py FOLDER [--seeds 5] [--first 0] [--scenes NAME...]
[--cases NAME...]`: records each scene, tracks it and finds its joints as `autourdf mechanism` does,
and finds its dynamics with what `Case` lacks or has too much. What was tracked is kept in FOLDER,
and so are rows (`rows.jsonl`): a case that has one is not run again. It prints, for each scene and
case, the share of runs that any doubt flags, that a doubt of the right name flags, and what else.

Forces of other laws act on the first joint value. Each is as large as the viscous friction of the
nominal scene at the joint's root mean square speed, so that all are of a size that matters.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.data.video.force_table import ForceTable
from autourdf_ros.estimation.video.joints.joints_options import JointsOptions
from autourdf_ros.fleet.submission import each_of
from autourdf_ros.simulation.mechanisms.mechanism_drives import Drive, DriveRun, JointDrive, Push
from autourdf_ros.simulation.mechanisms.mechanism_files import first_shapes, forces_of
from autourdf_ros.simulation.mechanisms.mechanism_library import SCENES, mechanism_scene
from autourdf_ros.simulation.mechanisms.mechanism_recording import VideoOptions, record
from autourdf_ros.simulation.mechanisms.mechanism_scene import MechanismScene
from autourdf_ros.simulation.mechanisms.mechanism_simulation import simulate
from autourdf_ros.workflows.mechanisms.find_mechanism import MechanismOptions, find_mechanism
from autourdf_ros.workflows.mechanisms.mechanism_dynamics import (
    FREE,
    MechanismDynamicsOptions,
    ObservedMechanism,
    identify_mechanism,
)
from autourdf_ros.workflows.mechanisms.mechanism_result import (
    WrittenMechanism,
    completed_mechanism,
)

Array = NDArray[np.float64]
Law = Callable[[float, float], float]
"""Force of a joint value and its velocity, each over its root mean square."""

LAWS: dict[str, Law] = {
    "Coulomb": lambda where, speed: -float(np.tanh(speed / 0.01)),
    "quadratic": lambda where, speed: -speed * abs(speed),
    "spring": lambda where, speed: -where,
    "constant": lambda where, speed: 1.0,
}


@dataclass(frozen=True)
class Case:
    """What the model lacks.

    Attributes:
        word: Part of the doubt that names it; empty: nothing is lacking.
        law: A key of `LAWS`: what acts beside the scene's own forces.
        without: A kind of parameters that is not found and stays 0.
        late: How much later than stamped the forces act (s).
    """

    word: str
    law: str = ""
    without: str = ""
    late: float = 0.0

    def fits(self, scene: MechanismScene) -> bool:
        """Whether the scene can have it: delayed forces, friction that is not found."""
        if self.late:
            return scene.drive.acts
        return not self.without or self.without in {one.kind for one in scene.parameters}


CASES = {
    "right": Case(""),
    "5 ms late": Case("later than", late=0.005),
    "10 ms late": Case("later than", late=0.010),
    "5 ms early": Case("later than", late=-0.005),
    "10 ms early": Case("later than", late=-0.010),
    "Coulomb friction not found": Case("Coulomb friction", without="friction"),
    "viscous friction not found": Case("viscous friction", without="damping"),
    "quadratic friction": Case("square of the speed", law="quadratic"),
    "Coulomb friction not looked for": Case("Coulomb friction", law="Coulomb", without="friction"),
    "spring": Case("a spring", law="spring"),
    "constant force": Case("a constant force", law="constant"),
}


@dataclass(frozen=True)
class OtherLaw:
    """A drive beside which another force acts that nobody knows.

    Attributes:
        own: The drive.
        law: Of the other force.
        sizes: Root mean squares of the first joint value and its velocity, and the force there.
        body: That the first joint moves: where a force on the joint counts as known.
        axis: (3,) of that joint.
    """

    own: Drive
    law: Law
    sizes: tuple[float, float, float]
    body: str
    axis: Array
    hold: int = 1
    acts: bool = True

    def start(self, rng: np.random.Generator, model: Any) -> DriveRun:
        """Return the drive of one recording."""
        return _OtherRun(self, self.own.start(rng, model))


@dataclass(frozen=True)
class _OtherRun:
    drive: OtherLaw
    own: DriveRun

    def push(self, time: float, model: Any, data: Any) -> Push:
        """Return what acts, of which only the drive's own part is known."""
        push, (travel, speed, size) = self.own.push(time, model, data), self.drive.sizes
        known = dict(push.contacts)
        if isinstance(self.drive.own, JointDrive):
            force = push.forces[self.drive.own.coordinate] * self.drive.axis
            known[self.drive.body] = np.stack([data.body(self.drive.body).xpos.copy(), force])
        other = np.zeros(model.nv)
        other[0] = size * self.drive.law(data.qpos[0] / travel, data.qvel[0] / speed)
        return replace(push, forces=push.forces + other, contacts=known)


def with_law(scene: MechanismScene, name: str, seed: int) -> MechanismScene:
    """The scene with another force on its first joint value."""
    if not name:
        return scene
    motion = simulate(scene, np.arange(0, 6.6, 0.1).tolist(), seed)
    moving = next(joint for joint in scene.joints if joint.coordinates)
    nominal = next(one for one in mechanism_scene(scene.name).joints if one.name == moving.name)
    first = np.array(motion.positions)[:, 0]
    speed = float(np.sqrt(np.mean(np.array(motion.velocities)[:, 0] ** 2)))
    sizes = (float(np.sqrt(np.mean((first - first.mean()) ** 2))), speed, nominal.damping * speed)
    drive = OtherLaw(scene.drive, LAWS[name], sizes, moving.child, moving.axis)
    return replace(scene, drive=drive)


def tracked(
    folder: Path, name: str, seed: int, law: str
) -> tuple[ObservedMechanism, ForceTable | None]:
    """What a video shows of a scene, and the forces as they are known; kept in the folder."""
    kept = folder / f"{name}_{seed}_{law or 'own'}.pickle"
    if not kept.is_file():
        scene = with_law(mechanism_scene(name).sample(seed), law, seed)
        video, truth = record(scene, seed, VideoOptions())
        shapes = first_shapes(scene, truth, seed)
        options = MechanismOptions(joints=JointsOptions(seed=seed))
        found = find_mechanism(video, shapes, options)
        model = completed_mechanism(found, WrittenMechanism("mechanism")).model
        forces = forces_of(scene, truth) if mechanism_scene(name).drive.acts else None
        made = ObservedMechanism.of_video(found, model), forces, found.warnings
        # Another process may be at the same video.
        own = kept.with_suffix(f".{os.getpid()}")
        own.write_bytes(pickle.dumps(made))
        own.replace(kept)
    observed, forces, _ = pickle.loads(kept.read_bytes())
    return observed, forces


def measure(folder: Path, name: str, seed: int, title: str) -> dict[str, Any]:
    """Find the dynamics of one case; all that a user's command leaves free is free."""
    case = CASES[title]
    observed, forces = tracked(folder, name, seed, case.law)
    if case.late and forces is not None:
        forces = replace(forces, stamps=forces.stamps - case.late)
    free = tuple(kind for kind in FREE if kind != case.without)
    begin = time.process_time()
    found = identify_mechanism(observed, forces, MechanismDynamicsOptions(free))
    return {
        "doubts": list(found.posterior.warnings),
        "noise": np.round(found.fit.noise, 3).tolist(),
        "times": np.round(found.fit.times, 2).tolist(),
        "seconds": round(time.process_time() - begin, 2),
    }


def print_rates(rows: Iterable[dict[str, Any]]) -> None:
    """Print rates by scene and case."""
    rows = list(rows)
    groups = dict.fromkeys((row["scene"], row["case"]) for row in rows)
    print("scene | case | runs | flagged | with the right name | doubts")
    for scene, name in groups:
        own = [row["doubts"] for row in rows if (row["scene"], row["case"]) == (scene, name)]
        word = CASES[name].word
        flagged = np.mean([bool(doubts) for doubts in own])
        named = np.mean([any(word in one for one in doubts) for doubts in own])
        kinds = Counter(kind for doubts in own for kind in {short(one) for one in doubts})
        said = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        right = f"{named:.0%}" if word else "-"
        print(f"{scene} | {name} | {len(own)} | {flagged:.0%} | {right} | {said}")


def short(doubt: str) -> str:
    """Return what a doubt is about, without numbers and joints."""
    if doubt.startswith("it seems that"):
        return re.split(r" acts? ", doubt.removeprefix("it seems that "))[0]
    words = ("correlated", "times the stated noise", "time step", "did not converge")
    return next((word for word in words if word in doubt), doubt)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--scenes", nargs="*", default=list(SCENES), choices=list(SCENES))
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    parser.add_argument("--print", action="store_true", help="only print what was measured")
    add_scheduler_argument(parser, "one run after the other")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    file = given.folder / "rows.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()] if file.is_file() else []
    done = {(row["scene"], row["case"], row["seed"]) for row in rows}
    seeds = () if given.print else range(given.first, given.first + given.seeds)
    pieces = [
        (given.folder.absolute(), name, seed, title)
        for seed, name, title in product(seeds, given.scenes, given.cases)
        if (name, title, seed) not in done and CASES[title].fits(mechanism_scene(name))
    ]
    with asked_cluster(given) as connect:
        for (_, name, seed, title), figures in each_of(measure, pieces, connect):
            rows.append({"scene": name, "case": title, "seed": seed, **figures})
            with file.open("a") as lines:
                lines.write(json.dumps(rows[-1]) + "\n")
            print(rows[-1], flush=True)
    print_rates(rows)


if __name__ == "__main__":
    main()
