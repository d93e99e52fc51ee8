"""An example of control with an identified model: it swings a cart-pole up."""
