"""Strategies of limits and of positions within them."""

from hypothesis import strategies as st

from autourdf_ros.model.limits.motion_limits import JointLimits


@st.composite
def limits(draw, joints=3):
    return {
        f"joint_{index}": JointLimits(
            lower := draw(st.floats(-3, 3)),
            lower + draw(st.floats(0.02, 6)),
            draw(st.floats(0.05, 4)),
            draw(st.floats(0.05, 20)),
        )
        for index in range(draw(st.integers(1, joints)))
    }


@st.composite
def paths(draw, length=4):
    """Limits, and a path of at least one waypoint within them."""
    chosen = draw(limits())
    fractions = st.fixed_dictionaries({name: st.floats(0, 1) for name in chosen})
    waypoints = [
        {name: chosen[name].lower + share * chosen[name].span for name, share in point.items()}
        for point in draw(st.lists(fractions, min_size=1, max_size=length))
    ]
    return chosen, waypoints
