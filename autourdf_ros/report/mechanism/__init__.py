"""The account of a mechanism in a video: tracks of its bodies, motion of its joints, doubts."""
