"""Recordings as rosbag2 folders and MCAP files, read within bounds and without ROS."""
