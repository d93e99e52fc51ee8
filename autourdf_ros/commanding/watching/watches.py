"""What watches over the joints of a robot that moves."""

from __future__ import annotations

from dataclasses import dataclass

from autourdf_ros.commanding.watching.effort_watch import EffortWatch
from autourdf_ros.commanding.watching.jump_watch import JumpWatch
from autourdf_ros.commanding.watching.reading_watch import ReadingWatch


@dataclass(frozen=True)
class Watches:
    """The watches over the joint readings of a cell.

    Attributes:
        readings: whether every joint is read, also those that are not commanded.
        efforts: whether a joint works harder than it may.
        jumps: whether a joint jumps farther than it can move.
    """

    readings: ReadingWatch
    efforts: EffortWatch
    jumps: JumpWatch
