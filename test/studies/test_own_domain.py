"""The domain of a tool: of this machine only, with config/fastdds_large_clouds.xml, too."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TOOLS = Path(__file__).parents[2] / "studies"
PROBE = f"""
import json, os, re, sys
from pathlib import Path
sys.path.insert(0, {str(TOOLS)!r})
from own_domain import enter_own_domain
with enter_own_domain(Path(sys.argv[1]), large_clouds=sys.argv[2] == "large"):
    import rclpy
    rclpy.init()
    node = rclpy.create_node("probe")
    shared = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        if re.search("/dev/shm/fastdds_[0-9a-f]{{16}}$", line):
            first, last = (int(end, 16) for end in line.split()[0].split("-"))
            shared += last - first
    own = {{os.readlink(link) for link in Path("/proc/self/fd").iterdir() if link.exists()
           or link.is_symlink()}}
    sockets = [line.split() for line in Path("/proc/self/net/udp").read_text().splitlines()[1:]]
    bound = {{row[1].split(":")[0] for row in sockets if f"socket:[{{row[9]}}]" in own}}
    print(json.dumps([shared, sorted(bound)]))
"""
LOOPBACK, DISCOVERY_GROUP = "0100007F", "0100FFEF"  # 127.0.0.1, 239.255.0.1


@pytest.mark.parametrize("size, least, most", [("usual", 2**18, 2**20), ("large", 2**26, 2**27)])
def test_a_tools_nodes_share_memory_and_listen_to_this_machine_only(tmp_path, size, least, most):
    probe = [sys.executable, "-c", PROBE, str(tmp_path), size]
    shared, bound = json.loads(subprocess.run(probe, capture_output=True, check=True).stdout)
    assert least <= shared < most
    assert LOOPBACK in bound
    if size == "large":  # rmw_fastrtps alone decides the other
        assert set(bound) <= {LOOPBACK, DISCOVERY_GROUP}
