"""Part meshes of a robot or an object that stands still: readers, units, what is set aside."""
