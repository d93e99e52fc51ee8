import io

from autourdf_ros.demo.terminal import Terminal


class Screen(io.StringIO):
    def isatty(self):
        return True


def test_a_log_has_every_text_once():
    stream = io.StringIO()
    terminal = Terminal(stream)
    for fraction in (0.1, 0.2, 0.3):
        terminal.progress("capture: moving", fraction)
        terminal.progress("capture: taking a frame", fraction)
    assert stream.getvalue().count("moving") == 1
    assert stream.getvalue().count("\n") == 2
    assert "\x1b" not in stream.getvalue()


def test_a_screen_has_a_bar_that_is_replaced():
    stream = Screen()
    terminal = Terminal(stream)
    terminal.progress("capture: moving", 0.5)
    terminal.line("done")
    written = stream.getvalue()
    assert "[###############...............]  50 %" in written
    assert written.endswith("] done\n")
    assert written.count("\n") == 1
