import socket

import pytest

from autourdf_ros.domain import (
    HIGHEST,
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
