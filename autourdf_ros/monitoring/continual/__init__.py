"""What daily work shows of a model: drift, history, observations kept."""
