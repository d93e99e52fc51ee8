"""The search: propose changes, score each by the data, take the best, until none is better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autourdf_ros.estimation.common.structure.likelihood import Likelihood, StructureState
from autourdf_ros.estimation.common.structure.structure_moves import Generator, Proposal
from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import Progress, silent


@dataclass(frozen=True)
class Decision:
    """A change that was made.

    Attributes:
        change: In words.
        gain: Of the score (nats).
        runner_up: The next best change, in words, empty where there was none.
        margin: By which the score of that is less (nats).
    """

    change: str
    gain: float
    runner_up: str
    margin: float


@dataclass(frozen=True)
class SearchedStructure:
    """The best state that was found.

    Attributes:
        state: The state.
        score: Of it (nats).
        history: The changes that led there, in order.
        refused: The best change that was not made, with its loss as a negative gain; None where
            none was proposed.
    """

    state: StructureState
    score: float
    history: tuple[Decision, ...]
    refused: Decision | None


def search_structure(
    state: StructureState,
    likelihood: Likelihood,
    generators: Sequence[Generator],
    progress: Progress = silent,
    most: int = 100,
) -> SearchedStructure:
    """Change a state as long as the data speak for it.

    Args:
        state: To begin with.
        likelihood: Scores states; is called by several threads at once.
        generators: Propose changes.
        progress: Is called with stage and fraction.
        most: Changes (resource bound).
    """
    score = likelihood.score(state)
    history: list[Decision] = []
    refused: Decision | None = None
    while len(history) < most:
        progress(f"structure: {len(history)} changes", len(history) / most)
        proposals = _distinct(state, generators)
        if not proposals:
            break
        scores = on_all_cores(likelihood.score, [one.state for one in proposals])
        order = sorted(range(len(proposals)), key=lambda number: -scores[number])
        best = order[0]
        decision = _decision(proposals, scores, order, score)
        if not scores[best] > score:
            refused = decision
            break
        history.append(decision)
        state, score = proposals[best].state, scores[best]
    return SearchedStructure(state, score, tuple(history), refused)


def _distinct(state: StructureState, generators: Sequence[Generator]) -> list[Proposal]:
    """Return what is proposed, each tree once, and not the state's own."""
    found = {_structure(state): Proposal("", state)}
    for generate in generators:
        for proposal in generate(state):
            found.setdefault(_structure(proposal.state), proposal)
    return list(found.values())[1:]


def _structure(state: StructureState) -> tuple[tuple[str, ...], ...]:
    """Return what two states with the same axes differ in."""
    return tuple(
        sorted((joint.name, joint.type, joint.parent, joint.child) for joint in state.tree.joints)
    )


def _decision(
    proposals: Sequence[Proposal], scores: Sequence[float], order: Sequence[int], before: float
) -> Decision:
    best = order[0]
    other = order[1] if len(order) > 1 else None
    return Decision(
        proposals[best].change,
        scores[best] - before,
        "" if other is None else proposals[other].change,
        float("inf") if other is None else scores[best] - scores[other],
    )
