"""What the page says of the model: the verdict, the joints with the doubtful first, the links."""

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
    """One box of the panel as HTML, all names in it escaped.

    verdict: with its warnings, and whatever else there is to say (`problems`). joints: with what is
    known of each and what speaks against it, the doubtful first. links: how well the points of
    each follow it.
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
        looks=GRADE_STYLES,
        colors=[_hexadecimal(index) for index in range(len(document["links"]))],
        largest_cost=LARGEST_COST,
    )


def _hexadecimal(index: int) -> str:
    return "#" + bytes((255 * link_color(index)).astype(np.uint8)).hex()
