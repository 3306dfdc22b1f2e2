"""The terminal report says first what to do, and nothing in it can steer the terminal."""

import io
import re
from dataclasses import replace

from rich.cells import cell_len

from integrations.rendering.terminal import LIMITS, open_console, print_report
from integrations.rendering.view import View

_SGR = re.compile(r"\x1b\[[0-9;]*m")


def _print(
    view: View, *, colour: bool | None = None, width: int | None = None, whole: bool = False
) -> str:
    stream = io.StringIO()
    print_report(view, open_console(stream, colour=colour, width=width), whole=whole)
    return stream.getvalue()


def test_state_and_what_to_do_come_before_the_verdict(view: View) -> None:
    """Somebody in an incident reads the first five lines: the answer, then what to do."""
    marks = ["Fault found · LIKELY", "recovered", "Pause the queue", "Do not restart",
             "Where", "Why", "Propagation", "Differential"]  # fmt: skip
    brief = [*marks, "Next checks", "Ruled out"]
    whole = [*marks, "Timeline", "Coverage", "Ruled out", "Next checks"]
    for text, expected in ((_print(view), brief), (_print(view, whole=True), whole)):
        places = [text.index(mark) for mark in expected]
        assert places == sorted(places)


def test_the_answer_is_said_in_a_line_first_and_last(view: View) -> None:
    """The first is read at once, the last is what is on the screen when all has run through."""
    lines = _print(view, width=200).rstrip().splitlines()

    assert lines[1].startswith("Fault found · LIKELY · Storage controller failover")
    assert lines[-1] == lines[1]


def test_a_short_report_says_how_to_see_all(view: View, chinese: View) -> None:
    """It leaves out no part without a word, and fits on a few screens."""
    for each in (view, chinese):
        text = _print(each, width=100)
        assert "--full" in text
        assert len(text.splitlines()) <= 100
        assert len(text.splitlines()) < len(_print(each, width=100, whole=True).splitlines()) / 2


def test_what_has_nothing_to_say_has_no_section(view: View) -> None:
    """A row of `none` would only push the answer off the screen."""
    found = view.investigation
    assert found.diagnosis is not None
    bare = found.diagnosis.model_copy(
        update={"ruled_out": (), "missing_information": (), "next_checks": (), "remedies": ()}
    )
    text = _print(
        View(found.model_copy(update={"diagnosis": bare}), view.pages, view.words), whole=True
    )

    assert "none" not in text.splitlines()
    assert "Ruled out" not in text
    assert "Next checks ──" not in text


def test_a_pipe_gets_no_colour(view: View) -> None:
    """Without a terminal there is no escape sequence at all."""
    assert "\x1b" not in _print(view)


def test_colour_is_only_ever_colour(hostile: tuple[str, View]) -> None:
    """With colour on, the only escapes are colours; hostile ones are shown by name."""
    _, view = hostile

    left = _SGR.sub("", _print(view, colour=True))

    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", left)


def test_rich_markup_in_a_line_is_printed_as_it_stands(view: View) -> None:
    """Brackets of a log are not markup."""
    quote = view.events[1].citations[0].model_copy(update={"text": "[bold]Controller[/bold] A"})
    first = view.events[1].model_copy(update={"citations": (quote,)})
    events = (first, *view.events[2:])
    timeline = view.investigation.timeline.model_copy(update={"events": events})
    marked = view.investigation.model_copy(update={"timeline": timeline})

    assert "[bold]Controller[/bold] A" in _print(View(marked, view.pages, view.words))


def test_a_capture_of_the_conclusion_has_one_line_and_the_rest_is_counted(view: View) -> None:
    """The terminal is no place for every quote; the other forms hold them."""
    text = _print(view, width=200, whole=True)
    evidence = text[text.index("Evidence ──") : text.index("Generated")].strip().splitlines()[1:]

    assert evidence[0].startswith("•  E4") or evidence[0].startswith("•  E1")
    assert "see -o json or -o html" in evidence[-1]
    assert sum(line.startswith("•") for line in evidence) == len(evidence) - 1


def test_a_hung_command_is_a_finding(view: View) -> None:
    """It stands with the verdict, in coverage and in the evidence, with what was asked."""
    assert "df -h /data · no answer within 10 s" in _print(view)
    text = _print(view, whole=True)

    assert "HUNG" in text
    assert "A command that hangs is a finding" in text
    assert "E6 · host astra-gpu-07 · df -h /data" in text


def test_severity_is_never_colour_alone(view: View) -> None:
    """Word and shape stand beside it."""
    text = _print(view, whole=True)

    assert "■ critical" in text
    assert "▲ error" in text
    assert "◆ warning" in text


def test_chinese_keeps_the_confidence_words(chinese: View) -> None:
    """The word of the contract and the reader's own stand together."""
    text = _print(chinese)

    assert "LIKELY 很可能" in text
    assert "不要重启 kubelet" in text


def test_no_line_is_wider_than_the_terminal(view: View, chinese: View) -> None:
    """A narrow terminal wraps; nothing is cut."""
    for each in (view, chinese):
        for whole in (False, True):
            lines = _print(each, width=80, whole=whole).splitlines()
            assert max(cell_len(line) for line in lines) <= 80


def test_a_long_report_ends_on_the_whole_conclusion_in_short(view: View) -> None:
    """Where, why, what amplified it, what it was not, what hung, and the way it took."""
    text = _print(view, whole=True)
    end = text[text.index("In short") :]

    marks = ["Where", "server 10.0.0.10 stopped", "Why", "Storage controller failover",
             "Amplified by", "GPU health check fails", "First to fail", "Ruled out",
             "GPU hardware failure", "Hung commands", "df -h /data", "Propagation", "+17 s to 19 s",
             "Fault found · LIKELY"]  # fmt: skip
    places = [end.index(mark) for mark in marks]
    assert places == sorted(places)


def test_amplifiers_and_who_failed_first_stand_with_the_verdict(view: View, chinese: View) -> None:
    """Each on a line of its own, with evidence; the tree marks amplifiers too."""
    text = _print(view, width=200, whole=True)
    verdict = text[text.index("Verdict ") : text.index("Propagation ")]
    tree = text[text.index("Propagation ") : text.index("Differential ")]

    assert "Amplified by   GPU health check fails because it writes to shared storage" in verdict
    assert "First to fail  rank train/llm-70b/0 · of job train/llm-70b" in verdict
    assert "Hung commands  df -h /data · no answer within 10 s · astra-gpu-07 · E6" in verdict
    assert tree.count("[amplifier]") == 2
    assert "放大因素" in _print(chinese)
    assert "最先失败" in _print(chinese)


def test_an_open_question_ends_on_its_strongest_lead(view: View) -> None:
    """What is not decided is said with what would be the best guess."""
    diagnosis = view.investigation.diagnosis
    assert diagnosis is not None
    open_one = diagnosis.model_copy(
        update={"verdict": "inconclusive", "confidence": "INCONCLUSIVE", "root_causes": ()},
    )
    doubtful = view.investigation.model_copy(update={"diagnosis": open_one})

    last = _print(View(doubtful, view.pages, view.words)).rstrip().splitlines()[-2:]

    assert "strongest lead: Storage controller failover on storage server 10.0.0.10" in " ".join(
        last
    )


def test_an_unfinished_investigation_says_so(view: View) -> None:
    """After Ctrl-C the report holds what was known."""
    early = view.investigation.model_copy(update={"diagnosis": None, "step": "ordered"})

    text = _print(View(early, view.pages, view.words))

    assert "Partial: stopped after step “events in order”" in text
    assert "Node NotReady" in text


def test_a_narrow_terminal_runs_rows_into_lines(view: View) -> None:
    """Six columns of short words would be a tower; what a cell means is clear without them."""
    wide, narrow = (_print(view, width=columns, whole=True) for columns in (120, 80))

    assert wide.count("Severity") == 4
    assert "Severity" not in narrow
    assert "• 02:25:00Z · for 6 min 30 s · ■ critical · Node NotReady" in narrow
    assert "Hypothesis" in narrow


def test_a_long_quote_wraps_under_itself(view: View) -> None:
    """Not under its number."""
    stream = io.StringIO()
    console = open_console(stream, colour=None, width=60)
    print_report(view, console, replace(LIMITS, cards=True), whole=True)
    lines = stream.getvalue().splitlines()
    first = next(n for n, line in enumerate(lines) if "120 │ kernel: nfs" in line)

    assert lines[first].index("kernel") == len(lines[first + 1]) - len(lines[first + 1].lstrip())
