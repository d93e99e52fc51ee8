"""Check whether planners and simulators can use a robot description at once."""
