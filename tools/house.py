"""The folders of the package and what each is for, as docs/architecture.md draws them.

`python tools/house.py` prints the drawing; with --write it replaces the one in the page.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "autourdf_ros"
PAGE = ROOT / "docs" / "architecture.md"
BLOCK = re.compile(r"(?<=^```house\n).*?(?=^```$)", re.DOTALL | re.MULTILINE)


def drawing(package: Path = PACKAGE) -> str:
    """Return one line a folder: its name, indented by its depth, and its docstring's first line."""
    rows = [
        (f"{'  ' * (depth - 1)}{folder.name}/", _purpose(folder))
        for depth, folder in _folders(package)
    ]
    width = max(len(name) for name, _ in rows)
    return "".join(f"{name:{width}}  {purpose}\n" for name, purpose in rows)


def drawn(page: Path = PAGE) -> str:
    """Return the drawing that the page holds."""
    found = BLOCK.search(page.read_text(encoding="utf-8"))
    return found.group() if found else ""


def _folders(folder: Path, depth: int = 1) -> Iterator[tuple[int, Path]]:
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        yield depth, inner
        yield from _folders(inner, depth + 1)


def _purpose(folder: Path) -> str:
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8")))
    return (text or "").partition("\n")[0]


def main() -> None:
    """Print the drawing, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="replace the drawing in the page")
    if parser.parse_args().write:
        new = BLOCK.sub(lambda _: drawing(), PAGE.read_text(encoding="utf-8"), count=1)
        PAGE.write_text(new, encoding="utf-8")
    else:
        print(drawing(), end="")


if __name__ == "__main__":
    main()
