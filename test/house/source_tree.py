"""The repository as its tests see it: folders, modules, functions and files."""

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "autourdf_ros"
BUILT = {"__pycache__", "build", "install", "log", ".pytest_cache"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Module:
    """One Python file.

    Attributes:
        path: Where it is, relative to the repository.
        text: What it holds.
        tree: The same, parsed.
    """

    path: Path
    text: str
    tree: ast.Module

    @property
    def name(self) -> str:
        """The dotted name under which it is imported; a folder's for its __init__."""
        parts = self.path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        """All functions and methods, nested ones too."""
        return [node for node in ast.walk(self.tree) if isinstance(node, FUNCTIONS)]


@cache
def modules(folder: Path = PACKAGE) -> tuple[Module, ...]:
    """Return all Python modules below a folder."""
    paths = sorted(folder.rglob("*.py"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    return tuple(
        Module(path.relative_to(ROOT), text, ast.parse(text))
        for path, text in zip(paths, texts, strict=True)
    )


@cache
def folders() -> tuple[Path, ...]:
    """Return the folders of the package that hold modules, relative to the package."""
    found = {module.path.parent.relative_to(PACKAGE.name) for module in modules()}
    return tuple(sorted(found))


@cache
def files(*places: str) -> tuple[Path, ...]:
    """Return the files of places in the repository, without build products, relative to it."""
    found = []
    for place in places:
        at = ROOT / place
        found += [at] if at.is_file() else [path for path in at.rglob("*") if path.is_file()]
    inside = [path.relative_to(ROOT) for path in found]
    return tuple(sorted(path for path in inside if not _is_built(path)))


def _is_built(path: Path) -> bool:
    return any(part in BUILT or part.endswith((".egg-info", ".pyc")) for part in path.parts)
