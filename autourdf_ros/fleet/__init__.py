"""Many jobs on the workers of a Dask cluster: what is done is not done again, nothing is lost."""
