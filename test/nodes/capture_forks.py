"""Runs the capture node again and again, each in a fork of this process, which has imported it.

Takes a file of parameters a line on stdin, and prints a line `started PID` for each.
"""

import os
import signal
import sys

from autourdf_ros.nodes import capture_node

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    process = os.fork()
    if process == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        sys.argv = ["capture_node", "--ros-args", "--params-file", line.strip()]
        os._exit(capture_node.main())
    print(f"started {process}", flush=True)
