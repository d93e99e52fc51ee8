"""The suite `payload`: inertial parameters of held tools, at four levels of noise."""
