"""The page's assessment of the model: verdict, joints with the doubtful first, links."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import jinja2
import numpy as np

from autourdf_ros.model.joint_grading import LARGEST_COST, Grade
from autourdf_ros.model.palette import link_color
from autourdf_ros.report.grade_style import GRADE_STYLES
from autourdf_ros.viewer.viewed_result import ViewedResult

Part = Literal["verdict", "joints", "links"]

_VERDICTS: dict[str, Grade] = {"trusted": "good", "doubtful": "fair", "failed": "doubtful"}


def trust_html(part: Part, result: ViewedResult, problems: Sequence[str] = ()) -> str:
    """Return one box of the panel as HTML with all names escaped.

    Args:
        part: verdict: with its warnings and `problems`; joints: with the deviations and the doubts
            of each, the doubtful first; links: with the cost of each link's points.
        result: The shown result.
        problems: Sentences to show beside the warnings.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("autourdf_ros.viewer", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["degrees"] = lambda value: f"{math.degrees(value):.2g}"
    environment.filters["mm"] = lambda value: f"{1e3 * value:.2g}"
    document: Any = result.document
    return environment.get_template("trust.html.jinja").render(
        part=part,
        document=document,
        judgements=result.judgements,
        verdict=_VERDICTS[document["verdict"]],
        problems=problems,
        order=("doubtful", "fair", "good"),
        styles=GRADE_STYLES,
        colors=[_hexadecimal(index) for index in range(len(document["links"]))],
        largest_cost=LARGEST_COST,
    )


def _hexadecimal(index: int) -> str:
    return "#" + bytes((255 * link_color(index)).astype(np.uint8)).hex()
