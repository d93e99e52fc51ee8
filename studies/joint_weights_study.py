"""Estimate the weights by which the candidates of a joint are compared.

`python studies/joint_weights_study.py generate FOLDER` writes the procedural cases. `... measure
CASES... -o ROWS.pickle` measures the features of the candidates of all true pairs of the cases
(CASE/parts/*.ply, CASE/truth.json); it takes a second a joint. `... fit ROWS.pickle... [--write]`
estimates a conditional logit (McFadden, 1974) with signs that are known, prints how right it is on
cases that are left out (10 folds), chooses the temperature by those that are not procedural, and
writes `fitted_weights.py`. Folders `objects` and `procedural` have objects, all others robots.
"""

from __future__ import annotations

import argparse
import pickle
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from part_joints_study import errors, read
from scipy.optimize import minimize
from scipy.special import logsumexp

from autourdf_ros.benchmark.parts.procedural.procedural_objects import write_corpus
from autourdf_ros.cli.fleet.scheduler_argument import add_scheduler_argument, asked_cluster
from autourdf_ros.estimation.parts.assembly_trace import JointCandidate
from autourdf_ros.estimation.parts.contact.contact_region import contact_region
from autourdf_ros.estimation.parts.contact.prepared_part import prepare_parts
from autourdf_ros.estimation.parts.symmetry.pair_joint import FEWEST
from autourdf_ros.estimation.parts.symmetry.proposals.axes import Axes
from autourdf_ros.estimation.parts.symmetry.proposals.axis_candidates import axis_candidates
from autourdf_ros.estimation.parts.symmetry.ranking.features import ranked_features
from autourdf_ros.estimation.parts.symmetry.ranking.other_choices import ordered_choices
from autourdf_ros.estimation.parts.symmetry.symmetry_options import SymmetryOptions
from autourdf_ros.estimation.parts.symmetry.weights import fitted_weights
from autourdf_ros.estimation.parts.symmetry.weights.candidate_weights import shaped_features
from autourdf_ros.fleet.submission import each_of

RIDGE = 0.0015  # of the squared weights, for features of unit deviation
LEAST_DEVIATION = 0.15  # of a feature: rare ones get no large weight
OBJECTS = {"objects": 2.0, "procedural": 0.3}  # weight by folder beside a robot of one joint
FOLDS = 10
PROCEDURAL = 525  # objects that are generated: five rounds of all kinds
LIMITS = ((1.0, 0.5), (3.0, 1.0), (5.0, 2.0))  # degrees, % of the size: the nearest candidates
TEMPERATURES = np.arange(1.0, 3.01, 0.25)
# Features by kind (t turning, s sliding, e at an edge), and the sign of their weight.
POSITIVE = {
    "t": "sym_min sym_max log_sym_min gap_min log_gap_min gap_max log_gap_max slip_min slip_max "
    "log_slip_min log_slip_max round_min log_round_min round_max from_slippage spread",
    "s": "sym_max log_sym_max sym_min log_sym_min gap_min log_gap_min gap_max log_gap_max slip_min "
    "slip_max log_slip_min log_slip_max round_min log_round_min blocked closed boxy_closed "
    "boxy_sym_max boxy_slip_max boxy_gap_min",
    "e": "handle sym_min gap_max sym_max spread slip_max thin strength boxy_handle boxy_spread "
    "boxy_thin",
}
NEGATIVE = {
    "t": "stop_min stop_max deeper hit_min hit_max from_middle offset across",
    "s": "stop_min deeper hit_min boxy_stop_min boxy_hit_min",
    "e": "stop_min stop_max deeper hit_min hit_max boxy_stop_min boxy_hit_min",
}
EITHER = {
    "t": "flat up along_least along_greatest away_mover arm chain whole in_plane boxy_up "
    "below pinned along_own bar handle",
    "s": "stop_max flat up along_least along_greatest arm chain thin rod smaller strength whole "
    "in_plane boxy boxy_contact boxy_up boxy_in_plane boxy_along_least boxy_thin boxy_smaller "
    "boxy_whole along_own metres handled handle_off handle_along bar boxy_handled "
    "boxy_handle_off boxy_bar",
    "e": "up along_least along_greatest away_mover away_other arm chain rod smaller offset flat "
    "across in_plane whole boxy boxy_contact boxy_up boxy_away_mover boxy_smaller below pinned "
    "along_own metres handled handle_off bar boxy_handled boxy_bar boxy_below",
}


@dataclass
class Pair:
    """Candidates of a true pair: features, and the errors of each (angle, %, type right)."""

    case: str
    robot: bool
    axes: Axes | None
    features: dict[str, np.ndarray]
    measured: np.ndarray
    size: float = 0.0
    diagonal: float = 0.0
    design: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    @property
    def folder(self) -> str:
        """Folder of the case."""
        return self.case.split("/")[0]

    @property
    def targets(self) -> np.ndarray:
        """Which candidates are the joint: all that are about as near as the nearest."""
        angle, offset, kind = self.measured.T
        for limit_angle, limit_offset in LIMITS:
            if ((angle < limit_angle) & (offset < limit_offset) & (kind > 0)).any():
                return (angle < 2 * limit_angle) & (offset < 1.5 * limit_offset) & (kind > 0)
        return np.zeros(len(angle), bool)

    @property
    def right(self) -> np.ndarray:
        """Which candidates count as right."""
        angle, offset, kind = self.measured.T
        return (angle < LIMITS[-1][0]) & (offset < LIMITS[-1][1]) & (kind > 0)


def measure(case: Path) -> list[Pair]:
    """Measure the candidates of all true pairs of a case."""
    options = SymmetryOptions()
    assembly, truth = read(case)
    parts, pairs = prepare_parts(assembly, options.contact), []
    for joint in truth["joints"]:
        if joint["type"] not in ("revolute", "prismatic"):
            continue
        first, second = (parts[i] for i in sorted((joint["parent"], joint["child"])))
        region = contact_region(first, second, options.contact)
        name, robot = f"{case.parent.name}/{case.name}", case.parent.name not in OBJECTS
        if len(region.points) < FEWEST:
            pairs.append(Pair(name, robot, None, {}, np.zeros((0, 3))))
            continue
        proposed = axis_candidates(first, second, region, options)
        axes, features = ranked_features(first, second, region, proposed, options)
        kinds = np.where(axes.slides, "prismatic", "revolute")
        candidates = [
            JointCandidate(str(kind), axis, point, 0.0)
            for kind, axis, point in zip(kinds, axes.directions, axes.points, strict=True)
        ]
        measured = np.array([errors(one, joint, assembly.size)[:3] for one in candidates], float)
        diagonal = min(first.diagonal, second.diagonal)
        pairs.append(Pair(name, robot, axes, features, measured, assembly.size, diagonal))
    return pairs


def columns() -> tuple[list[str], list[tuple[float | None, float | None]]]:
    """Names of the weights, and their bounds."""
    names, bounds = ["s", "e"], [(None, None), (None, None)]
    for table, bound in ((POSITIVE, (0, None)), (NEGATIVE, (None, 0)), (EITHER, (None, None))):
        for kind, some in table.items():
            names += [f"{kind}.{name}" for name in some.split()]
            bounds += [bound] * len(some.split())
    return names, bounds


def design(pair: Pair, names: list[str]) -> np.ndarray:
    """Features (K, N) of the candidates of a pair, each of its own kind."""
    assert pair.axes is not None
    slides, edges = pair.axes.slides, pair.axes.edges & ~pair.axes.slides
    masks = {"s": slides, "e": edges, "t": ~slides & ~edges}
    shaped = shaped_features(pair.features) | {"": np.ones(len(slides))}
    return np.stack([masks[name[0]] * shaped[name[2:]] for name in names], axis=1).astype(float)


def fit(pairs: list[Pair]) -> np.ndarray:
    """Return the most likely weights (N,)."""
    used = [pair for pair in pairs if pair.axes is not None and pair.targets.any()]
    rows = np.vstack([pair.design for pair in used])
    deviation = np.maximum(rows.std(axis=0), LEAST_DEVIATION)
    rows = rows / deviation
    hits = np.concatenate([pair.targets for pair in used]).astype(float)
    sizes = np.array([len(pair.design) for pair in used])
    starts, index = np.cumsum(sizes) - sizes, np.repeat(np.arange(len(used)), sizes)
    counts = Counter(pair.case for pair in used)
    share = np.array([OBJECTS.get(one.folder, 1) / np.sqrt(counts[one.case]) for one in used])
    share /= share.sum()

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        scores = rows @ weights
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[index])
        sums = np.add.reduceat(powers, starts)
        good = np.add.reduceat(powers * hits, starts) + 1e-12
        slope = rows.T @ ((powers / sums[index] - powers * hits / good[index]) * share[index])
        value = float(share @ (np.log(sums) - np.log(good)))
        return value + RIDGE * float(weights @ weights) / 2, slope + RIDGE * weights

    found = minimize(
        loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", bounds=columns()[1]
    )
    return found.x / deviation


def group(pair: Pair) -> str:
    """Return what is left out together: an object, or robots of one name and other numbers."""
    folder, name = pair.case.split("/")
    return name if folder in OBJECTS else re.split(r"[\d_]", name)[0]


def left_out(pairs: list[Pair]) -> list[np.ndarray]:
    """Return for every pair the weights that its case had no part in."""
    cases = sorted({group(pair) for pair in pairs})
    order = np.random.default_rng(0).permutation(len(cases)) % FOLDS
    fold = dict(zip(cases, order, strict=True))
    fitted = {one: fit([pair for pair in pairs if fold[group(pair)] != one]) for one in set(order)}
    return [fitted[fold[group(pair)]] for pair in pairs]


def ranked(pair: Pair, scores: np.ndarray, options: SymmetryOptions) -> list[tuple[float, int]]:
    """Probability and index of the candidates, in the order in which they are returned."""
    assert pair.axes is not None
    same = pair.axes.nearly_same(options.same_angle, options.same_place(pair.size, pair.diagonal))
    shares = np.exp(scores - logsumexp(scores))
    return [(share, i) for i, share in ordered_choices(pair.axes, shares, same, 3)]


def row(pair: Pair, scores: np.ndarray, options: SymmetryOptions) -> tuple[float, ...]:
    """Angle, offset, type and joint right, probability, and truth in the first three."""
    if pair.axes is None:
        return 90.0, 100.0, 0.0, 0.0, 0.0, 0.0
    found = ranked(pair, scores, options)
    share, index = found[0]
    return (
        *pair.measured[index],
        pair.right[index],
        share,
        any(pair.right[one] for _, one in found[:3]),
    )


def report(title: str, pairs: list[Pair], weights: list[np.ndarray]) -> None:
    """Print how right the first candidates are, for each folder."""
    options = SymmetryOptions()
    every = np.array(
        [
            row(pair, pair.design @ weight if pair.axes is not None else np.zeros(0), options)
            for pair, weight in zip(pairs, weights, strict=True)
        ]
    )
    for folder in sorted({pair.folder for pair in pairs}):
        values = every[[pair.folder == folder for pair in pairs]]
        angle, offset, kind, right, share, first = values.T
        sure = right[share >= options.sure]
        bins = np.array_split(values[np.argsort(share, kind="stable")], 5)
        print(
            f"{title}, {folder}: {len(angle)} joints, types {kind.mean():.3f}, "
            f"< 5 deg {np.mean(angle < 5):.3f}, < 2 % {np.mean(offset < 2):.3f}, "
            f"right {right.mean():.3f}, first three {first.mean():.3f}, "
            f"flagged {np.mean(share < options.sure):.3f}, unflagged right {sure.mean():.3f}\n"
            "  probability, right:",
            ", ".join(f"{b[:, 4].mean():.2f} {b[:, 3].mean():.2f}" for b in bins),
            flush=True,
        )


def write(weights: np.ndarray) -> None:
    """Write the module of the weights."""
    named = dict(zip(columns()[0], weights, strict=True))
    text = (fitted_weights.__doc__ or "").strip()
    lines = [f'"""{text}\n"""\n', "from __future__ import annotations\n"]
    for name, key, what in (
        ("SLIDES", "s", "an axis along which a part slides"),
        ("EDGE", "e", "an edge at which a part may be hinged"),
    ):
        lines.append(f'{name} = {named.pop(key):.2f}\n"""Added to the score of {what}."""\n')
    for name, kind, what in (
        ("TURNING", "t", "Of axes about which a part turns"),
        ("SLIDING", "s", "Of axes along which a part slides"),
        ("EDGES", "e", "Of edges at which a part may be hinged"),
    ):
        own = sorted((key[2:], value) for key, value in named.items() if key[0] == kind)
        body = "".join(f'    "{key}": {value:.2f},\n' for key, value in own if abs(value) >= 0.005)
        lines.append(f'{name}: dict[str, float] = {{\n{body}}}\n"""{what}."""\n')
    Path(fitted_weights.__file__).write_text("\n".join(lines))


def main() -> None:
    """Measure or fit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("generate", "measure", "fit"))
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("-o", "--output", type=Path)
    add_scheduler_argument(parser, "one case after the other")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    pairs: list[Pair] = []
    if options.what == "generate":
        print(sum(1 for _ in write_corpus(options.paths[0], PROCEDURAL)), "objects")
        return
    if options.what == "measure":
        for path in options.paths:
            cases = [path] if (path / "truth.json").exists() else sorted(path.iterdir())
            known = [one for one in cases if (one / "truth.json").exists()]
            pieces = [(case.absolute(),) for case in known]
            with asked_cluster(options) as connect:
                for (case,), found in each_of(measure, pieces, connect):
                    pairs += found
                    print(f"{path.name}/{case.name}: {len(pairs)} joints so far", flush=True)
        options.output.write_bytes(pickle.dumps(pairs))
        return
    for path in options.paths:
        pairs += pickle.loads(path.read_bytes())
    for pair in pairs:
        pair.design = design(pair, columns()[0]) if pair.axes is not None else pair.design
    others, own = left_out(pairs), fit(pairs)
    targets = [
        (pair, weight)
        for pair, weight in zip(pairs, others, strict=True)
        if pair.right.any() and pair.folder != "procedural"
    ]
    losses = []
    for temperature in TEMPERATURES:
        scores = [(pair.design @ weight / temperature, pair.right) for pair, weight in targets]
        losses.append(np.mean([logsumexp(one) - logsumexp(one[right]) for one, right in scores]))
    print(f"loss by temperature: {np.round(losses, 4)}")
    chosen = TEMPERATURES[int(np.argmin(losses))]
    report("left out", pairs, [weight / chosen for weight in others])
    report("fitted", pairs, [own / chosen] * len(pairs))
    print(f"temperature {chosen:.2f}")
    if options.write:
        write(own)


if __name__ == "__main__":
    main()
