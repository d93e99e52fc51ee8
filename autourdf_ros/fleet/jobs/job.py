"""One job: what to run on which inputs, and the key by which its result is known."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from autourdf_ros import __version__
from autourdf_ros.files.code_digest import code_digest
from autourdf_ros.fleet.jobs.accepted_commands import COMMANDS, Value

Digests = Mapping[str, str]
"""Digest of the content of every input, by its place."""


@dataclass(frozen=True)
class Job:
    """What to run on which inputs.

    Attributes:
        name: For people: names the result folder.
        estimator: The command.
        inputs: Places (absolute paths or URLs), as many as the command takes.
        options: Of the command: flags, numbers and words.
        files: Options of the command that are files, with their places.
        memory: Bytes that it may use; None for its worker's share.
        robot: Whose recording it is; empty where nobody says so.
    """

    name: str
    estimator: str
    inputs: tuple[str, ...]
    options: Mapping[str, Value] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    memory: int | None = None
    robot: str = ""

    @property
    def places(self) -> tuple[str, ...]:
        """All that it reads."""
        return *self.inputs, *(self.files[name] for name in sorted(self.files))

    @property
    def given_options(self) -> dict[str, Value]:
        """The options with the robot's name, which else would come from a scratch folder's."""
        named = "name" in COMMANDS[self.estimator].options
        return ({"name": self.name} if named else {}) | dict(self.options)

    def key(self, digests: Digests) -> str:
        """Return what identifies the result: inputs by content, options and code."""
        content = {
            "estimator": self.estimator,
            "inputs": [digests[place] for place in self.inputs],
            "options": self.given_options,
            "files": {name: digests[place] for name, place in self.files.items()},
            "version": __version__,
            "code": code_digest(),
        }
        text = json.dumps(content, sort_keys=True, allow_nan=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values: workers get nothing else."""
        return {
            "name": self.name,
            "estimator": self.estimator,
            "inputs": list(self.inputs),
            "options": dict(self.options),
            "files": dict(self.files),
            "memory": self.memory,
            "robot": self.robot,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Job:
        """Return the job that `to_dict` wrote."""
        return cls(**{**content, "inputs": tuple(content["inputs"])})
