"""The documents agree with one another and with the repository."""

import re
from functools import cache

import pytest
from source_tree import ROOT, modules

from autourdf_ros.cli.main import COMMANDS

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
FOLDERS = "autourdf_ros|docs|requirements|studies|test|tools"
TESTS = ROOT / "test"  # tables name tests from here
README_LINES = 120


@cache
def text_of(page):
    return (ROOT / page).read_text(encoding="utf-8")


def without_code(page):
    return re.sub(r"^```.*?^```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)


def anchors_at(path):
    """What GitHub calls the headings of a page."""
    page = path.resolve().relative_to(ROOT).as_posix()
    found = []
    for heading in re.findall(r"^#+ +(.*?)\s*$", without_code(page), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        name = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        earlier = sum(re.fullmatch(rf"{re.escape(name)}(-\d+)?", one) is not None for one in found)
        found.append(f"{name}-{earlier}" if earlier else name)
    return found


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_leads_somewhere(page):
    wrong = []
    for target in LINK.findall(without_code(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        at = (ROOT / page).parent / path if path else ROOT / page
        if not at.exists() or (anchor and anchor not in anchors_at(at)):
            wrong.append(target)
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_every_path_of_this_repository_exists(page):
    named = re.findall(rf"`((?:{FOLDERS})/[\w./*{{}},-]*)", text_of(page))
    paths = {name.rstrip(".,/") for name in named if not set(name) & set("{},")}
    lacking = {path for path in paths if not any(ROOT.glob(path)) and not any(TESTS.glob(path))}
    assert {path for path in lacking if not is_file_format(path)} == set()


def is_file_format(name):
    """Whether it is the name of a file format of ours, which looks like a path."""
    return any(f'"{name}"' in module.text for module in modules())


@pytest.mark.parametrize("page", PAGES)
def test_every_command_that_is_shown_exists(page):
    shown = re.findall(r"\bautourdf ([a-z]\w*)", code_of(page))
    assert set(shown) <= set(COMMANDS)


def code_of(page):
    """The code of a page: its blocks, and what stands between backquotes."""
    text = text_of(page)
    blocks = re.findall(r"^```(?:bash|sh|console)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    return "\n".join(blocks + re.findall(r"`([^`\n]+)`", without_code(page)))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_shown(command):
    shown = "\n".join(code_of(page) for page in PAGES)
    assert re.search(rf"\b(autourdf|make) {command}\b", shown)


def test_the_readme_is_short():
    assert len(text_of("README.md").splitlines()) <= README_LINES


def test_every_page_of_the_docs_can_be_reached_from_the_readme():
    seen, waiting = set(), ["README.md"]
    while waiting:
        page = waiting.pop()
        seen.add(page)
        for target in LINK.findall(without_code(page)):
            path = ((ROOT / page).parent / target.partition("#")[0]).resolve()
            if path.suffix == ".md" and path.is_relative_to(ROOT):
                name = path.relative_to(ROOT).as_posix()
                waiting += [name] if name in PAGES and name not in seen else []
    assert {page for page in PAGES if page.startswith("docs/")} - seen == set()
