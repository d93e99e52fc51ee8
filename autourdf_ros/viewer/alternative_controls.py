"""The alternatives of joints between given parts on the page: a choice for every joint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import viser

from autourdf_ros.model.document.alternatives import Alternative, RankedJoint
from autourdf_ros.report.grade_style import GRADE_STYLES
from autourdf_ros.viewer.viewed_result import ViewedResult

Chosen = Callable[[str, int], None]
"""Called with a joint and the place of the alternative that is shown from now on."""


class AlternativeControls:
    """A dropdown for every joint that may be another one; the ambiguous first."""

    def __init__(self, server: viser.ViserServer, result: ViewedResult, chosen: Chosen) -> None:
        """Add the dropdowns to the panel, none where there is no choice.

        Args:
            server: The page's server.
            result: The shown result.
            chosen: Called when another alternative is chosen.
        """
        self._result, self._chosen = result, chosen
        several = [one for one in result.alternatives if len(one.alternatives) > 1]
        open_ones = [one for one in several if one.ambiguous]
        decided = [one for one in several if not one.ambiguous]
        if open_ones:
            with server.gui.add_folder("alternatives"):
                self._add(server.gui, open_ones)
        if decided:
            name = "alternatives of joints that are decided"
            with server.gui.add_folder(name, expand_by_default=False):
                self._add(server.gui, decided)

    def _add(self, gui: viser.GuiApi, joints: Sequence[RankedJoint]) -> None:
        for joint in joints:
            sign = GRADE_STYLES[self._result.judgements[joint.joint].grade].sign
            options = [_words(place, one) for place, one in enumerate(joint.alternatives, start=1)]
            dropdown = gui.add_dropdown(
                f"{sign} {joint.joint}",
                options,
                initial_value=options[0],
                hint=joint.reason or "the first is in the URDF",
            )
            dropdown.on_update(partial(self._choose, joint.joint, dropdown, options))

    def _choose(
        self, joint: str, dropdown: viser.GuiDropdownHandle[str], options: list[str], _: object
    ) -> None:
        # A page may send any text; only those offered mean something.
        if dropdown.value in options:
            self._chosen(joint, options.index(dropdown.value))


def _words(place: int, one: Alternative) -> str:
    """Number, type, axis and probability, such as "2: revolute about z, 31%"."""
    sure = "" if one.probability is None else f", {100 * one.probability:.0f}%"
    if one.type == "fixed":
        return f"{place}: fixed{sure}"
    along = "along" if one.type == "prismatic" else "about"
    axis = " ".join(f"{value + 0.0:.2f}".rstrip("0").rstrip(".") for value in one.axis)
    return f"{place}: {one.type} {along} ({axis}){sure}"
