"""How far tracked poses are from the true ones."""
