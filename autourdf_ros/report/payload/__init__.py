"""The report page of a payload: ellipsoids, centre of mass, and measured beside predicted wrenches."""
