"""A slider for every joint, in degrees or millimetres."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import viser

from autourdf_ros.report.grade_style import GRADE_STYLES
from autourdf_ros.viewer.viewed_result import ViewedResult

_STEP = 0.1  # degree or mm


class JointSliders:
    """Sliders of the actuated joints, with the limits of the URDF."""

    def __init__(
        self,
        server: viser.ViserServer,
        result: ViewedResult,
        limits: Mapping[str, tuple[float, float]],
        moved: Callable[[], None],
    ) -> None:
        """Add the sliders to the panel.

        Args:
            server: The page's server.
            result: The shown result.
            limits: (lower, upper) of each joint (rad or m) by name.
            moved: Called when `values` changed.
        """
        self._limits = dict(limits)
        self._exact: dict[str, float] = {}
        self._sliders: dict[str, viser.GuiSliderHandle[float]] = {}
        self._scales: dict[str, float] = {}
        self._reference = result.document["reference_configuration"]
        reference = self._reference
        joints = {joint["name"]: joint for joint in result.document["joints"]}
        for name, (lower, upper) in limits.items():
            linear = joints[name]["type"] == "prismatic"
            scale, low, high = _range(linear, lower, upper)
            self._scales[name] = scale
            self._exact[name] = reference[name]
            sign = GRADE_STYLES[result.judgements[name].grade].sign
            slider = server.gui.add_slider(
                _label(sign, name, linear),
                round(low, 1),
                round(high, 1),
                _STEP,
                _within(scale * reference[name], low, high),
                hint=f"{joints[name]['type']}, moves {joints[name]['child']}",
            )
            self._sliders[name] = slider
            slider.on_update(partial(self._on_update, name, moved))

    @property
    def values(self) -> dict[str, float]:
        """Joint values (rad or m) by name."""
        return dict(self._exact)

    def show(self, values: Mapping[str, float]) -> None:
        """Show these values (rad or m), also beyond a limit, without a call of `moved`."""
        for name, slider in self._sliders.items():
            self._exact[name] = values.get(name, self._exact[name])
            slider.value = self._displayed(name)  # type: ignore[misc]

    def change(self, name: str, kind: str, limits: tuple[float, float] | None) -> None:
        """Let a slider move its joint as one of another type, from the reference on.

        Args:
            name: Of the joint; one without a slider has none after it either.
            kind: Type of the joint; a fixed one cannot be moved.
            limits: (lower, upper) (rad or m); None for those of the URDF.
        """
        if name not in self._sliders:
            return
        slider, linear = self._sliders[name], kind == "prismatic"
        scale, low, high = _range(linear, *(limits or self._limits[name]))
        self._exact[name], self._scales[name] = self._reference[name], scale
        slider.label = _label(slider.label.split()[0], name, linear)
        slider.min, slider.max = round(low, 1), round(high, 1)
        slider.disabled = kind == "fixed"
        slider.value = self._displayed(name)  # type: ignore[misc]

    def _on_update(self, name: str, moved: Callable[[], None], _: object) -> None:
        slider = self._sliders[name]
        value = _within(float(slider.value), slider.min, slider.max)
        # A value that `show` set is no move and keeps its exact value.
        if math.isfinite(value) and value != self._displayed(name):
            self._exact[name] = value / self._scales[name]
            moved()

    def _displayed(self, name: str) -> float:
        slider = self._sliders[name]
        return _within(self._scales[name] * self._exact[name], slider.min, slider.max)


def _range(linear: bool, lower: float, upper: float) -> tuple[float, float, float]:
    """What a rad or m is in the slider's unit, and the slider's ends."""
    scale = 1e3 if linear else 180 / math.pi
    low = _STEP * math.floor(scale * lower / _STEP)
    return scale, low, max(_STEP * math.ceil(scale * upper / _STEP), low + _STEP)


def _label(sign: str, name: str, linear: bool) -> str:
    return f"{sign} {name} ({'mm' if linear else '°'})"


def _within(value: float, low: float, high: float) -> float:
    return round(min(max(value, low), high), 1)
