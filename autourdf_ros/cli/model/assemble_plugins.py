"""Options of `autourdf assemble` for plug-ins: parts from a model, types from a model."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from autourdf_ros.cli.number_arguments import above_zero
from autourdf_ros.errors import InputError

if TYPE_CHECKING:
    from autourdf_ros.data.parts.part_assembly import PartAssembly
    from autourdf_ros.data.parts.parts_options import PartsOptions
    from autourdf_ros.estimation.parts.joint_types.type_model import TypeModel
    from autourdf_ros.plugins.plugin_options import PluginOptions
    from autourdf_ros.progress import Progress

_REFERENCE = "a URL of http(s), or the name of an entry point of an installed package"


def add_plugin_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    group = parser.add_argument_group(
        "plug-ins", "Models of others. With a URL, images, text and views LEAVE THIS MACHINE."
    )
    group.add_argument(
        "--part-model",
        metavar="URL_OR_NAME",
        help=f"makes the parts from --image or --text: {_REFERENCE}",
    )
    group.add_argument(
        "--image",
        type=Path,
        nargs="+",
        action="extend",
        default=[],
        metavar="FILE",
        help="PNG or JPEG for --part-model, sent as it is",
    )
    group.add_argument("--text", default="", help="description for --part-model")
    group.add_argument(
        "--type-model",
        metavar="URL_OR_NAME",
        help=f"is asked for the type of every joint, with rendered views: {_REFERENCE}",
    )
    for kind in ("part", "type"):
        group.add_argument(
            f"--{kind}-model-token-env",
            metavar="VARIABLE",
            help=f"environment variable with the token that the URL of --{kind}-model needs",
        )
    group.add_argument(
        "--plugin-timeout",
        type=above_zero("s"),
        default=300.0,
        metavar="SECONDS",
        help="of one request to a URL, in all (default: 300)",
    )


def check_plugin_arguments(args: argparse.Namespace) -> None:
    """Raise an InputError where the options contradict each other."""
    if (args.input is None) == (args.part_model is None):
        raise InputError("PARTS, --part-model: accepted is one of the two")
    if args.part_model is None and (args.image or args.text):
        raise InputError("--image, --text: accepted with --part-model only")
    for kind in ("part", "type"):
        if getattr(args, f"{kind}_model") is None and getattr(args, f"{kind}_model_token_env"):
            raise InputError(f"--{kind}-model-token-env: accepted with --{kind}-model only")


def given_parts(
    args: argparse.Namespace, reading: PartsOptions, progress: Progress
) -> PartAssembly:
    """Return the parts that the user gives, or that a part model makes.

    Raises:
        InputError: They cannot be read, or the model fails.
    """
    if args.part_model is None:
        from autourdf_ros.data.parts.assembly_reading import read_assembly

        return read_assembly(args.input, reading, progress)
    from autourdf_ros.data.encoded_image import read_image
    from autourdf_ros.data.parts.part_model import PartRequest
    from autourdf_ros.data.parts.part_model_reading import parts_of_model
    from autourdf_ros.plugins.http_part_model import PART_MODEL
    from autourdf_ros.plugins.plugin_loading import load_plugin

    request = PartRequest(args.text, tuple(read_image(path) for path in args.image))
    options = _options(args, args.part_model_token_env)
    model = load_plugin(PART_MODEL, args.part_model, options)
    name = args.name or (args.image[0].stem if args.image else "object")
    return parts_of_model(model, request, name, reading, progress)


def type_model_of(args: argparse.Namespace) -> TypeModel | None:
    """Return the type model that the user names; None without one.

    Raises:
        InputError: There is none of that name, or it cannot be loaded.
    """
    if args.type_model is None:
        return None
    from autourdf_ros.plugins.http_type_model import TYPE_MODEL
    from autourdf_ros.plugins.plugin_loading import load_plugin

    return load_plugin(TYPE_MODEL, args.type_model, _options(args, args.type_model_token_env))


def _options(args: argparse.Namespace, token_variable: str | None) -> PluginOptions:
    from autourdf_ros.plugins.plugin_options import PluginOptions

    return PluginOptions(token_variable, args.plugin_timeout)
