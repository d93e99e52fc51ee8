"""Folders, modules and functions of the package stay small, named once and described."""

import ast
import statistics
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import PurePath

from source_tree import PACKAGE, folders, modules

MODULES_A_FOLDER = 12
LINES_A_MODULE = 300
PARAMETERS = 8  # without self and cls
MEDIAN_LINES_A_FUNCTION = 11
LINES_A_FUNCTION = 60  # of the estimator of motion

# File names that occur more than once, because their folders make the difference plain.
PLAIN_BY_FOLDER = {
    "batch.py": "cli has the command, fleet what it does",
    "cameras.py": "cli has the command, ros/cell the cameras of the simulated cell",
    "dynamics.py": "cli has the command, model/layers the layer",
    "inertia.py": "cli has the command, model/layers the layer",
    "confirm.py": "cli has the command, workflows the chain of stages",
    "assemble.py": "cli has the command, workflows the chain of stages",
    "mechanism.py": "cli has the command, data/parts/erased what an MJCF or URDF describes",
    "pipeline.py": "every estimator has one: its algorithm at a glance",
    "reconstruct.py": "cli has the command, workflows the chain of stages",
    "parameters.py": "demo reads the robot's parameters, ros/common declares a node's",
}


def test_a_folder_holds_at_most_a_dozen_modules():
    held = defaultdict(list)
    for module in modules():
        if module.path.name != "__init__.py":
            held[str(module.path.parent)].append(module.path.name)
    assert {at: len(names) for at, names in held.items() if len(names) > MODULES_A_FOLDER} == {}


def test_a_module_is_short():
    lengths = {str(module.path): len(module.text.splitlines()) for module in modules()}
    assert {path: count for path, count in lengths.items() if count > LINES_A_MODULE} == {}


def test_a_function_has_few_parameters():
    long = [
        f"{module.path}:{function.lineno} {function.name}: {parameters(function)}"
        for module in modules()
        for function in module.functions
        if parameters(function) > PARAMETERS
    ]
    assert long == []


def parameters(function):
    """How many parameters a caller may give."""
    given = function.args
    named = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return len([name for name in named if name not in ("self", "cls")])


def test_most_functions_are_short():
    lines = [one.end_lineno - one.lineno + 1 for module in modules() for one in module.functions]
    assert statistics.median(lines) <= MEDIAN_LINES_A_FUNCTION


def test_no_function_of_the_motion_estimator_is_long():
    lengths = {
        f"{module.path}:{function.lineno} {function.name}": function.end_lineno
        - function.lineno
        + 1
        for module in modules()
        if "motion" in module.path.parts and "estimation" in module.path.parts
        for function in module.functions
    }
    assert {name: count for name, count in lengths.items() if count > LINES_A_FUNCTION} == {}


def test_a_file_name_occurs_once():
    places = defaultdict(list)
    for module in modules():
        if module.path.name != "__init__.py":
            places[module.path.name].append(str(module.path.parent))
    several = {name: at for name, at in places.items() if len(at) > 1}
    assert {name: at for name, at in several.items() if name not in PLAIN_BY_FOLDER} == {}
    assert set(PLAIN_BY_FOLDER) <= set(several), "an exception that nothing needs"


def test_every_folder_says_what_it_is_for():
    described = {module.name for module in modules() if module.path.name == "__init__.py"}
    names = {".".join((PACKAGE.name, *folder.parts)) for folder in folders()}
    between = {".".join(name.split(".")[:depth]) for name in names for depth in range(1, 9)}
    assert {name for name in between if name not in described} == set()


def test_every_module_has_a_docstring():
    bare = [str(module.path) for module in modules() if not ast.get_docstring(module.tree)]
    assert bare == []


def test_neighbours_do_not_import_each_other_in_circles():
    """At any depth: the folders and modules of one folder, each with all that it holds."""
    known = {module.name for module in modules()}
    needs = defaultdict(lambda: defaultdict(set))
    for module in modules():
        for target in imported(module, known):
            if module.path.name == "__init__.py" and target.startswith(module.name + "."):
                continue  # a folder shows what it holds
            parent, importer, needed = siblings(module.name, target)
            if importer and needed:
                needs[parent][importer].add(needed)
    assert {parent: cycle(graph) for parent, graph in needs.items() if cycle(graph)} == {}


def imported(module, known):
    """The modules of the package that a module imports, wherever in its code."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(PACKAGE.name):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from {name if name in known else node.module for name in names}


def siblings(importer, target):
    """The folder that two modules share, and what of it each belongs to; "" for the folder."""
    first, second = importer.split("."), target.split(".")
    shared = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    if shared is None:
        shared = min(len(first), len(second))
    below = [".".join(parts[shared : shared + 1]) for parts in (first, second)]
    return ".".join(first[:shared]), *below


def cycle(graph):
    """The modules of one circle; nothing where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_module_hides_behind_a_folder_of_its_name():
    names = {PurePath(module.path).with_suffix("") for module in modules()}
    held = {module.path.parent for module in modules()}
    assert names & held == set()
