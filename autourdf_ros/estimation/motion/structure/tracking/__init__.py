"""Track a candidate through a recording, and repair frames in which links or joints were lost."""
