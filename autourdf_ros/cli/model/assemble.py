"""`autourdf assemble`: writes a result folder with the URDF of parts that stand still."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.cli.model.assemble_plugins import (
    add_plugin_arguments,
    check_plugin_arguments,
    given_parts,
    type_model_of,
)
from autourdf_ros.cli.number_arguments import whole_number
from autourdf_ros.cli.shape_arguments import (
    add_shape_arguments,
    check_shapes,
    robot_name,
    shape_options,
)
from autourdf_ros.cli.terminal.termination import let_terminate_clean_up

if TYPE_CHECKING:
    from autourdf_ros.data.parts.part_assembly import PartAssembly
    from autourdf_ros.estimation.common.estimator import Estimate
    from autourdf_ros.estimation.parts.assembly_trace import AssemblyTrace
    from autourdf_ros.progress import Progress

HELP = "find the joints between part meshes that stand still: URDF with meshes, and a report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "input",
        type=Path,
        nargs="?",
        metavar="PARTS",
        help="a folder with a mesh file for each part; a file with named parts (OBJ, GLB, glTF, "
        "DAE, USD); a file with one mesh, which is split into its connected components; or a URDF "
        "or MJCF, whose joints are erased; left out with --part-model",
    )
    parser.add_argument(
        "-o",
        "--out",
        type=Path,
        required=True,
        metavar="OUT",
        help="folder to write; an earlier result there is replaced, anything else is refused",
    )
    parser.add_argument(
        "--method",
        choices=("symmetry", "mcts"),
        default="symmetry",
        help="symmetry: ours; mcts: the published method of Kinematify (default: symmetry)",
    )
    parser.add_argument(
        "--root", metavar="NAME", help="part that is the base (default: found from the parts)"
    )
    parser.add_argument(
        "--unit",
        choices=("mm", "cm", "m", "in"),
        help="of the lengths in the files (default: as the file or its format says, else m)",
    )
    parser.add_argument(
        "--up",
        choices=("x", "y", "z"),
        help="axis of the files that points up; the result has z up (default: as the file or its "
        "format says, else z)",
    )
    parser.add_argument(
        "--split",
        action="store_true",
        help="split named parts into their connected components, too",
    )
    parser.add_argument(
        "--seed", type=whole_number, default=0, help="of random choices (default: 0)"
    )
    parser.add_argument(
        "--name", type=robot_name, help="of the robot in its URDF (default: the name of PARTS)"
    )
    parser.add_argument("--usd", action="store_true", help="also write USD (needs the extra 'usd')")
    add_shape_arguments(parser)
    add_plugin_arguments(parser)
    parser.add_argument(
        "--progress",
        choices=("bar", "json"),
        default="bar",
        help="bar: on a terminal; json: one line on standard output for each step, for programs",
    )


def run(args: argparse.Namespace) -> int:
    """Run the command; return 1 where the verdict of the written result is failed, otherwise 0."""
    from autourdf_ros.cli.terminal.progress_bar import progress_bar
    from autourdf_ros.cli.terminal.progress_lines import ProgressLines, terminate_without_reader
    from autourdf_ros.model.result_files import result_document

    let_terminate_clean_up()
    if args.progress == "json":
        terminate_without_reader(sys.stdout)
        lines = ProgressLines(sys.stdout)
        _, out = _assemble(args, lines)
        document = result_document(out)
        lines.write(json.dumps({"result": str(out), "verdict": document["verdict"]}))
    else:
        from autourdf_ros.cli.terminal.assembly_summary import assembly_summary
        from autourdf_ros.cli.terminal.summary import checks_summary

        with progress_bar() as progress:
            found, out = _assemble(args, progress)
        document = result_document(out)
        print(assembly_summary(found, document, out))
        print(checks_summary(document))
        if args.name and document["name"] != args.name:
            print(f"name    {document['name']}: the legal form of {args.name!r}")
        print(f"see it: autourdf view {shlex.quote(str(args.out))}")
    return 1 if document["verdict"] == "failed" else 0


def _assemble(args: argparse.Namespace, progress: Progress) -> tuple[Estimate[AssemblyTrace], Path]:
    progress("loading", 0.0)
    from autourdf_ros.files.writer_lock import lock_beside
    from autourdf_ros.model.result_files import check_output

    check_plugin_arguments(args)
    out = check_output(args.out)
    with lock_beside(out):
        return _written(args, out, progress), out


def _written(args: argparse.Namespace, out: Path, progress: Progress) -> Estimate[AssemblyTrace]:
    from autourdf_ros.data.parts.parts_options import PartsOptions
    from autourdf_ros.export.formats.usd import check_usd
    from autourdf_ros.progress import part

    if args.usd:
        check_usd()
    check_shapes(args)
    type_model = type_model_of(args)
    reading = PartsOptions(args.unit, args.up, args.split)
    assembly = given_parts(args, reading, part(progress, 0.0, 0.1))
    _check_root(assembly, args.root)
    # Imports that take seconds come last: unusable arguments are reported at once.
    from autourdf_ros.estimation.parts.assembly_options import AssemblyOptions
    from autourdf_ros.workflows.assemble import AssembleOptions, assemble_to_folder

    engine = AssemblyOptions(method=args.method, root=args.root, seed=args.seed)
    options = AssembleOptions(engine, shape_options(args), args.usd)
    name = args.name or assembly.name
    return assemble_to_folder(assembly, out, name, options, part(progress, 0.1, 1.0), type_model)


def _check_root(assembly: PartAssembly, root: str | None) -> None:
    from autourdf_ros.errors import InputError

    names = [part.name for part in assembly.parts]
    if root is not None and root not in names:
        known = ", ".join(names[:30]) + (" ..." if len(names) > 30 else "")
        raise InputError(f"--root {root}: is no part; accepted are {known}")
