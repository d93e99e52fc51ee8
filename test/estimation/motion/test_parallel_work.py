import threading

import pytest

from autourdf_ros.parallel import Tally, on_all_cores


def test_results_keep_their_order():
    assert on_all_cores(lambda a, b: 10 * a + b, range(5), range(5)) == [0, 11, 22, 33, 44]
    assert on_all_cores(abs, []) == []


def test_an_error_is_raised_and_ends_the_rest():
    begun = []

    def fail(number):
        begun.append(number)
        raise ValueError(str(number))

    with pytest.raises(ValueError, match="0"):
        on_all_cores(fail, range(10_000))
    assert len(begun) < 10_000


def test_a_tally_counts_what_threads_do():
    shares = []
    tally = Tally(200, shares.append)
    threads = [threading.Thread(target=lambda: [tally.add() for _ in range(50)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shares == [(i + 1) / 200 for i in range(200)]
