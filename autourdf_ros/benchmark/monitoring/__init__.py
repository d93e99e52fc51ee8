"""The suite `monitoring`: names of what happened to a robot, and false alarms while all is well."""
