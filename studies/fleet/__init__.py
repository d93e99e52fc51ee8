"""A cluster for the studies of batches."""
