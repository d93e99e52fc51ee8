"""Write a model as a result folder."""
