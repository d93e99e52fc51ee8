"""Which commands a job may run, and with which options: nothing else of a job file is run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from autourdf_ros.errors import InputError

Value = str | int | float | bool

_SHAPE = frozenset({"density", "mass", "shapes", "show-shapes", "collision"})


@dataclass(frozen=True)
class AcceptedCommand:
    """A command that writes a result folder.

    Attributes:
        inputs: How many it takes, before its options.
        options: Names of options that are flags, numbers or words.
        files: Names of options that are files or folders: further inputs.
    """

    inputs: int
    options: frozenset[str]
    files: frozenset[str] = frozenset()


COMMANDS: Mapping[str, AcceptedCommand] = {
    "reconstruct": AcceptedCommand(
        1,
        _SHAPE
        | {"no-readings", "links", "method", "registration", "clusters", "device", "seed"}
        | {"name", "points", "triangles", "usd"},
        frozenset({"limits", "prior"}),
    ),
    "assemble": AcceptedCommand(
        1, _SHAPE | {"method", "root", "unit", "up", "split", "seed", "name", "usd"}
    ),
    "mechanism": AcceptedCommand(
        1, frozenset({"method", "no-dynamics", "seed", "name"}), frozenset({"shapes", "forces"})
    ),
    "payload": AcceptedCommand(
        2,
        frozenset({"table", "method", "materials", "frame", "topic", "world", "tared", "delay"})
        | {"reaction", "link"},
        frozenset({"empty", "urdf"}),
    ),
    "splat": AcceptedCommand(1, frozenset({"name", "splats", "exposure", "refine-cameras"})),
}


def accepted(estimator: object, where: str) -> AcceptedCommand:
    """Return a command by its name.

    Raises:
        InputError: There is none of this name that a job may run; `where` begins the error.
    """
    if not isinstance(estimator, str) or estimator not in COMMANDS:
        raise InputError(f"{where}: estimator {estimator!r}; accepted are {', '.join(COMMANDS)}")
    return COMMANDS[estimator]


def check_option(command: AcceptedCommand, name: object, value: object, where: str) -> None:
    """Check an option of a job.

    Raises:
        InputError: The command has no such option for jobs, or the value is neither a number, a
            short word nor a flag.
    """
    known = command.options | command.files
    if not isinstance(name, str) or name not in known:
        raise InputError(f"{where}: option {name!r}; accepted are {', '.join(sorted(known))}")
    is_word = isinstance(value, str) and 0 < len(value) <= 1024 and value.isprintable()
    if not (isinstance(value, bool | int | float) or is_word):
        raise InputError(f"{where}: option {name}: is {value!r:.80}; accepted is a number or word")


def arguments(options: Mapping[str, Value]) -> list[str]:
    """Return options as a command takes them: no value can be read as another option."""
    given = []
    for name, value in sorted(options.items()):
        if value is True:
            given.append(f"--{name}")
        elif value is not False:
            given.append(f"--{name}={value}")
    return given
