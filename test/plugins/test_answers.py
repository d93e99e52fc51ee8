"""Answers of any JSON: read, or refused by an InputError."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_assembly import cabinet_joints

from autourdf_ros.data.parts.part_model import PartMesh, PartRequest
from autourdf_ros.errors import InputError
from autourdf_ros.estimation.parts.joint_types.type_model import TYPES, TypeAnswer, TypeQuestion
from autourdf_ros.estimation.parts.joint_types.type_questions import checked
from autourdf_ros.plugins.http_part_model import HttpPartModel
from autourdf_ros.plugins.http_type_model import HttpTypeModel
from autourdf_ros.progress import silent

TEXTS = st.text(max_size=5)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
OBJECTS = st.dictionaries(TEXTS, SCALARS, max_size=3)
JSON = SCALARS | st.lists(SCALARS, max_size=2) | OBJECTS
QUESTION = TypeQuestion("?", "parent", "child", (), (), cabinet_joints()[1].alternatives)


def answering(document):
    return SimpleNamespace(
        address=SimpleNamespace(shown="https://host:443"),
        ask=lambda question, progress: document,
    )


def documents(protocol, **fields):
    """Objects with the right head, any of whose fields are anything or plausible."""
    head = {"protocol": st.just(f"autourdf_ros/{protocol}"), "version": st.just(1)}
    return st.fixed_dictionaries(head, optional=fields) | st.dictionaries(
        st.text(max_size=5), JSON, max_size=3
    )


@pytest.mark.slow
@given(
    documents(
        "type_model",
        type=JSON | st.sampled_from(TYPES),
        confidence=JSON | st.floats(0, 1),
        alternative=JSON | st.integers(0, 6),
        abstain=JSON,
    )
)
def test_any_answer_about_a_type_is_one_or_refused(document):
    try:
        answer = checked(HttpTypeModel(answering(document)).joint_type(QUESTION, silent), QUESTION)
    except InputError as error:
        assert "\n" not in str(error)
        return
    assert answer is None or isinstance(answer, TypeAnswer)
    if answer is not None and answer.alternative is not None:
        assert QUESTION.alternatives[answer.alternative - 1].type == answer.type


PART = st.fixed_dictionaries(
    {},
    optional={
        "name": JSON,
        "format": JSON | st.sampled_from(["glb", "ply", "stl"]),
        "data": JSON | st.text("AB+/=", max_size=8),
    },
)


@pytest.mark.slow
@given(documents("part_model", parts=JSON | st.lists(PART | JSON, max_size=3)))
def test_any_answer_of_parts_is_meshes_or_refused(document):
    try:
        meshes = HttpPartModel(answering(document)).part_meshes(PartRequest("a lamp"), silent)
    except InputError as error:
        assert "\n" not in str(error)
        return
    assert all(isinstance(one, PartMesh) and isinstance(one.content, bytes) for one in meshes)
