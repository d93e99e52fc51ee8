"""What scenes of a robot that handles an object have in common: plan, simulate, draw."""
