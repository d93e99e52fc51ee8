"""What the page says: the doubtful first, and no name becomes HTML."""

import re
from dataclasses import replace

import pytest

from autourdf_ros.report.grade_style import GRADE_STYLES
from autourdf_ros.viewer.trust_panel import trust_html
from autourdf_ros.viewer.viewed_result import load_result

pytestmark = pytest.mark.slow


@pytest.fixture
def result(sample):
    return load_result(sample.folder)


def text_of(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", html))


def test_the_verdict_counts_the_joints_and_shows_every_warning(result):
    html = trust_html("verdict", result, ["It has <b>moved</b>."])
    text = text_of(html)
    assert "arm trusted" in text
    assert "▲ 1 doubtful ◆ 2 fair ● 1 good" in text
    assert "Mind &lt;script&gt;this&lt;/script&gt;." in html and "<script" not in html
    assert "It has &lt;b&gt;moved&lt;/b&gt;." in html


@pytest.mark.parametrize(
    ("verdict", "grade"), [("trusted", "good"), ("doubtful", "fair"), ("failed", "doubtful")]
)
def test_the_verdict_has_a_colour_of_its_own(result, verdict, grade):
    judged = replace(result, document=result.document | {"verdict": verdict})
    assert f"background:{GRADE_STYLES[grade].color}" in trust_html("verdict", judged)


def test_the_doubtful_joint_comes_first_with_its_reasons(result):
    text = text_of(trust_html("joints", result))
    names = [joint["name"] for joint in result.document["joints"]]
    assert sorted(names, key=text.index) == [names[3], names[1], names[2], names[0]]
    assert re.search(rf"▲ {names[3]} ±\S+° [^▲◆●]*67% sure of its parent", text)
    assert f"● {names[0]} ±0.22° · ±0.14 mm · 97%" in text


def test_a_slide_has_no_line_and_a_fixed_joint_nothing(result):
    names = [joint["name"] for joint in result.document["joints"]]
    slide = text_of(trust_html("joints", result)).partition(names[2])[2].partition("●")[0]
    assert "mm" not in slide
    bolt = {"name": "bolt", "type": "fixed", "parent": "link_0", "child": "link_1"}
    bolted = replace(
        result,
        document=result.document | {"joints": [bolt]},
        judgements={"bolt": result.judgements[names[0]]},
    )
    assert text_of(trust_html("joints", bolted)).startswith(" ● bolt ± standard deviation of")


def test_links_whose_points_follow_badly_stand_out(result):
    good = trust_html("links", result)
    assert GRADE_STYLES["doubtful"].color not in good
    assert "link_1" in good and "0.5" in good and "0.7" in good
    links = [dict(link) for link in result.document["links"]]
    links[2] |= {"cost": 0.5, "held_out_cost": 7.2}
    links[3] |= {"cost": None, "held_out_cost": None}
    bad = trust_html("links", replace(result, document=result.document | {"links": links}))
    assert bad.count(GRADE_STYLES["doubtful"].color) == 1 and "7.2" in bad
    assert text_of(bad).partition("link_3")[2].split()[:3] == ["-", "/", "-"]
