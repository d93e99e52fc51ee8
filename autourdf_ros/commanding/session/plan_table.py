"""A plan as a table, for a human who decides whether the robot may execute it."""

from __future__ import annotations

from collections import Counter

import numpy as np

from autourdf_ros.commanding.session.planning import Plan
from autourdf_ros.model.limits.motion_limits import Limits


def moves_text(plan: Plan, duration: float) -> str:
    """Return how many moves there are, and how long they take with the pauses (s)."""
    return f"{len(plan.moves)} moves in {duration:.0f} s with the pauses"


def plan_table(plan: Plan, limits: Limits, duration: float) -> str:
    """Return lines of text: range and speed of every joint, duration of the moves, refusals.

    Args:
        plan: the moves.
        limits: of the joints.
        duration: of all moves, with the pauses between them (s).
    """
    joints = plan.moves[0].joints
    rows = [("joint", "from", "to", "fastest", "of its limit", "moves")]
    for column, name in enumerate(joints):
        positions = [move.positions[:, column] for move in plan.moves]
        fastest = max(float(np.abs(move.velocities[:, column]).max()) for move in plan.moves)
        rows.append(
            (
                name,
                f"{min(part.min() for part in positions):.3f}",
                f"{max(part.max() for part in positions):.3f}",
                f"{fastest:.3f}/s",
                f"{fastest / limits[name].velocity:.0%}",
                f"{sum(bool(np.ptp(part) > 0) for part in positions)}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(text.rjust(width) for text, width in zip(row, widths, strict=True))
        for row in rows
    ]
    lines.append(f"{moves_text(plan, duration)}, {len(plan.refused)} targets refused")
    reasons = Counter(reason.partition(" (")[0] for _, reason in plan.refused)
    lines += [f"  refused {count} times: {reason}" for reason, count in reasons.most_common()]
    return "\n".join(lines)
