import socket
import subprocess
import sys
from pathlib import Path

import pytest

from autourdf_ros.domain import (
    HIGHEST,
    PROFILE_VARIABLES,
    claim_domain,
    free_domain,
    private_environment,
    used_domains,
)


def test_a_domain_with_an_open_port_is_used():
    domain = free_domain()  # not one that another test run has claimed
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.bind(("127.0.0.1", 7400 + 250 * domain + 11))
        assert domain in used_domains()
        assert all(free_domain() != domain for _ in range(200))
    assert domain not in used_domains()


def test_free_domains_lie_in_the_safe_range():
    assert all(1 <= free_domain() <= HIGHEST for _ in range(50))


def test_a_claimed_domain_is_nobody_elses_though_no_node_runs():
    claims = [claim_domain() for _ in range(5)]
    domains = {domain for domain, _ in claims}
    try:
        assert len(domains) == 5 and domains <= used_domains()
        assert all(free_domain() not in domains for _ in range(100))
    finally:
        for _, held in claims:
            held.close()
    assert not domains & used_domains()


@pytest.mark.parametrize("distribution", ["kilted", "humble"])
def test_the_environment_is_closed_to_the_network(monkeypatch, distribution):
    monkeypatch.setenv("ROS_DISTRO", distribution)
    monkeypatch.setenv("ROS_STATIC_PEERS", "10.0.0.7")
    monkeypatch.delenv("ROS_AUTOMATIC_DISCOVERY_RANGE")
    environment = private_environment(17)
    assert environment["ROS_DOMAIN_ID"] == "17"
    assert "ROS_STATIC_PEERS" not in environment
    if distribution == "humble":
        assert environment["ROS_LOCALHOST_ONLY"] == "1"
    else:
        assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"


def test_no_types_are_looked_up_unless_the_user_has_a_profile(monkeypatch):
    for name in PROFILE_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    profile = Path(private_environment(17)["FASTDDS_DEFAULT_PROFILES_FILE"])
    text = " ".join(profile.read_text().split())
    assert "<name>fastdds.type_propagation</name> <value>disabled</value>" in text
    monkeypatch.setenv("FASTDDS_DEFAULT_PROFILES_FILE", "/theirs.xml")
    assert private_environment(17)["FASTDDS_DEFAULT_PROFILES_FILE"] == "/theirs.xml"
    monkeypatch.delenv("FASTDDS_DEFAULT_PROFILES_FILE")
    monkeypatch.setenv("FASTRTPS_DEFAULT_PROFILES_FILE", "/theirs.xml")
    assert "FASTDDS_DEFAULT_PROFILES_FILE" not in private_environment(17)


@pytest.mark.slow
@pytest.mark.ros
def test_a_node_of_a_private_environment_has_no_thread_that_looks_up_types(tmp_path):
    """By the names of its threads: the middleware reads the profile."""
    code = (
        "import rclpy, pathlib; rclpy.init(); node = rclpy.create_node('quiet'); "
        "print([p.read_text().strip() for p in pathlib.Path('/proc/self/task').glob('*/comm')])"
    )
    environment = {**private_environment(free_domain()), "ROS_LOG_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert "dds." in done.stdout and "dds.tls" not in done.stdout
