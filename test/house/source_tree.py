"""The repository as its tests see it: folders, modules, functions and the files that git tracks."""

import ast
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "autourdf_ros"
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
def tracked_files() -> tuple[Path, ...]:
    """Return the files of the work tree that git does not ignore, relative to the repository.

    Outside a git checkout these are all files, without build products.
    """
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
        paths = [Path(name) for name in listed.decode().split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = [path.relative_to(ROOT) for path in ROOT.rglob("*")]
        paths = [path for path in paths if not {".venv", "__pycache__"} & set(path.parts)]
    return tuple(sorted(path for path in paths if (ROOT / path).is_file()))
