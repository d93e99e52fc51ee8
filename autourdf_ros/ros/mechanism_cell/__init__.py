"""A simulated mechanism, with the topics of one that efforts drive."""
