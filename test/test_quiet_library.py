"""What compiled libraries print stays out of standard output."""

import ctypes

from autourdf_ros.quiet_library import quiet_library


def test_only_what_a_library_prints_inside_is_discarded(capfd):
    library = ctypes.CDLL(None)
    library.puts(b"before")
    with quiet_library():
        library.puts(b"bad average roots: 4")
    library.puts(b"after")
    library.fflush(None)
    assert capfd.readouterr().out.split() == ["before", "after"]


def test_standard_output_comes_back_after_an_error(capfd):
    try:
        with quiet_library():
            raise ValueError
    except ValueError:
        print("after", flush=True)
    assert capfd.readouterr().out == "after\n"
