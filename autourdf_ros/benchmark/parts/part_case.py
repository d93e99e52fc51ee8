"""A case of the suite: a folder of parts with its truth, and how it is estimated."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from autourdf_ros.benchmark.cache import cache_folder, one_at_a_time
from autourdf_ros.benchmark.parts.case_source import CaseKind, CaseSource
from autourdf_ros.data.parts.erased.case_folder import write_case
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions, MctsOptions
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.progress import Progress

SuiteMethod = Literal["symmetry", "mcts", "mcts-bfs", "mcts-collision"]
METHODS: tuple[SuiteMethod, ...] = ("symmetry", "mcts", "mcts-bfs", "mcts-collision")


@dataclass(frozen=True)
class PartCase:
    """A case.

    Attributes:
        name: Of the robot or object.
        kind: Robot, object, or None for a case of a folder of the user's.
        folder: With parts/ and truth.json.
        method: What estimates; mcts-bfs and mcts-collision are ablations of mcts.
        seed: Of the estimator.
        degradation: Of the parts, by its name in `DEGRADATIONS`.
    """

    name: str
    kind: CaseKind | None
    folder: Path
    method: SuiteMethod = "symmetry"
    seed: int = 0
    degradation: str = "given"

    @property
    def options(self) -> AssemblyOptions:
        """Of the estimator."""
        if self.method == "symmetry":
            return AssemblyOptions("symmetry", seed=self.seed)
        ablation = MctsOptions(
            search=self.method != "mcts-bfs", anchor=self.method != "mcts-collision"
        )
        return AssemblyOptions("mcts", seed=self.seed, mcts=ablation)

    @property
    def measured_by(self) -> str:
        """The module that measures it, as `SuiteCase` says."""
        return "autourdf_ros.benchmark.parts.measure_parts"

    def title(self) -> dict[str, Any]:
        """Return what identifies the case in a row, as JSON values."""
        return {
            "name": self.name,
            "kind": self.kind,
            "method": self.method,
            "seed": self.seed,
            "degradation": self.degradation,
        }

    def key(self) -> dict[str, Any]:
        """Return everything that determines a row, as JSON values."""
        return {
            "case": self.name,
            "method": self.method,
            "seed": self.seed,
            "degradation": self.degradation,
            "input": _content_digest(self.folder),
            "code": code_digest(),
        }


def cases_in(folder: Path) -> tuple[PartCase, ...]:
    """Return a case for every subfolder with parts/ and truth.json.

    Raises:
        InputError: There is none.
    """
    found = tuple(
        PartCase(path.parent.name, None, path.parent)
        for path in sorted(folder.glob("*/truth.json"))
        if (path.parent / "parts").is_dir()
    )
    if not found:
        raise InputError(
            f"{folder}: contains no case; accepted is a folder of CASE/, each with parts/ and "
            "truth.json"
        )
    return found


def cases_of(sources: Sequence[CaseSource], progress: Progress) -> tuple[PartCase, ...]:
    """Erase the joints of models and return their cases, which stay in the user's cache."""
    cases = []
    for number, source in enumerate(sources):
        progress(f"{source.name}: erasing its joints", number / len(sources))
        cases.append(PartCase(source.name, source.kind, _erased(source)))
    return tuple(cases)


def by_parts_methods(
    cases: Iterable[PartCase],
    methods: Sequence[SuiteMethod],
    degradations: Sequence[str] = ("given",),
) -> tuple[PartCase, ...]:
    """Return each case with each of the methods and degradations of its parts."""
    return tuple(
        replace(case, method=method, degradation=degradation)
        for case in cases
        for method in methods
        for degradation in degradations
    )


def _erased(source: CaseSource) -> Path:
    """Return the case's folder; of several processes one writes it and the others wait."""
    code = code_digest("data/parts/erased") + code_digest("benchmark/parts")
    folder = cache_folder() / "parts" / code / source.name
    if not (folder / "truth.json").is_file():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with one_at_a_time(folder.with_name(f"{folder.name}.lock")):
            if not (folder / "truth.json").is_file():
                write_case(source.read(), folder)
    return folder


def _content_digest(folder: Path) -> str:
    """Digest the truth and all parts."""
    total = hashlib.sha256()
    for path in (folder / "truth.json", *sorted((folder / "parts").iterdir())):
        total.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()[:16]
