"""Where the cameras stand, relative to each other: estimated and refined from what they saw."""
