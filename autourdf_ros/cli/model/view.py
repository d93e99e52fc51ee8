"""`autourdf view`: shows a result folder on a web page of this machine."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import signal
import threading
from pathlib import Path

from autourdf_ros.errors import InputError

HELP = "show a result in the browser: robot, sliders, recorded frames, and how sure the joints are"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "result", type=Path, metavar="OUT", help="result folder; with --live any folder"
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="follow a folder in which recordings and results appear, such as a demo's: show the "
        "newest frame while it is recorded, then the model, and each newer one",
    )
    parser.add_argument(
        "--early-model",
        action="store_true",
        help="with --live: reconstruct the frames that a recording has while more are recorded, on "
        "one core at the lowest priority",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        help="address to listen at (default: 127.0.0.1, this machine only); there is no password",
    )
    parser.add_argument(
        "--port", type=_port, default=8080, help="to listen at, 0 for any free one (default: 8080)"
    )
    parser.add_argument(
        "--recording",
        type=Path,
        metavar="REC",
        help="what the result comes from (default: where it was then)",
    )
    parser.add_argument(
        "--images",
        type=Path,
        metavar="IMAGES",
        help="folder of the images that the splats come from (default: where it was then)",
    )


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C or SIGTERM; both end it with exit code 0."""
    if args.live:
        return _follow(args)
    if args.early_model:
        raise InputError("--early-model: goes with --live only, which follows a recording")
    from autourdf_ros.viewer.viewed_result import load_result

    result = load_result(args.result)
    from autourdf_ros.viewer.local_server import served
    from autourdf_ros.viewer.page import Page
    from autourdf_ros.viewer.recorded_frames import find_recording, moments
    from autourdf_ros.workflows.appearance.showing.viewed_appearance import viewed_appearance

    recording, problem = find_recording(result.document, args.recording)
    appearance, fault = viewed_appearance(result.folder, args.images)
    problems = [text for text in (problem, fault) if text]
    with served(args.host, args.port) as server:
        page = Page(server, result, moments(result.document, recording), problems, appearance)
        end = _until_asked_to_end()
        for warning in (*result.document["warnings"], *problems):
            print(f"! {warning}")
        _announce(
            args, server.get_port(), f"{result.document['name']} ({result.document['verdict']})"
        )
        page.play(end)
    return 0


def _follow(args: argparse.Namespace) -> int:
    for option in ("recording", "images"):
        if getattr(args, option) is not None:
            raise InputError(f"--{option}: does not go with --live, which finds recordings itself")
    from autourdf_ros.viewer.live.followed_folder import FollowedFolder

    folder = FollowedFolder(args.result)
    from autourdf_ros.viewer.live.early_model import EarlyModel
    from autourdf_ros.viewer.live.live_page import LivePage
    from autourdf_ros.viewer.local_server import served

    # A recording that grows is cut off each time that it is read.
    logging.getLogger("autourdf_ros.data").setLevel(logging.ERROR)
    with served(args.host, args.port) as server, EarlyModel() as early:
        page = LivePage(server, folder, early if args.early_model else None)
        end = _until_asked_to_end()
        _announce(args, server.get_port(), f"what changed last in {folder.folder}")
        page.play(end)
    return 0


def _until_asked_to_end() -> threading.Event:
    end = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: end.set())
    return end


def _announce(args: argparse.Namespace, port: int, shown: str) -> None:
    if not _is_loopback(args.host):
        print("! Whoever reaches this machine can see the page and move the robot on it.")
    print(f"{shown} is shown at")
    print(f"http://{_in_url(args.host)}:{port}   (Ctrl-C ends it)", flush=True)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _in_url(host: str) -> str:
    """Return a host as a browser accepts it."""
    if host in ("", "0.0.0.0", "::"):
        return "localhost"
    return f"[{host}]" if ":" in host else host


def _port(text: str) -> int:
    if not (text.isdecimal() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"is {text}; accepted is 0 to 65535")
    return int(text)
