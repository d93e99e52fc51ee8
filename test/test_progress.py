"""Progress of parts that are done one after the other, and of such as are done at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autourdf_ros.parallel import on_all_cores
from autourdf_ros.progress import abreast, part


@given(st.lists(st.integers(0, 2), max_size=40))
def test_the_whole_is_at_the_mean_of_parts_done_at_once_and_never_goes_back(turns):
    heard = []
    reports = abreast(part(lambda stage, share: heard.append((stage, share)), 0.2, 0.8), 3)
    done = [0, 0, 0]
    for number in turns:
        done[number] += 1
        reports[number](f"part {number}", done[number] / 40)
        stage, share = heard[-1]
        assert stage == f"part {number}"
        assert share == pytest.approx(0.2 + 0.6 * sum(done) / 120)
    shares = [share for _, share in heard]
    assert shares == sorted(shares)


def test_what_a_report_raises_ends_the_work():
    class Cancelled(Exception):
        pass

    def cancel(stage, share):
        raise Cancelled

    reports = abreast(cancel, 2)
    with pytest.raises(Cancelled):
        on_all_cores(lambda report: report("tracking", 0.5), reports)
