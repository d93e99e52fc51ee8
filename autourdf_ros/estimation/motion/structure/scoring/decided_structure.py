"""Decide by the likelihood which links of a candidate are real, and which joints join them.

The ways to find links and joints take what some frames show, each by its own measure. Here frames
all over the recording decide, by one score: links are united as long as it rises, then ends of last
links are cut off that turn by themselves, and joints are moved to other links, or made the other
type.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from autourdf_ros.estimation.common.structure.scored_search import (
    Decision,
    SearchBounds,
    search_structure,
)
from autourdf_ros.estimation.common.structure.structure_moves import Generator
from autourdf_ros.estimation.motion.fitting.articulation import body_poses
from autourdf_ros.estimation.motion.fitting.frame_fit import States
from autourdf_ros.estimation.motion.fitting.spread_frames import spread_frames, travels
from autourdf_ros.estimation.motion.fitting.tracking import Motion
from autourdf_ros.estimation.motion.structure.candidate_model import CandidateModel
from autourdf_ros.estimation.motion.structure.candidate_tree import motor_fits
from autourdf_ros.estimation.motion.structure.candidates.link_fitting import frame_costs
from autourdf_ros.estimation.motion.structure.problem import Problem
from autourdf_ros.estimation.motion.structure.pruning.trimming import with_margins
from autourdf_ros.estimation.motion.structure.scoring.decision_words import named
from autourdf_ros.estimation.motion.structure.scoring.joint_rehanging import JointRehanging
from autourdf_ros.estimation.motion.structure.scoring.link_uniting import LinkUniting
from autourdf_ros.estimation.motion.structure.scoring.recording_likelihood import (
    PosedState,
    RecordingLikelihood,
    design_effect,
)
from autourdf_ros.estimation.motion.structure.scoring.round_ends import (
    TURNS_BY_ITSELF,
    RoundEnds,
)
from autourdf_ros.estimation.motion.structure.tracking.repaired_tracking import track_and_repair
from autourdf_ros.geometry.arrays import Array, Labels
from autourdf_ros.progress import Progress, part, silent

JUDGES = 12  # frames, spread over the recording, that decide (resource bound)
WELL = 2.0  # mean cost of a point on a link that was cut off, up to which it is explained
UNSTEADY = (
    0.4  # roughness of angles that are chance, though smooth ones were preferred (`roughness`)
)
PASSES = 3  # of deciding and of tracking what was decided, at most
ROUNDS = 3  # of uniting links, of cutting off ends and of changing joints, at most
UNITING = SearchBounds(tried=6)
CUTTING = SearchBounds(tried=3)
CHANGING = SearchBounds(changes=2, tried=4)


def decided(
    problem: Problem, candidate: CandidateModel, motion: Motion, progress: Progress = silent
) -> tuple[CandidateModel, Motion]:
    """Change a candidate as long as its likelihood rises in frames all over the recording.

    Where more frames follow the changed candidate than the one before, these decide again.

    Args:
        problem: the recording and what is known of it.
        candidate: the candidate.
        motion: of the candidate in all frames.
        progress: is called with the stage and the share done.

    Returns:
        The candidate with the decisions that led to it, and its motion; the same ones where it was
        not changed.
    """
    pieces = tuple((number,) for number in range(len(candidate.model.parents) + 1))
    # What was decided before, if anything was, numbered links otherwise.
    earlier = named(candidate.decisions, candidate.pieces, ())
    best = replace(candidate, pieces=pieces, decisions=earlier)
    for number in range(PASSES):
        piece = part(progress, number / PASSES, (number + 1) / PASSES)
        changed = _changed(problem, best, motion, part(piece, 0.0, 0.5), problem.seeks_ends)
        if changed is best:
            break
        # Joint values under another tree are others: every frame is tracked anew.
        followed, before = motion.used.sum(), (best, motion)
        best, motion = _tracked(problem, changed, part(piece, 0.5, 0.7))
        cut = _cut_off(changed, before[0])
        explained, steady = _hold(problem, best, motion, cut), _steady(problem, motion, cut)
        if not (explained and steady):
            # How far an end turned was found in a few frames; in all of them it does not hold.
            best, motion = before
            if explained:
                best = replace(best, suspected=_turning_ends(changed, best))
            changed = _changed(problem, best, motion, part(piece, 0.7, 0.9), cutting=False)
            if changed is best:
                break
            best, motion = _tracked(problem, changed, part(piece, 0.9, 1.0))
        if motion.used.sum() <= followed:
            break
    if best.decisions == earlier and not best.suspected:
        return candidate, motion
    return best, motion


def _tracked(
    problem: Problem, candidate: CandidateModel, progress: Progress
) -> tuple[CandidateModel, Motion]:
    """A changed candidate with its margins, and its motion in all frames."""
    motion = track_and_repair(problem, candidate, progress)
    return with_margins(problem, candidate, motion), motion


def _cut_off(after: CandidateModel, before: CandidateModel) -> list[int]:
    """Links of a candidate that are no piece of what was there before."""
    known = {number for own in before.pieces for number in own}
    return [link for link, own in enumerate(after.pieces) if own[0] not in known]


def _turning_ends(after: CandidateModel, before: CandidateModel) -> tuple[Decision, ...]:
    """What was decided about ends that turn, of a candidate that does not hold."""
    made = after.decisions[len(before.decisions) :]
    return tuple(decision for decision in made if decision.change.endswith(TURNS_BY_ITSELF))


def _hold(problem: Problem, candidate: CandidateModel, motion: Motion, links: list[int]) -> bool:
    """Whether links explain their points well, and better than their parents, in all frames."""
    chosen = np.flatnonzero(motion.used)
    chosen = chosen[chosen > 0]
    frames = problem.frame_set(chosen)
    poses = body_poses(candidate.model, motion.states.values[chosen], motion.states.base[chosen])
    for link in links:
        own = np.flatnonzero(candidate.labels == link)
        above = int(candidate.model.parents[link - 1])
        moved = frame_costs(frames, poses[:, link], own).sum(axis=1)
        held = frame_costs(frames, poses[:, above], own).sum(axis=1)
        saved, left = np.mean(held - moved), np.mean(moved) / max(len(own), 1)
        if not saved > 1.0 or left > WELL:  # twice what a free value saves by chance
            return False
    return True


def _steady(problem: Problem, motion: Motion, links: list[int]) -> bool:
    """Whether links turn on from frame to frame.

    A round end that does not turn fits each frame best at some angle, but at another by chance.
    """
    angles, owners = motion.states.values[motion.used], problem.owners[motion.used]
    return all(roughness(angles[:, link - 1], owners) <= UNSTEADY for link in links)


def roughness(angles: Array, owners: Labels) -> float:
    """Return by how much angles change from frame to frame, over how far any two are apart.

    Von Neumann's ratio (1941), halved, on the circle: about 1 for angles of chance, near 0 for
    those that go on.

    Args:
        angles: (F,) rad.
        owners: (F,) sequence of every frame.
    """
    apart = 1 - np.cos(angles[:, None] - angles)
    same = owners[:, None] == owners
    neighbours = np.diag(apart, 1)[np.diag(same, 1)]
    pairs = apart[np.triu(same, 1)]
    if not len(neighbours) or not pairs.mean() > 0:
        return 0.0
    return float(neighbours.mean() / pairs.mean())


def _changed(
    problem: Problem,
    candidate: CandidateModel,
    motion: Motion,
    progress: Progress,
    cutting: bool,
) -> CandidateModel:
    """The best candidate by the frames that decide; the same one where none is better.

    cutting: whether ends of last links may become links.
    """
    chosen = spread_frames(motion, travels(motion, problem.readings), JUDGES)
    if len(candidate.model.parents) < 2 or not len(chosen):
        return candidate
    before = PosedState(candidate, States(motion.states.values[chosen], motion.states.base[chosen]))
    frames, readings = problem.frame_set(chosen), problem.readings_in(chosen)
    likelihood = RecordingLikelihood(frames, readings, problem.metre, design_effect(frames, before))
    steps: tuple[tuple[Generator[PosedState], SearchBounds], ...] = (
        (LinkUniting(likelihood), UNITING),
        (RoundEnds(likelihood), CUTTING),
        (JointRehanging(likelihood), CHANGING),
    )
    steps = steps if cutting else (steps[0], steps[2])
    if not any(True for generate, _ in steps for _ in generate(before)):
        return candidate
    settle = likelihood.settled
    state = settle(before)
    decisions: list[Decision] = []
    for number in range(ROUNDS):
        piece = part(progress, 0.7 * number / ROUNDS, 0.7 * (number + 1) / ROUNDS)
        made = len(decisions)
        for step, (generate, bounds) in enumerate(steps):
            share = part(piece, step / len(steps), (step + 1) / len(steps))
            found = search_structure(state, likelihood, (generate,), share, bounds, settle)
            state, decisions = found.state, [*decisions, *found.history]
        if len(decisions) == made:
            break
    if not decisions:
        return candidate
    best = state.candidate
    tree = replace(
        best.tree, values=best.states.values, motors=motor_fits(state.states.values, readings)
    )
    return replace(best, tree=tree, decisions=(*candidate.decisions, *decisions))
