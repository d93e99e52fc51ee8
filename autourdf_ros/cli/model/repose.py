"""`autourdf repose`: a weighed payload with joints after its joints moved."""

from __future__ import annotations

import argparse
from pathlib import Path

HELP = "state mass, centre of mass and inertia of a weighed payload after its joints moved"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "folder",
        type=Path,
        metavar="OUT",
        help="folder that `autourdf payload` wrote for a URDF with joints",
    )
    parser.add_argument(
        "joints",
        nargs="*",
        metavar="NAME=VALUE",
        help="of the object's joints (rad or m); the others stay as they were weighed",
    )
    parser.add_argument(
        "--json", action="store_true", help="print JSON with the fields of payload.json"
    )


def run(args: argparse.Namespace) -> int:
    """Print the payload; return 0 where the weighed one is trusted, otherwise 1."""
    import json

    from autourdf_ros.cli.terminal.payload_summary import print_payload
    from autourdf_ros.export.payload.payload_files import PayloadNotes, payload_document
    from autourdf_ros.model.inertial.jointed_description import joint_values
    from autourdf_ros.workflows.payloads.reposed_payload import reposed_payload

    found = reposed_payload(args.folder, joint_values(args.joints, "joint"))
    weighed = found.weighed
    notes = PayloadNotes(
        str(weighed.get("method")),
        tuple(weighed.get("warnings", ())),
        {"joints": dict(found.joints)},
    )
    document = payload_document(found.payload, notes)
    if args.json:
        print(json.dumps(document, indent=1))
    else:
        print_payload(document)
    return 0 if document["verdict"] == "trusted" else 1
