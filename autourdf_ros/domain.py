"""DDS domains that no other process on this machine uses, closed to the network."""

from __future__ import annotations

import os
import random
import socket
from pathlib import Path

from autourdf_ros.errors import InputError

HIGHEST = 101
"""Highest domain whose ports lie below Linux' ephemeral ports (ROS 2 documentation, "The
ROS_DOMAIN_ID")."""

PORT_BASE, PORTS_A_DOMAIN = 7400, 250  # DDSI-RTPS 2.5, section 9.6.2.3


PROFILE = Path(__file__).with_name("private_domain.xml")
"""What Fast DDS does otherwise in a private environment; other middleware does not read it."""

PROFILE_VARIABLES = "FASTDDS_DEFAULT_PROFILES_FILE", "FASTRTPS_DEFAULT_PROFILES_FILE"

SOCKET_TABLES = (Path("/proc/net/udp"), Path("/proc/net/udp6"))


def used_domains() -> set[int]:
    """Return the domains with an open DDS port on this machine."""
    ports: set[int] = set()
    for table in SOCKET_TABLES:
        if table.exists():
            lines = table.read_text().splitlines()[1:]
            ports.update(int(line.split()[1].rpartition(":")[2], 16) for line in lines)
    return {(port - PORT_BASE) // PORTS_A_DOMAIN for port in ports if port >= PORT_BASE}


def free_domain() -> int:
    """Return a random unused domain from 1 to `HIGHEST`. Raise InputError where all are used."""
    free = sorted(set(range(1, HIGHEST + 1)) - used_domains())
    if not free:
        raise InputError(f"all ROS domains from 1 to {HIGHEST} are in use on this machine")
    return random.SystemRandom().choice(free)


def claim_domain() -> tuple[int, socket.socket]:
    """Reserve a free domain until a socket is closed, also while no node runs.

    The socket holds the last port of the domain, which only its 120th participant would need.

    Returns:
        The domain and the socket.

    Raises:
        InputError: all domains are used.
    """
    while True:
        domain = free_domain()
        held = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            held.bind(("127.0.0.1", PORT_BASE + PORTS_A_DOMAIN * (domain + 1) - 1))
        except OSError:  # another process was faster
            held.close()
            continue
        return domain, held


def private_environment(domain: int) -> dict[str, str]:
    """Return this process's environment for ROS nodes that only this machine can reach.

    A profile of Fast DDS that the user has set remains.
    """
    environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
    environment.pop("ROS_STATIC_PEERS", None)
    environment.pop("ROS_DISCOVERY_SERVER", None)
    if environment.get("ROS_DISTRO") == "humble":  # knows only the older variable
        environment["ROS_LOCALHOST_ONLY"] = "1"
    else:
        environment.pop("ROS_LOCALHOST_ONLY", None)
        environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
    if not any(environment.get(name) for name in PROFILE_VARIABLES):
        environment["FASTDDS_DEFAULT_PROFILES_FILE"] = str(PROFILE)
    return environment
