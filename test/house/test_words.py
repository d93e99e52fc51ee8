"""Names and prose use the words of the glossary (docs/glossary.md)."""

import pytest
from source_tree import modules
from words import EXEMPT, FROZEN, NOT_SEARCHED, ROOT, in_file, uses


@pytest.mark.slow
def test_none_of_the_replaced_words_occurs():
    if uses():
        pytest.fail("\n".join(map(str, uses())), pytrace=False)


@pytest.mark.parametrize(
    "text",
    [
        "# after the first look",
        "# after the first\n# look",
        "further_looks = 1",
        "class FirstLook: ...",
        "def look(self): ...",
        "print(f'{here.look}')",
        "self.frame_looks[0]",
        "def run(looks=3): ...",
        "import a.look_result",
        "# Twin motors",
        "carry_on()",
        "# a soap-film",
        "# the candidate's hypothesis",
        "def grow_tree(): ...",
        "problem = Evidence()",
    ],
)
def test_it_is_found(text):
    assert list(in_file("module.py", text))


@pytest.mark.parametrize(
    "text",
    [
        "import hypothesis",
        "from hypothesis import given",
        "hypothesis.settings()",
        "look_at(eye, target)",
        "# the look-at matrix",
        "# looks like a joint",
        "# look it up",
        "buffer.lookup_transform()",
        "log_evidence = 1",
        "# the file grows",
        "# usually",
        "table = {'told': 1}",
        "twinkle = 1",
    ],
)
def test_it_is_left_alone(text):
    assert list(in_file("module.py", text)) == []


def test_a_line_is_counted_from_one_and_a_file_name_has_none():
    (use,) = in_file("module.py", "x = 1\n# a twin\n")
    assert use.line == 2
    assert [use.line for use in in_file("twins.txt", "")] == [0]


def test_what_is_exempt_says_why_and_exists():
    assert all(EXEMPT.values()) and all(NOT_SEARCHED.values())
    lacking = [path for path in NOT_SEARCHED if not (ROOT / path).exists()]
    assert [path for path in lacking if path != "docs/glossary.md"] == []


@pytest.mark.parametrize("key", sorted(FROZEN))
def test_a_frozen_key_is_in_use(key):
    quoted = [quote + key + quote for quote in "\"'"]
    assert any(one in module.text for module in modules() for one in quoted)
