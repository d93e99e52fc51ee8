"""What figures are made of: names that do not overlap, outlines of trees, SVG for both themes."""

from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic_robot import arm_model

from autourdf_ros.model.joint_grading import Judgement
from autourdf_ros.report.figures.drawing import INK, figure, in_inches, shortened
from autourdf_ros.report.figures.parts_figure import spread
from autourdf_ros.report.figures.tree_figure import draw_tree

HEIGHTS = st.lists(st.floats(-5, 5), min_size=1, max_size=30).map(np.array)


@given(HEIGHTS, st.floats(0.01, 0.5))
def test_names_keep_their_order_and_distance(heights, gap):
    placed = spread(heights, gap, (-100.0, 100.0))
    order = np.argsort(heights, kind="stable")
    assert (np.diff(placed[order]) >= gap - 1e-9).all()
    assert placed.mean() == pytest.approx(heights.mean(), abs=1e-9)


@given(HEIGHTS, st.floats(0.01, 0.3))
def test_names_stay_within_the_picture(heights, gap):
    placed = spread(heights, gap, (-5.0, 5.0))
    assert placed.min() >= -5 and placed.max() <= 5


def test_names_that_are_apart_stay_where_they_are():
    heights = np.array([2.0, -1.0, 0.5])
    np.testing.assert_allclose(spread(heights, 0.5, (-5, 5)), heights)
    assert len(spread(np.zeros(0), 1.0, (0, 1))) == 0


@pytest.mark.slow
@given(st.text(max_size=40), st.integers(3, 30))
def test_names_are_shortened_in_their_middle(name, most):
    short = shortened(name, most)
    assert len(short) == min(len(name), most)
    assert short == name if len(name) <= most else (short[0], short[-1]) == (name[0], name[-1])


def test_figures_are_the_same_bytes_twice_and_have_both_styles(tmp_path):
    drawn = []
    for name in ("a.svg", "b.svg"):
        with figure(tmp_path / name, 2, 1) as canvas:
            axes = in_inches(canvas)
            axes.text(1, 0.5, "a$x$ <b>", color=INK)
            axes.scatter([1, 1.5], [0.5, 0.2], rasterized=True)
        drawn.append((tmp_path / name).read_text(encoding="utf-8"))
    assert drawn[0] == drawn[1]
    root = ElementTree.fromstring(drawn[0])
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["a$x$ <b>"]
    assert f'[style*="fill: {INK}"]' in drawn[0]


def test_the_tree_marks_what_is_doubtful(tmp_path):
    model = arm_model(count=4)
    good = {joint.name: Judgement("good") for joint in model.joints}
    draw_tree(model, good, {}, tmp_path / "good.svg")
    doubtful = {**good, "slide": Judgement("doubtful", ("turned by only 2°",))}
    draw_tree(model, doubtful, {"link_1": "root of it"}, tmp_path / "doubtful.svg")
    plain, marked = ((tmp_path / f"{n}.svg").read_text("utf-8") for n in ("good", "doubtful"))
    assert "⚠" not in plain and "stroke-dasharray" in marked
    assert "⚠" in marked and "doubtful: turned by only 2°" in marked and "root of it" in marked
