"""Other ways to the parameters, for comparison: Adam, CMA-ES, emcee and CSVGD."""
