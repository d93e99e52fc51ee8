"""A type model behind HTTP that answers, abstains, lies, times out and drops."""

import pytest
from sample_assembly import cabinet, cabinet_joints
from stub_service import Reply, StubService, abstention, closed_url, type_answer

from autourdf_ros.errors import CancelledError
from autourdf_ros.estimation.parts.joint_types.type_model import TypeAnswer
from autourdf_ros.estimation.parts.joint_types.type_options import TypeOptions
from autourdf_ros.estimation.parts.joint_types.type_questions import ask_types
from autourdf_ros.plugins.http_type_model import TYPE_MODEL
from autourdf_ros.plugins.plugin_loading import load_plugin
from autourdf_ros.plugins.plugin_options import PluginOptions

SMALL = TypeOptions(side=16)
JOINTS = cabinet_joints()
GOOD = TypeAnswer("prismatic", 0.9, 1)


def answers(reply, seconds=5.0, token=None):
    """Ask about the cabinet; the first joint gets `reply`, all others an answer."""

    def one(question, headers):
        if question["child"] == "drawer":
            return reply
        return Reply(type_answer("revolute", 0.8))

    with StubService(one) as stub:
        model = load_plugin(TYPE_MODEL, stub.url, PluginOptions(token, seconds))
        return ask_types(cabinet(), JOINTS, model, options=SMALL), stub


def failed(reply, **given):
    """The failure at the first joint; the other joints are answered all the same."""
    asked, _ = answers(reply, **given)
    assert asked.answers[0] is None
    assert asked.answers[1:] == (TypeAnswer("revolute", 0.8),) * 2
    (failure,) = asked.failures
    assert "cabinet body and drawer" in failure and "\n" not in failure
    return failure


def test_an_answer_is_read_and_the_question_has_views_and_alternatives():
    asked, stub = answers(Reply(type_answer("prismatic", 0.9, alternative=1)))
    assert asked.answers[0] == GOOD and asked.failures == ()
    question = stub.asked[0][2]
    assert (question["parent"], question["child"]) == ("cabinet body", "drawer")
    assert question["protocol"] == "autourdf_ros/type_model" and "orange" in question["question"]
    assert [view["name"] for view in question["joint_views"]] == ["front", "left", "top", "oblique"]
    assert all(view["media_type"] == "image/png" for view in question["assembly_views"])
    assert question["alternatives"][0] == {
        "number": 1,
        "type": "prismatic",
        "axis": [1.0, 0.0, 0.0],
        "point": [0.02, 0.0, 0.12],
    }


def test_an_abstention_is_no_failure():
    asked, _ = answers(Reply(abstention()))
    assert asked.answers[0] is None and asked.failures == ()


@pytest.mark.parametrize(
    "document",
    [
        type_answer("revolute", 0.9, alternative=1),  # which is prismatic
        type_answer("prismatic", 0.9, alternative=0),
        type_answer("prismatic", 0.9, alternative=99),
        type_answer("prismatic", 0.9, alternative=-1),
        type_answer("prismatic", 0.9, alternative=1.5),
        type_answer("prismatic", 0.9, alternative=True),
        type_answer("ball", 0.9),
        type_answer(None, 0.9),
        type_answer("prismatic", 1.1),
        type_answer("prismatic", -0.1),
        type_answer("prismatic", None),
        type_answer("prismatic", "high"),
        type_answer("prismatic", True),
        {"type": "prismatic", "confidence": 0.9},
        {**type_answer("prismatic"), "version": 7},
        {**abstention(), "abstain": "yes"},
        [],
    ],
)
def test_a_lie_or_a_malformed_answer_counts_as_none(document):
    failed(Reply(document))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(body=b'{"protocol": "autourdf_ros/type_model", "version": 1, "confidence": NaN}'),
        Reply(body=b'{"confidence": 1e999, "type": "fixed"}'),
        Reply(body=b"{"),
        Reply(status=500, document={}),
        Reply(status=302, headers={"Location": "http://127.0.0.1:1/"}),
        Reply(document={}, headers={"Content-Encoding": "gzip"}),
        Reply(raw=b""),
    ],
)
def test_a_fault_of_the_service_counts_as_no_answer(reply):
    failed(reply)


@pytest.mark.slow
def test_a_service_that_drips_counts_as_no_answer():
    assert "in time" in failed(Reply(drip=0.02), seconds=0.3)


def test_a_service_that_is_gone_is_asked_no_more_after_some_failures():
    model = load_plugin(TYPE_MODEL, closed_url())
    asked = ask_types(cabinet(), JOINTS, model, options=SMALL)
    assert asked.answers == (None, None, None)
    assert len(asked.failures) == 3 and "1 more" in asked.failures[2]


def test_the_token_is_in_no_failure(monkeypatch):
    token = "a-secret-of-types"
    monkeypatch.setenv("TYPES_TOKEN", token)
    for reply in (Reply({token: 1}), Reply(body=token.encode()), Reply(type_answer(token))):
        assert token not in failed(reply, token="TYPES_TOKEN")


@pytest.mark.parametrize(
    "answer",
    [
        5,
        "prismatic",
        TypeAnswer("ball"),
        TypeAnswer("prismatic", float("nan")),
        TypeAnswer("prismatic", 2.0),
        TypeAnswer("prismatic", 0.5, 99),
        TypeAnswer("prismatic", 0.5, "1"),
        RuntimeError("private detail"),
    ],
)
def test_an_installed_model_may_return_or_raise_anything(answer):
    class Model:
        def joint_type(self, question, progress):
            if isinstance(answer, Exception):
                raise answer
            return answer

    asked = ask_types(cabinet(), JOINTS[:1], Model(), options=SMALL)
    assert asked.answers == (None,) and len(asked.failures) == 1
    assert "private" not in asked.failures[0]


def test_progress_can_cancel_between_joints():
    def cancel(stage, fraction):
        if "asking" in stage:
            raise CancelledError("cancelled")

    with pytest.raises(CancelledError):
        ask_types(cabinet(), JOINTS, load_plugin(TYPE_MODEL, closed_url()), cancel, SMALL)
