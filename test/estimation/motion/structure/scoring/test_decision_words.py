from autourdf_ros.estimation.common.structure.scored_search import Decision
from autourdf_ros.estimation.motion.structure.scoring.decision_words import named


def test_links_have_their_last_names_and_pieces_say_of_which_link_they_are():
    decision = Decision("{4} (7 points) is one with {2}", 3.0, "{1} hangs on {9}", 1.0)
    (found,) = named((decision,), ((0,), (2, 4), (1,)), ("base", "arm", "hand"))
    assert found.change == "piece 4 of arm (7 points) is one with arm"
    assert found.runner_up == "hand hangs on piece 9"
    assert (found.gain, found.margin) == (3.0, 1.0)
