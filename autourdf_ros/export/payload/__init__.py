"""Write a payload: values for drivers, and a URDF of the payload as a link."""
