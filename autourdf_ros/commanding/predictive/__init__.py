"""Control that predicts with a model: path integrals over sampled motions of a cart-pole."""
