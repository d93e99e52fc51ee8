"""Runs the capture node again and again, each in a fork of this process, which has imported it.

Takes a file of parameters a line on stdin, and prints the process id for each. What a node prints
goes to the file's name with `.log` added, and then a line `exit CODE`.
"""

import os
import signal
import sys

from autourdf_ros.ros.capture import capture_node

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    file = line.strip()
    process = os.fork()
    if process == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(f"{file}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        sys.argv = ["capture_node", "--ros-args", "--params-file", file]
        print(f"exit {capture_node.main()}", flush=True)
        os._exit(0)
    print(process, flush=True)
