"""Friction, damping and armature of a robot whose links are known, from recorded efforts."""
