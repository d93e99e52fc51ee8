"""The page of parts shows every alternative, and no name becomes markup."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from sample_assembly import cabinet_estimate, write_cabinet

from autourdf_ros.model.names import legal_names
from autourdf_ros.workflows.assemble import AssembleOptions, write_assembly

pytestmark = pytest.mark.slow

HOSTILE = "<script>alert('x')</script>"


@pytest.fixture(scope="module")
def result(tmp_path_factory):
    return write_cabinet(tmp_path_factory.mktemp("report") / "out", Path("/data/the cabinet"))


@pytest.fixture(scope="module")
def text(result):
    return (result / "report.html").read_text(encoding="utf-8")


def test_alternatives_and_evidence_are_shown_with_the_reason(text):
    assert text.count('class="alternative') == 7
    assert text.count("in the URDF</th>") == 3
    assert "two of its edges are as likely to be hinged" in text
    assert "symmetry 0.31, gap 0.95, collision 0" in text
    assert "from 0 mm" in text and "no end found" in text


def test_the_doubtful_joint_comes_first(text):
    rows = [text.index(f'class="joint {grade}"') for grade in ("doubtful", "fair", "good")]
    assert rows == sorted(rows)


def test_trees_and_contacts_are_shown(result, text):
    assert "runner-up" in text and "quality 4.45, distance -0.25" in text
    graph = (result / "figures" / "contact_graph.svg").read_text(encoding="utf-8")
    assert all(name in graph for name in ("cabinet_body", "drawer", "lid", "knob"))
    assert "2.31" in graph and "0.90" in graph and "stroke-dasharray" in graph
    parts = (result / "figures" / "parts.svg").read_text(encoding="utf-8")
    assert "⚠" in parts and "joint_2" in parts


def test_nothing_of_a_recording_is_on_the_page(text):
    for word in ("Residuals", "Motion of the joints", "Number of bodies", "frames used", "cameras"):
        assert word not in text


def test_it_says_how_to_get_the_same_again(result, text):
    document = json.loads((result / "reconstruction.json").read_text())
    assert "autourdf assemble &#39;/data/the cabinet&#39; -o OUT --name cabinet" in text
    assert document["input"]["sha256"] in text


def test_no_name_becomes_markup(tmp_path):
    found = cabinet_estimate()
    first, second, *rest = found.trace.assembly.parts
    assembly = replace(found.trace.assembly, parts=(replace(first, name=HOSTILE), second, *rest))
    edges = tuple(replace(edge, reason=HOSTILE, warnings=(HOSTILE,)) for edge in found.trace.joints)
    trace = replace(found.trace, assembly=assembly, joints=edges, notes=(HOSTILE,))
    model = found.model.renamed("x", {first.name: HOSTILE}, {})
    out = write_assembly(
        replace(found, model=model, trace=trace), tmp_path / "out", HOSTILE, AssembleOptions()
    )
    assert "<script" not in (out / "report.html").read_text(encoding="utf-8")
    for figure in (out / "figures").glob("*.svg"):
        assert "script>" not in figure.read_text(encoding="utf-8")
    links = json.loads((out / "reconstruction.json").read_text())["links"]
    assert links[0]["name"] == legal_names([HOSTILE])[HOSTILE]
