"""Every test run gets a DDS domain of its own, on this machine only: no test moves a real robot."""

import os
import random

import hypothesis

os.environ["ROS_DOMAIN_ID"] = str(random.SystemRandom().randint(1, 100))
os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"

# How long an example takes tells how busy the machine is.
hypothesis.settings.register_profile("busy_machine", deadline=None)
hypothesis.settings.load_profile("busy_machine")
