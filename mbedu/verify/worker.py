"""The other side of the fence: a process in which a function may do what it likes.

It is started as `python -m mbedu.verify.worker`, reads pickled requests from its standard input
and writes pickled outcomes to its standard output. Before any foreign code runs, both are moved out
of reach, so that nothing the function prints or reads can disturb the conversation.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import signal
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Any

from mbedu.ask import Ask, Stop
from mbedu.recording import RecordingAsk
from mbedu.running import call, trace_of
from mbedu.verify.cases import Case
from mbedu.verify.outcome import Outcome, failed, grade, judge_answer

__all__ = ["Limits", "main", "read", "try_function", "write"]


@dataclass(frozen=True)
class Limits:
    """What a function may use on one problem."""

    seconds: float = 5.0
    megabytes: int = 1024
    questions: int = 20_000
    characters: int = 1_000_000
    """How much it may print."""


class OutOfTime(BaseException):
    """Raised inside the function when its time is up; `except Exception` does not catch it."""


class TooMuchOutput(BaseException):
    """Raised inside the function when it has printed too much."""


class Sink(io.TextIOBase):
    """Takes what a function prints, counts it, and stops it when it is too much."""

    def __init__(self, most: int) -> None:
        self.most, self.seen = most, 0

    def write(self, text: str) -> int:
        """Count and forget."""
        self.seen += len(text)
        if self.seen > self.most:
            raise TooMuchOutput
        return len(text)


def try_function(function: Callable[..., Any], case: Case, limits: Limits, *, record: bool) -> Outcome:
    """Run a foreign function on one case, within the limits, and say how it ended."""
    name = getattr(function, "__name__", type(function).__name__)
    door = (RecordingAsk if record else Ask)(case.judge, max_asked=limits.questions)
    watched = ("variables", "_judge", "_position", "_max_asked", "_clock")
    before = {key: getattr(door, key) for key in watched}
    position = dict(door._position)  # noqa: SLF001 - its own door: to see whether the function reached in

    def ended(kind: str, error: BaseException | None = None, detail: str = "") -> Outcome:
        trace = trace_of(door, name, name, case.target, params={}, stopped=detail or kind)
        text = trace.to_json() if trace is not None else ""
        if error is not None:
            return failed(kind, error, questions=door.n_asked, trace=text)
        return Outcome(kind, None, door.n_asked, detail, text)

    try:
        with _silenced(limits), _timed(limits):
            answer = call(function, door, name, case.target, {})
            if not isinstance(answer, str | bytes | dict) and hasattr(answer, "__iter__"):
                answer = list(answer)  # a generator may still ask, loop or raise
    except OutOfTime:
        return ended("time", detail=f"did not finish within {limits.seconds:g} seconds")
    except TooMuchOutput:
        return ended("output", detail=f"printed more than {limits.characters:,} characters")
    except Stop:
        return ended("too many questions", detail=f"asked {limits.questions:,} questions and wanted more")
    except MemoryError:
        return ended("memory", detail=f"needed more than {limits.megabytes:,} MB")
    except SystemExit as error:
        return ended("exit", detail=f"called exit({'' if error.code is None else error.code})")
    except KeyboardInterrupt as error:
        return ended("error", error)
    except BaseException as error:  # noqa: BLE001 - whatever it raises is its result
        return ended("error", error)
    changed = [k for k, v in before.items() if getattr(door, k, None) is not v]
    if changed or position != door._position:  # noqa: SLF001
        return ended("mutated", detail=f"changed what it was given (ask.{(changed or ['_position'])[0]})")
    members, complaint = judge_answer(answer, case)
    if members is None:
        return ended("bad answer", detail=complaint)
    trace = trace_of(door, name, name, case.target, params={}, boundary=members)
    shown = tuple(v for v in case.order if v in members)
    text = trace.to_json() if trace is not None else ""
    return Outcome(grade(members, case.expected), shown, door.n_asked, trace=text)


@contextlib.contextmanager
def _silenced(limits: Limits) -> Iterator[None]:
    sink = Sink(limits.characters)
    with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
        yield


@contextlib.contextmanager
def _timed(limits: Limits) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # Windows: only the other side's hard limit remains
        yield
        return

    def ring(*_: object) -> None:
        raise OutOfTime

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limits.seconds, 0.1)  # again and again, should it be swallowed
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _limit_memory(megabytes: int) -> None:
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as statm:  # noqa: PTH123 - not a file of ours
            used = int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + megabytes * 2**20,) * 2)
    except (ImportError, OSError, ValueError):
        return  # not on this system; time and questions are still limited


def write(stream: IO[bytes], value: Any) -> None:
    """Send one pickled message."""
    data = pickle.dumps(value)
    stream.write(struct.pack(">Q", len(data)) + data)
    stream.flush()


def read(stream: IO[bytes]) -> Any:
    """Receive one pickled message; EOFError when the other side is gone."""
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (size,) = struct.unpack(">Q", head)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - our own parent process wrote it


def main() -> None:
    """Serve requests until the parent closes the pipe."""
    inbox, outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    sys.path[:] = read(inbox)
    blob, limits = read(inbox)
    try:
        function = pickle.loads(blob)  # noqa: S301
    except BaseException as error:  # noqa: BLE001 - tell the parent, whatever it is
        write(outbox, failed("error", error))
        return
    _limit_memory(limits.megabytes)
    write(outbox, "ready")
    with contextlib.suppress(EOFError):
        while True:
            case, record = read(inbox)
            write(outbox, try_function(function, case, limits, record=record))


if __name__ == "__main__":
    main()
