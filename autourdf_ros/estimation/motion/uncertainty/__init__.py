"""Say how sure the model is, and what the frames could not tell."""
