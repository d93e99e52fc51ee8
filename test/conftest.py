"""Every test run gets a DDS domain of its own, on this machine only: no test moves a real robot."""

import os

import hypothesis

from autourdf_ros.domain import claim_domain

# Held to the end: between two tests with nodes the domain would look free to another test run.
DOMAIN, HELD = claim_domain()
os.environ["ROS_DOMAIN_ID"] = str(DOMAIN)
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

# How long an example takes tells how busy the machine is.
hypothesis.settings.register_profile("busy_machine", deadline=None)
hypothesis.settings.load_profile("busy_machine")
