"""How right a reconstruction is: metrics against a truth."""
