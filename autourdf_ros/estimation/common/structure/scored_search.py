"""The search: propose changes, score each by the data, take the best, until none is better."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from autourdf_ros.estimation.common.structure.likelihood import Likelihood, S
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
class SearchedStructure(Generic[S]):
    """The best state that was found.

    Attributes:
        state: The state.
        score: Of it (nats).
        history: The changes that led there, in order.
        refused: The best change that was not made, with its loss as a negative gain; None where
            none was proposed.
    """

    state: S
    score: float
    history: tuple[Decision, ...]
    refused: Decision | None


@dataclass(frozen=True)
class SearchBounds:
    """How long a search goes on.

    Attributes:
        changes: Made at most (resource bound).
        tried: Proposals that are scored for each of them, the most promising ones; None: all
            (resource bound).
    """

    changes: int = 100
    tried: int | None = None


def search_structure(
    state: S,
    likelihood: Likelihood[S],
    generators: Sequence[Generator[S]],
    progress: Progress = silent,
    bounds: SearchBounds | None = None,
    settle: Callable[[S], S] | None = None,
) -> SearchedStructure[S]:
    """Change a state as long as the data speak for it.

    Args:
        state: To begin with.
        likelihood: Scores states; is called by several threads at once.
        generators: Propose changes.
        progress: Is called with stage and fraction.
        bounds: Of the search.
        settle: Adjusts a changed state to the data before it is scored, and the state that it is
            compared with as often; None: it is as proposed.
    """
    bounds = bounds or SearchBounds()
    score = likelihood.score(state)
    history: list[Decision] = []
    refused: Decision | None = None

    def settled(proposal: Proposal[S]) -> tuple[S, float]:
        found = proposal.state if settle is None else settle(proposal.state)
        return found, likelihood.score(found)

    while len(history) < bounds.changes:
        progress(f"structure: {len(history)} changes", len(history) / bounds.changes)
        proposals = _distinct(state, generators)
        proposals = sorted(proposals, key=lambda one: -one.promise)[: bounds.tried]
        if not proposals:
            break
        found = on_all_cores(settled, proposals)
        scores = [own for _, own in found]
        order = sorted(range(len(proposals)), key=lambda number: -scores[number])
        best = order[0]
        if scores[best] > score and settle is not None:
            # What is adjusted once more may fit better by that alone.
            state, score = max(((state, score), settled(Proposal("", state))), key=_score)
        decision = _decision(proposals, scores, order, score)
        if not scores[best] > score:
            refused = decision
            break
        history.append(decision)
        state, score = found[best]
    return SearchedStructure(state, score, tuple(history), refused)


def _score(found: tuple[S, float]) -> float:
    return found[1]


def _distinct(state: S, generators: Sequence[Generator[S]]) -> list[Proposal[S]]:
    """Return what is proposed, each structure once, and not the state's own."""
    found = {state.structure: Proposal("", state)}
    for generate in generators:
        for proposal in generate(state):
            found.setdefault(proposal.state.structure, proposal)
    return list(found.values())[1:]


def _decision(
    proposals: Sequence[Proposal[S]], scores: Sequence[float], order: Sequence[int], before: float
) -> Decision:
    best = order[0]
    other = order[1] if len(order) > 1 else None
    return Decision(
        proposals[best].change,
        scores[best] - before,
        "" if other is None else proposals[other].change,
        float("inf") if other is None else scores[best] - scores[other],
    )
