"""The body of an object as volume elements, from its mesh or its point cloud."""
