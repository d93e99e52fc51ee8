"""How far tracked poses, joints and forecasts of a mechanism are from the truth."""
