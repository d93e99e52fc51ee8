"""Grow the robot link by link from its root, by which motor's readings explain which motion.

A link that is known lends its motion to what hangs on it: of what it does not explain, that is
its child which one motor's readings explain with one twist. Where readings are known this needs
six unknowns a joint instead of six a body and frame, so that sliding along a surface, which is
random, is no motion of a joint.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from autourdf_ros.kinematics.cloud import Cloud
from autourdf_ros.kinematics.deformation_graph import DeformationGraph
from autourdf_ros.kinematics.labelling import (
    COST_CAP,
    drop_specks,
    point_costs,
    refit_bodies,
    smooth_labels,
)
from autourdf_ros.kinematics.matching import Array, group_sum
from autourdf_ros.kinematics.merging import Bodies, Noise
from autourdf_ros.kinematics.rigid_motion import (
    exp_se3,
    inverse,
    log_se3,
)
from autourdf_ros.kinematics.root_body import RootMotion, RootMove, find_root, held, with_root
from autourdf_ros.kinematics.screw_chain import JointType, ScrewChain, fit_chain
from autourdf_ros.kinematics.screw_search import axis_places, patch_of, search_screws

Labels = NDArray[np.int64]

GATE = 4.0  # point spacings
EXPLAINED = 2.5  # cost of a point up to which a motion explains it in most frames
PATCH_EXPLAINED = 4.0  # the same, of points that only a few others share their motion with
UNEXPLAINED = 3.0  # cost of a point beyond which links are looked for that explain it
FOREIGN = 5.0  # cost of a point that in the end follows no link
NODE_CAP = 16.0  # mean squared distance of a node's points, in squared noise
NODE_UNEXPLAINED = 3.0
NODE_EXPLAINED = 6.0
CANDIDATES = 3  # nodes a parent and motor, and parents and motors a level, looked at closely
SMALL_SAVING = 1.0  # least mean cost that a small link saves its points
UNLIKELY = 0.3  # times the best branch's quality, below which one is not looked at
ROUNDS = 5
LEAST_GAIN = 30.0  # cost that a body saves its points together, per frame
LEAST_PATCH_GAIN = 15.0  # the same of a piece of it, at first
LEAST_POINTS = 12
SIMILAR = 3.0  # factor by which ratios differ up to which a direct motor is tried, too
INDIRECT = 0.5  # times the gain of a joint that its motor turns by another ratio
STEPS = 4
SPREADING = 6  # rounds at most in which a new link takes its points
SETTLING = 4  # rounds of fitting all joints, in the end
SETTLED = 0.005  # share of the points that still change their body
LEAST_TURN = np.radians(3.0)  # of a joint's child, in all frames
LEAST_SLIDE = 0.01  # robot sizes
WORST_NODES = 12
BADLY_EXPLAINED = 1.5  # mean cost of a node's points
PATCHES = 8  # suggestions looked at closely
FITTED_POINTS = 40  # of a link, below which its joint is searched and not fitted


@dataclass(frozen=True)
class Scene:
    """What growth looks at: F frames, the root's poses (F, 4, 4) in them, readings (F, M).

    metre: in engine units, of readings of motors that slide.
    """

    reference: Cloud
    frames: list[Cloud]
    graph: DeformationGraph
    neighbours: csr_matrix
    pieces: Bodies
    readings: Array
    base: Array
    noise: Noise
    metre: float


@dataclass(frozen=True)
class Growth:
    """A chain, and what it explains of the N reference points.

    labels: (N,) body of every point, -1 where none explains it. costs: (N,) of the body that
    explains it best, capped. gains: (B,) cost per frame that every body saves its points.
    """

    chain: ScrewChain
    labels: Labels
    costs: Array
    gains: Array

    @property
    def quality(self) -> float:
        """How well all points are explained (see `Branch`)."""
        return float(np.maximum(EXPLAINED - self.costs, 0.0).sum())


@dataclass(frozen=True)
class Grown:
    """A finished growth: its chain, and the body (N,) of every point, -1 none.

    bodies: motions of its links as their surfaces show them by themselves.
    """

    chain: ScrewChain
    labels: Labels
    bodies: Bodies
    root_motion: RootMotion


@dataclass(frozen=True)
class Branch:
    """A chain with a joint more, and what that does for its child's points together.

    gain: by how much less they cost, per frame. quality: how well they are explained, which ranks
    joints: a motion that is half right saves far points much, but explains none well.
    """

    chain: ScrewChain
    labels: Labels
    gain: float
    quality: float


def grow_by_motors(
    reference: Cloud,
    frames: list[Cloud],
    pieces: Bodies,
    graph: DeformationGraph,
    neighbours: csr_matrix,
    *,
    noise: Noise,
    readings: Array,
    metre: float,
    known: Grown | None = None,
    known_root: RootMove | None = None,
    small_links: bool = True,
) -> Grown | None:
    """Find links one after the other, from the root on.

    pieces: the graph's nodes as they were tracked through F frames. readings: (F, M), relative to
    the reference frame. metre: in engine units. known: links from other frames, of which those are
    kept that explain these, too. known_root: how the frames move as a whole, where other frames
    have told. small_links: whether those are searched, too, that the graph's
    nodes are too coarse for. None where no root is seen, or a link takes all of it.
    """
    gate = GATE * reference.spacing
    seed, move = find_root(reference, frames, pieces, graph.nodes, noise, gate, known_root)
    if not seed.any():
        return None
    bodies, _, _, root = with_root(
        reference, frames, pieces, graph.nodes, graph.edges, seed, move, gate
    )
    scene = Scene(
        reference,
        frames,
        graph,
        neighbours,
        pieces,
        readings,
        bodies.poses[:, root],
        noise,
        metre,
    )
    if known is None:
        growth = relabelled(scene, ScrewChain(metre), np.where(seed[graph.nodes], 0, -1))
    else:
        growth = _explained(scene, known.chain, known.labels, FOREIGN)
        # A joint that hangs in the wrong place explains by its ratio what it does not by its axis.
        while not (direct := growth.chain.direct).all():
            growth = _without(growth, int(np.flatnonzero(~direct)[0]))
        growth = _settled(scene, growth)
    while larger := _largest(scene, growth, _node_branches(scene, growth)):
        growth = larger
    # Small links never fit as well as large ones. With these known, what hardly follows one does
    # not follow another that is yet to be found.
    for candidates in (_free_motors, _twin_motors) if small_links else ():
        while larger := _largest(
            scene, growth, _patch_branches(scene, growth, candidates), FOREIGN, SMALL_SAVING
        ):
            growth = larger
    growth = _settled(scene, growth)
    if np.count_nonzero(growth.labels == 0) < LEAST_POINTS:
        return None
    poses = growth.chain.poses(readings, scene.base)
    free = refit_bodies(reference, growth.labels, frames, poses, gate=gate, **held(0, move.motion))
    return Grown(growth.chain, growth.labels, free, move.motion)


def _largest(
    scene: Scene,
    growth: Growth,
    branches: list[Branch],
    unexplained: float = UNEXPLAINED,
    saving: float = 0.0,
) -> Growth | None:
    """The growth that explains most by one of the likeliest branches, once all took their points.

    Of those whose link is worth it and leaves the others so: it may be a piece of one of them.
    None without any. saving: least mean cost that the link saves its points.
    """
    poor = np.append(_needless(growth), False)
    likeliest = sorted(branches, key=lambda branch: -branch.quality)[:CANDIDATES]
    likeliest = [b for b in likeliest if b.quality >= UNLIKELY * likeliest[0].quality]
    grown = [relabelled(scene, branch.chain, branch.labels, unexplained) for branch in likeliest]
    worth = [
        larger
        for larger in grown
        if not (_needless(larger) & ~poor).any()
        and larger.gains[-1] >= saving * np.count_nonzero(larger.labels == len(poor))
    ]
    return max(
        worth,
        key=lambda larger: (
            (larger.quality - growth.quality) * (1.0 if larger.chain.direct[-1] else INDIRECT)
        ),
        default=None,
    )


def _needless(growth: Growth) -> NDArray[np.bool_]:
    """(J,) joints whose child has hardly any points, or saves them hardly any cost."""
    sizes = np.bincount(growth.labels + 1, minlength=len(growth.chain.parents) + 2)[2:]
    return (sizes < LEAST_POINTS) | (growth.gains[1:] < LEAST_GAIN)


def relabelled(
    scene: Scene, chain: ScrewChain, labels: Labels, unexplained: float = UNEXPLAINED
) -> Growth:
    """The chain with the last joint and those above fitted, as it takes the points it explains.

    unexplained: cost of a point beyond which no link takes it.
    """
    count = len(chain.parents) + 1
    growth = Growth(chain, labels, np.full(len(labels), COST_CAP), np.zeros(count))
    for _ in range(SPREADING):
        last = len(growth.chain.parents)
        fitted = _fitted(scene, growth.chain, growth.labels, growth.chain.ancestors(last))
        before, growth = growth.labels, _explained(scene, fitted, growth.labels, unexplained)
        if np.mean(growth.labels != before) < SETTLED:
            break
    return growth


def _settled(scene: Scene, growth: Growth) -> Growth:
    """The growth with all joints fitted together, without links that are not worth it."""
    for _ in range(SETTLING):
        growth = _refitted(scene, growth)
        while (needless := _needless(growth)).any():
            growth = _without(growth, int(np.flatnonzero(needless)[-1]))
            growth = _explained(scene, growth.chain, growth.labels, FOREIGN)
    return growth


def _without(growth: Growth, joint: int) -> Growth:
    """The growth without a joint and all that hangs on it, whose points follow no body."""
    chain, left = growth.chain.without(joint)
    place = np.full(len(growth.chain.parents) + 2, -1)
    place[left] = np.arange(len(left))
    return replace(growth, chain=chain, labels=place[growth.labels], gains=growth.gains[left])


def _refitted(scene: Scene, growth: Growth) -> Growth:
    """The growth with all joints fitted, but those that lose their link by it.

    A few points of its parent among those of a small link can turn its joint away from it.
    """
    labels = growth.labels
    chain = _fitted(scene, growth.chain, labels, range(len(growth.chain.parents)))
    fitted = _explained(scene, chain, labels, FOREIGN)
    if not _needless(fitted).any():
        return fitted
    before = _explained(scene, growth.chain, labels, FOREIGN)
    lost = _needless(fitted) & ~_needless(before)
    twists = np.where(lost[:, None], growth.chain.twists, chain.twists)
    return _explained(scene, replace(chain, twists=twists), labels, FOREIGN)


def _fitted(
    scene: Scene,
    chain: ScrewChain,
    labels: Labels,
    joints: list[int] | range,
) -> ScrewChain:
    """The chain with some joints fitted, but those of links that are too small for it."""
    sizes = np.bincount(labels + 1, minlength=len(chain.parents) + 2)[2:]
    gate = GATE * scene.reference.spacing
    kernels = np.geomspace(gate / 2, gate / 4, STEPS)
    return fit_chain(
        chain,
        scene.reference,
        labels,
        scene.frames,
        scene.readings,
        scene.base,
        gate=gate,
        kernels=kernels.tolist(),
        joints=[j for j in joints if sizes[j] >= FITTED_POINTS],
    )


def _explained(
    scene: Scene, chain: ScrewChain, labels: Labels, unexplained: float = UNEXPLAINED
) -> Growth:
    """The chain with every point given to the body that explains it, if one does.

    unexplained: cost of following none.
    """
    poses = chain.poses(scene.readings, scene.base)
    costs = _costs(scene, labels, poses)
    none = np.full((len(costs), 1), unexplained)
    smooth = smooth_labels(np.concatenate([costs, none], axis=1), scene.neighbours)
    smooth[smooth == costs.shape[1]] = -1
    labels = drop_specks(smooth, scene.neighbours, LEAST_POINTS)
    costs = np.minimum(costs, COST_CAP)
    own = np.flatnonzero(labels >= 0)
    others = costs[own].copy()
    others[np.arange(len(own)), labels[own]] = COST_CAP
    saved = others.min(axis=1) - costs[own, labels[own]]
    gains = np.bincount(labels[own], saved, minlength=costs.shape[1])
    return Growth(chain, labels, costs.min(axis=1), gains.astype(float))


def _costs(scene: Scene, labels: Labels, poses: Array) -> Array:
    return point_costs(scene.reference, labels, scene.frames, poses, noise=scene.noise.total)


def _node_branches(scene: Scene, growth: Growth) -> list[Branch]:
    """Joints that the tracked nodes suggest, as the points see them."""
    poses = growth.chain.poses(scene.readings, scene.base)
    every = np.arange(len(scene.graph.centres))
    rest = _node_cost(scene, every, np.swapaxes(poses, 0, 1)).min(axis=0)
    lost = rest > NODE_UNEXPLAINED
    if not lost.any():
        return []
    around = _pooling(scene.graph)
    suggestions = []
    for parent, pose in enumerate(np.swapaxes(poses, 0, 1)):
        near = lost & _near(scene, growth.labels, parent)
        if not near.any():
            continue
        for motor in _free_motors(scene, growth.chain, parent):
            twists = _node_twists(scene, pose, scene.readings[:, motor], around, near)
            suggestions += _suggestions(scene, pose, parent, motor, twists, rest, lost)
    suggestions.sort(key=lambda suggestion: -suggestion[0])
    branches = []
    seen: set[tuple[int, int]] = set()
    for _, parent, motor, twist, members in suggestions:
        if (parent, motor) in seen:
            continue
        seen.add((parent, motor))
        branches += _branches(scene, growth, parent, motor, twist, members[scene.graph.nodes])
        if len(seen) == CANDIDATES:
            break
    return branches


def _free_motors(scene: Scene, chain: ScrewChain, _: int) -> list[int]:
    """Motors that have no joint yet."""
    return [motor for motor in range(scene.readings.shape[1]) if motor not in chain.motors]


def _twin_motors(_: Scene, chain: ScrewChain, parent: int) -> list[int]:
    """Motors of the last links on a parent: they may move another one, as a gripper's does."""
    return [
        motor
        for joint, motor in enumerate(chain.motors)
        if chain.parents[joint] == parent and joint + 1 not in chain.parents
    ]


def _pooling(graph: DeformationGraph) -> Array:
    """(K, K) whether two nodes are at most two edges apart."""
    count = len(graph.centres)
    touching = np.eye(count)
    first, second = graph.edges.T
    touching[first, second] = touching[second, first] = 1.0
    return (touching @ touching > 0).astype(float)


def _near(scene: Scene, labels: Labels, body: int) -> NDArray[np.bool_]:
    """(K,) nodes at most four edges away from a node with points of the body."""
    nodes = np.zeros(len(scene.graph.centres))
    nodes[scene.graph.nodes[labels == body]] = 1.0
    around = _pooling(scene.graph)
    return around @ (around @ nodes) > 0


def _node_cost(scene: Scene, nodes: NDArray[np.int64], motions: Array) -> Array:
    """Mean squared distance (H, K), over frames, of nodes (K,) from motions (H, F, 4, 4).

    As far as the surface shows it, in squared noise, capped.
    """
    pieces = scene.pieces
    errors = log_se3(inverse(motions)[:, :, None] @ pieces.poses[:, nodes])
    turned = np.einsum("fkij,hfkj->hfki", pieces.information[:, nodes], errors, optimize=True)
    squared = np.einsum("hfki,hfki->hfk", errors, turned)
    costs = squared / (scene.noise.total**2 * np.maximum(pieces.weights[:, nodes], 1e-9))
    return np.minimum(costs, NODE_CAP).mean(axis=1)


def _node_twists(
    scene: Scene, parent: Array, reading: Array, around: Array, near: NDArray[np.bool_]
) -> Array:
    """Twists (K', 6) of a motor that explain the nodes `near` and those around them best.

    Robust least squares on the logarithms of the motions relative to the parent (F, 4, 4).
    """
    lead, node = np.nonzero(around[near])
    count = int(near.sum())
    pieces = scene.pieces
    relative = (inverse(parent)[:, None] @ pieces.poses)[:, node]
    information = pieces.information[:, node]
    size = scene.noise.total**2 * np.maximum(pieces.weights[:, node], 1e-9)
    twists = np.zeros((count, 6))
    # Tracking gets worse with every frame: the first ones are believed most.
    belief = np.broadcast_to(1.0 / (1.0 + np.arange(len(reading)))[:, None], size.shape)
    errors = log_se3(relative)
    for _ in range(ROUNDS):
        weighted = information * (belief * reading[:, None])[..., None, None]
        blocks = group_sum(np.einsum("f,fpij->pij", reading, weighted), lead, count)
        pulls = np.einsum("fpij,fpj->pi", weighted, errors, optimize=True)
        ridge = 1e-6 * np.trace(blocks, axis1=1, axis2=2)[:, None, None] + 1e-12
        steps = np.linalg.solve(
            blocks + ridge * np.eye(6), group_sum(pulls, lead, count)[..., None]
        )
        twists = twists + steps[..., 0]
        motions = exp_se3(twists * reading[:, None, None])
        errors = log_se3(inverse(motions)[:, lead] @ relative)
        squared = np.einsum("fpi,fpij,fpj->fp", errors, information, errors, optimize=True)
        belief = 1.0 / (1.0 + squared / size / 9.0) ** 2
    return twists


def _suggestions(
    scene: Scene,
    parent_pose: Array,
    parent: int,
    motor: int,
    twists: Array,
    rest: Array,
    lost: NDArray[np.bool_],
) -> list[tuple[float, int, int, Array, NDArray[np.bool_]]]:
    """Gain, parent, motor, twist and nodes (K,) of the likeliest joints, likeliest first."""
    motions = parent_pose @ exp_se3(twists[:, None] * scene.readings[:, motor, None])
    costs = _node_cost(scene, np.flatnonzero(lost), motions)
    explained = costs < np.minimum(rest[lost] - 1, NODE_EXPLAINED)
    weights = scene.pieces.weights[:, lost].mean(axis=0)
    gains = np.sum(weights * np.maximum(rest[lost] - costs, 0) * explained, axis=1)
    found = []
    for best in np.argsort(-gains, kind="stable")[:CANDIDATES]:
        if explained[best].any():
            members = np.zeros(len(lost), dtype=bool)
            members[lost] = explained[best]
            found.append((float(gains[best]), parent, motor, twists[best], members))
    return found


def _branches(
    scene: Scene,
    growth: Growth,
    parent: int,
    motor: int,
    twist: Array,
    members: NDArray[np.bool_],
) -> list[Branch]:
    """Joints along a twist, fitted to their member points (N,), that gain enough."""
    found = [_branch(scene, growth, parent, motor, twist, "revolute", members)]
    ratio = found[0].chain.ratios[-1]
    if ratio != 1.0:
        found.append(_branch(scene, growth, parent, motor, twist, "prismatic", members))
    if ratio != 1.0 and max(ratio, 1 / ratio) < SIMILAR:
        # Points of other links, and nodes that slid, blur the ratio; most motors have none.
        direct = found[0].chain.twists[-1] / ratio
        found.append(_branch(scene, growth, parent, motor, direct, "revolute", members))
    return [branch for branch in found if branch.gain > LEAST_GAIN]


def _moves(chain: ScrewChain, readings: Array) -> bool:
    """Whether the last joint moves its child noticeably."""
    travel = chain.ratios[-1] * np.ptp(readings[:, chain.motors[-1]])
    return bool(travel > (LEAST_TURN if chain.types[-1] == "revolute" else LEAST_SLIDE))


def _branch(
    scene: Scene,
    growth: Growth,
    parent: int,
    motor: int,
    twist: Array,
    kind: JointType,
    members: NDArray[np.bool_],
    *,
    small: bool = False,
) -> Branch:
    """One joint more, and what it gains: nothing where it is not plausible.

    small: members that are too few to be fitted to.
    """
    body = len(growth.chain.parents) + 1
    labels = np.where(members, body, growth.labels)
    chain = growth.chain.with_joint(parent, motor, twist, kind)
    if not small:
        chain = _fitted(scene, chain, labels, [body - 1])
    poses = chain.poses(scene.readings, scene.base)
    costs = _costs(scene, np.where(members, 0, -1), poses[:, [body]])[:, 0]
    explained = PATCH_EXPLAINED if small else EXPLAINED
    good = (growth.costs - costs > 1.0) & (costs < explained)
    gain = float((growth.costs - costs)[good].sum())
    quality = float((explained - costs)[good].sum())
    if good.sum() < LEAST_POINTS or not _moves(chain, scene.readings):
        gain = 0.0
    if not chain.direct[-1]:
        gain, quality = INDIRECT * gain, INDIRECT * quality
    return Branch(chain, np.where(good, body, growth.labels), gain, quality)


def _patch_branches(
    scene: Scene, growth: Growth, candidates: Callable[[Scene, ScrewChain, int], list[int]]
) -> list[Branch]:
    """Joints of what the tracking lost: patches of points that no body explains.

    candidates: motors that may move such a joint on a parent, by its number.
    """
    chain, labels = growth.chain, growth.labels
    adjacency = scene.neighbours.tocoo()
    suggestions = []
    for members in _patches(scene, growth):
        beside = members[adjacency.row] & (labels[adjacency.col] >= 0)
        for parent in np.unique(labels[adjacency.col[beside]]).tolist():
            for motor in candidates(scene, chain, parent):
                for kind in get_args(JointType):
                    twists, costs = _patch_twists(scene, growth, parent, motor, kind, members)
                    gains = np.sum(members) * (growth.costs[members].mean() - costs)
                    suggestions += [
                        (gain, parent, motor, twist, kind, members)
                        for gain, twist in zip(gains.tolist(), twists, strict=True)
                        if gain > LEAST_PATCH_GAIN / 2
                    ]
    suggestions.sort(key=lambda suggestion: -suggestion[0])
    branches = [
        _branch(scene, growth, parent, motor, twist, kind, members, small=True)
        for _, parent, motor, twist, kind, members in suggestions[:PATCHES]
    ]
    return [branch for branch in branches if branch.gain > LEAST_PATCH_GAIN]


def _patches(scene: Scene, growth: Growth) -> list[NDArray[np.bool_]]:
    """Members (N,) of pieces in which a link may hide.

    Connected pieces of what no body explains, the nodes' parts of it, and the nodes that are
    explained worst.
    """
    labels = growth.labels
    lost = labels < 0
    adjacency = scene.neighbours.tocoo()
    both = lost[adjacency.row] & lost[adjacency.col]
    links = csr_matrix(
        (np.ones(both.sum()), (adjacency.row[both], adjacency.col[both])), (len(labels),) * 2
    )
    whole = np.where(lost, connected_components(links, directed=False)[1], -1)
    parts = np.where(lost, scene.graph.nodes, -1)
    found = [
        pieces == piece
        for pieces in (whole, parts)
        for piece, size in zip(*np.unique(pieces, return_counts=True), strict=True)
        if piece >= 0 and size >= LEAST_POINTS
    ]
    sizes = np.maximum(np.bincount(scene.graph.nodes), 1)
    costs = np.bincount(scene.graph.nodes, growth.costs) / sizes
    worst = np.argsort(-costs)[:WORST_NODES]
    found += [scene.graph.nodes == node for node in worst if costs[node] > BADLY_EXPLAINED]
    return list(np.unique(np.array(found), axis=0)) if found else []


def _patch_twists(
    scene: Scene,
    growth: Growth,
    parent: int,
    motor: int,
    kind: JointType,
    members: NDArray[np.bool_],
) -> tuple[Array, Array]:
    """Twists (H, 6) of the likeliest joints of a patch among screws all over it; costs (H,).

    Only joints that the motor moves directly: a patch is too small to tell the ratio as well.
    """
    unit = 1.0 if kind == "revolute" else scene.metre
    patch = patch_of(
        scene.reference,
        members,
        scene.frames,
        growth.chain.poses(scene.readings, scene.base)[:, parent],
        unit * scene.readings[:, motor],
        scene.noise.total,
    )
    places = axis_places(scene.reference.points, members, growth.labels == parent)
    twists, costs = search_screws(patch, kind, places)
    return unit * twists, costs
