"""Open3D without the web server that it imports for three functions that draw in a browser.

With it, `import open3d` takes twice as long and loads 700 modules more (plotly, Dash, IPython).
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

_DRAWING = "open3d.visualization.draw_plotly"
_FUNCTIONS = ("get_plotly_fig", "draw_plotly", "draw_plotly_server")


def install() -> None:
    """Let these functions import what they need when they are first called.

    It does nothing where Open3D is already imported.
    """
    if _DRAWING in sys.modules:
        return
    module = ModuleType(_DRAWING)
    for name in _FUNCTIONS:
        setattr(module, name, _loading(name, module))
    sys.modules[_DRAWING] = module


def _loading(name: str, stand_in: ModuleType) -> Callable[..., Any]:
    """The function of that name, which first puts Open3D's own module in the place of ours."""

    def draw(*arguments: Any, **options: Any) -> Any:
        if sys.modules[_DRAWING] is stand_in:
            del sys.modules[_DRAWING]
        return getattr(importlib.import_module(_DRAWING), name)(*arguments, **options)

    return draw
