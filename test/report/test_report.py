"""The report says first what is doubtful, is self-contained, and lets no name become markup."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from synthetic_robot import arm_reconstruction, arm_recording

from autourdf_ros.estimation.common.structure.scored_search import Decision
from autourdf_ros.model.joint_grading import judge_joints
from autourdf_ros.model.layers.kinematics import Confidence
from autourdf_ros.report.layer_tables import doubted_layers
from autourdf_ros.report.report import render
from autourdf_ros.workflows.reconstruct import write_reconstruction

pytestmark = pytest.mark.slow

HOSTILE = "<script>alert('x')</script>"


class Page(HTMLParser):
    """Tags with their attributes, in order, and the text of every table row."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.rows = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([dict(attrs).get("class", ""), ""])

    def handle_data(self, data):
        if self.rows:
            self.rows[-1][1] += data


def doubtful_arm(**changes):
    """The arm, which moves far, and whose lift may as well slide."""
    reconstruction = arm_reconstruction(count=60, verdict="doubtful")
    reference = np.array([joint.reference for joint in reconstruction.model.joints])
    motions = tuple(
        replace(motion, joint_values=reference + 6 * (motion.joint_values - reference))
        for motion in reconstruction.motions
    )
    joints = tuple(
        replace(joint, estimate=replace(joint.estimate, confidence=Confidence(1.0, 1.0, sure)))
        for joint, sure in zip(reconstruction.model.joints, (1.0, 0.6, 0.94, 1.0), strict=True)
    )
    model = reconstruction.model.with_parts(joints=joints)
    shown = replace(reconstruction, model=model, motions=motions, weak_directions=())
    return replace(shown, **changes)


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    reconstruction = doubtful_arm()
    recording = replace(arm_recording(reconstruction), source=Path("/data/the arm"))
    out = tmp_path_factory.mktemp("report") / "out"
    return write_reconstruction(reconstruction, out, name="arm", recording=recording)


@pytest.fixture(scope="module")
def page(result):
    return Page((result / "report.html").read_text(encoding="utf-8"))


def test_the_doubtful_come_first_and_are_reported_by_words(page):
    rows = [(kind, text) for kind, text in page.rows if kind.startswith("joint")]
    assert len(rows) == 4
    assert rows[0][0] == "joint doubtful" and "arm_lift" in rows[0][1]
    assert "⚠ doubtful" in rows[0][1] and "60% sure that it is revolute" in rows[0][1]
    grades = [kind.split()[1] for kind, _ in rows]
    assert grades == ["doubtful", "fair", "good", "good"]


def test_the_verdict_stands_above_all_pictures(result):
    text = (result / "report.html").read_text(encoding="utf-8")
    verdict, warning = text.index("⚠ doubtful</b>"), text.index("seen in 3 points only")
    assert verdict < warning < text.index("<img")
    assert "(arm_lift)" in text[: warning + 400]


def test_options_are_written_in_words(result):
    text = (result / "report.html").read_text(encoding="utf-8")
    assert "neural (clusters not given, points per cluster 150, " in text
    assert "rates 0.0002 and 0.0001, " in text
    assert "{&#39;" not in text


def test_pictures_show_the_doubtful_too(result):
    for name in ("parts", "tree"):
        drawn = (result / "figures" / f"{name}.svg").read_text(encoding="utf-8")
        assert "⚠" in drawn and "arm_lift" in drawn
    tree = (result / "figures" / "tree.svg").read_text(encoding="utf-8")
    assert "40 points move otherwise" in tree and "also joined to link_1" in tree


def test_pictures_are_described_and_tables_have_heads(page):
    images = [attributes for tag, attributes in page.tags if tag == "img"]
    assert len(images) == 6 and all(len(image["alt"]) > 20 for image in images)
    assert "doubtful: arm_lift" in images[0]["alt"]
    heads = [attributes.get("scope") for tag, attributes in page.tags if tag == "th"]
    assert heads.count("row") >= 4 and None not in heads


def test_nothing_is_loaded_from_elsewhere(result):
    text = (result / "report.html").read_text(encoding="utf-8")
    sources = re.findall(r'src="([^"]{0,30})', text)
    assert sources and all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert not re.search(r"href=|url\(|@import|http", text)
    assert len(text) < 3e6
    for figure in (result / "figures").glob("*.svg"):
        root = ElementTree.fromstring(figure.read_text(encoding="utf-8"))
        for element in root.iter():
            link = element.get("{http://www.w3.org/1999/xlink}href", "#")
            assert link.startswith(("#", "data:image/png;base64,"))
        assert "prefers-color-scheme: dark" in figure.read_text(encoding="utf-8")


def test_it_says_how_to_get_the_same_again(result):
    text = (result / "report.html").read_text(encoding="utf-8")
    document = json.loads((result / "reconstruction.json").read_text())
    assert "autourdf reconstruct &#39;/data/the arm&#39; -o OUT --name arm" in text
    assert document["input"]["sha256"] in text
    assert f"numpy {document['software']['numpy']}" in text


def test_no_name_becomes_markup(tmp_path):
    reconstruction = doubtful_arm(warnings=(f"joint {HOSTILE!r} is odd",), notes=(HOSTILE,))
    model = reconstruction.model
    links = (replace(model.links[0], name=HOSTILE), *model.links[1:])
    motor = replace(model.joints[0].estimate.motor, name=HOSTILE)
    first = replace(
        model.joints[0],
        name="$\\frac{" + HOSTILE,
        parent=HOSTILE,
        estimate=replace(model.joints[0].estimate, motor=motor),
    )
    model = model.with_parts(links, (first, *model.joints[1:]))
    reconstruction = replace(reconstruction, model=model)
    recording = replace(
        arm_recording(reconstruction), source=Path(f"/{HOSTILE}"), fixed_frame=HOSTILE
    )
    out = write_reconstruction(reconstruction, tmp_path / "out", name=HOSTILE, recording=recording)
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert text.count("&lt;script&gt;") >= 5
    for figure in (out / "figures").glob("*.svg"):
        assert "script>" not in figure.read_text(encoding="utf-8")


def test_a_model_of_which_little_is_known_is_shown(tmp_path):
    """Without readings, estimates, merges, held-out frames, or an inlier frame."""
    reconstruction = arm_reconstruction(readings=False, count=40, frames=2)
    joints = tuple(replace(joint, estimate=None) for joint in reconstruction.model.joints)
    motions = tuple(
        replace(motion, used=np.zeros(2, bool), held_out=np.zeros(2, bool))
        for motion in reconstruction.motions
    )
    bare = replace(
        reconstruction,
        model=reconstruction.model.with_parts(joints=joints),
        motions=motions,
        model_order=(),
        loops=(),
        patches=(),
        weak_directions=(),
        notes=(),
        warnings=(),
        timings={},
        verdict="failed",
    )
    out = write_reconstruction(bare, tmp_path / "out", name="x", recording=arm_recording(bare))
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "✗ failed" in text and "0 of 4" in text and "no command line" in text
    assert not (out / "figures" / "model_order.svg").exists()


def test_decisions_are_shown_with_what_they_save_and_the_next_best(tmp_path):
    whole = arm_reconstruction(count=40)
    decided = replace(
        whole,
        decisions=(
            Decision("piece 4 of {link_2} (30 points) is one with {link_2}", 81.6, "", np.inf),
            Decision("{link_1} hangs on {link_0} by a revolute joint", 9.4, "{link_2}", 3.2),
        ),
    )
    out = write_reconstruction(decided, tmp_path / "out", name="x", recording=arm_recording(whole))
    document = json.loads((out / "reconstruction.json").read_text())
    first, second = document["decisions"]
    names = [link["name"] for link in document["links"]]
    assert first == {
        "change": f"piece 4 of {names[2]} (30 points) is one with {names[2]}",
        "gain": 81.6,
        "runner_up": "",
        "margin": None,
    }
    assert second["runner_up"] == names[2] and second["margin"] == 3.2
    text = (out / "report.html").read_text(encoding="utf-8")
    assert "<h2>Decisions</h2>" in text and first["change"] in text and ">82<" in text
    plain = write_reconstruction(whole, tmp_path / "b", name="x", recording=arm_recording(whole))
    assert "<h2>Decisions</h2>" not in (plain / "report.html").read_text(encoding="utf-8")


def test_one_link_alone_is_shown(tmp_path):
    whole = arm_reconstruction(count=40)
    alone = replace(
        whole,
        model=whole.model.with_parts(whole.model.links[:1], ()),
        motions=tuple(
            replace(motion, joint_values=np.zeros((5, 0)), joint_stds=np.zeros((5, 0)))
            for motion in whole.motions
        ),
        labels=np.zeros_like(whole.labels),
        link_costs=whole.link_costs[:1],
        loops=(),
        patches=(),
        weak_directions=(),
    )
    out = write_reconstruction(alone, tmp_path / "out", name="x", recording=arm_recording(whole))
    assert "no joint is doubtful" in (out / "report.html").read_text(encoding="utf-8")


def test_what_some_results_alone_hold_is_shown(result):
    """Joints that follow others, limits and drives from a file, checks of the written files."""
    document = json.loads((result / "reconstruction.json").read_text())
    document["joints"][2] |= {
        "mimic": {"joint": "arm_lift", "multiplier": -0.5, "offset": -0.04},
        "limits": "given",
        "drive": {"velocity": 0.25, "effort": 70.0},
    }
    document["assumed"]["drives"] = {"slide": {"velocity": 0.25, "effort": 70.0}}
    document["checks"] = [{"check": "meshes", "outcome": "failed", "message": "<b> is open"}]
    document["disabled_pairs"] = [
        {"link1": one, "link2": "<i>", "reason": reason}
        for one, reason in zip("abcd", ("Default", "Adjacent", "Never", "Default"), strict=True)
    ]
    names = ("parts", "tree", "residuals", "joints", "meshes")
    text = render(document, judge_joints(document), dict.fromkeys(names, ""))
    assert "mimics arm_lift: -0.5 of its value - 40 mm" in text
    assert "mm (given)" in text and "given for slide" in text
    assert "slide: velocity 0.25, effort 70" in text
    assert "N m and rad/s²; of joints that slide m/s, N and m/s²" in text
    assert "failed</span>" in text and "&lt;b&gt; is open" in text
    assert "so that real collisions stay unseen: a and &lt;i&gt;, d and &lt;i&gt;" in text
    assert "Never: 1 pair that touch in none of 10,000 configurations" in text


def test_the_banner_names_layers_that_are_doubtful():
    layers = {
        "kinematics": {"verdict": "doubtful"},
        "shape": {"verdict": "trusted"},
        "inertia": {"verdict": "doubtful"},
        "dynamics": {"verdict": "doubtful"},
    }
    assert doubted_layers({"layers": layers}) == ["inertia", "dynamics"]
    assert doubted_layers({}) == []
