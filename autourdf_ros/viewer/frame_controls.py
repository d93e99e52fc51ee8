"""The recorded frames on the page: a time slider, the points, and the model's fit to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import viser

from autourdf_ros.viewer.recorded_frames import Moment

_MOST_POINTS = 8_000  # shown of a frame: more would hide the meshes
_INK = (45, 50, 58)  # of all points: their own colour would not stand out from the meshes


class FrameControls:
    """Controls that choose the shown frame."""

    def __init__(
        self,
        server: viser.ViserServer,
        moments: Sequence[Moment],
        point_size: float,
        chosen: Callable[[Moment], None],
    ) -> None:
        """Add the controls to the panel.

        Args:
            server: The page's server.
            moments: The frames, at least one.
            point_size: m.
            chosen: Called when another frame is chosen.
        """
        self._server, self._moments, self._chosen = server, moments, chosen
        self._point_size = point_size
        starts = [(i, m.sequence) for i, m in enumerate(moments) if m.number == 1]
        self._time = server.gui.add_slider(
            "frame", 0, max(len(moments) - 1, 1), 1, 0, marks=tuple(starts[:12])
        )
        self._text = server.gui.add_markdown("")
        self._play = server.gui.add_checkbox("play", False)
        self._points = server.gui.add_checkbox(
            "recorded points", True, visible=any(moment.seen for moment in moments)
        )
        self._time.on_update(lambda _: self._choose())
        self._points.on_update(lambda _: self._show_points())
        self._describe()
        self._show_points()

    @property
    def now(self) -> Moment:
        """The shown frame."""
        return self._moments[min(max(self._time.value, 0), len(self._moments) - 1)]

    def advance(self) -> None:
        """Show the next frame, after the last the first, where `play` is ticked."""
        if self._play.value:
            self._time.value = (self._time.value + 1) % len(self._moments)  # type: ignore[misc]

    def _choose(self) -> None:
        self._describe()
        self._show_points()
        self._chosen(self.now)

    def _describe(self) -> None:
        now = self.now
        text = f"sequence {plain(now.sequence)}, frame {now.number} of {now.count}"
        if not now.used:
            text += ": does not fit the model and was left out"
        elif now.residual is not None:
            text += f": off by {1e3 * now.residual:.2g} mm{', held out' if now.held_out else ''}"
        self._text.content = text

    def _show_points(self) -> None:
        seen = self.now.seen
        if seen is None:
            return
        step = -(-len(seen.points) // _MOST_POINTS) or 1
        self._server.scene.add_point_cloud(
            "/points",
            seen.points[::step],
            _INK,
            point_size=self._point_size,
            point_shape="circle",
            precision="float32",
            visible=self._points.value,
        )


def plain(text: str) -> str:
    """Return a text escaped for Markdown."""
    return "".join(c if c.isalnum() or c in " -." else f"\\{c}" for c in text if c.isprintable())
