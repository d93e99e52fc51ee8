"""A ROS domain of a tool's own, which only nodes on this machine can reach."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path

from autourdf_ros.domain import claim_domain, private_environment

PROFILE = Path(__file__).parents[1] / "config" / "fastdds_large_clouds.xml"
_UDP = "<type>UDPv4</type>"
_LOOPBACK = "<interfaceWhiteList><address>127.0.0.1</address></interfaceWhiteList>"


def enter_own_domain(folder: Path, large_clouds: bool = False) -> AbstractContextManager[object]:
    """Let this process and its children use a free domain; theirs until the result is closed.

    large_clouds: with the transports of config/fastdds_large_clouds.xml, of which a copy that
    keeps to this machine is written to `folder`.
    """
    domain, held = claim_domain()
    os.environ.update(private_environment(domain))
    if large_clouds:
        profile = folder / PROFILE.name
        profile.write_text(PROFILE.read_text().replace(_UDP, _UDP + _LOOPBACK))
        os.environ["FASTDDS_DEFAULT_PROFILES_FILE"] = str(profile)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "SYSTEM_DEFAULT"
    return held
