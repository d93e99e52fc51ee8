"""Registration by neural networks, as AutoURDF does it (needs the extra 'neural')."""
