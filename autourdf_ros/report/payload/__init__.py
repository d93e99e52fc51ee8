"""The report page of a payload: ellipsoid, centre of mass, and wrenches beside predicted ones."""
