"""The near side of the fence: run a foreign function in another process and survive whatever it does."""

from __future__ import annotations

import contextlib
import queue
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any, Self

from mbedu.errors import MbeduError
from mbedu.verify.cases import Case
from mbedu.verify.outcome import Outcome
from mbedu.verify.worker import Limits, read, write

__all__ = ["Sandbox", "packed"]

START = 60.0  # seconds for a new process to import what it needs, on a slow and busy machine


def packed(function: Callable[..., Any]) -> bytes:
    """Pickle a function by value, so that one typed into a notebook can travel."""
    import cloudpickle

    try:
        blob: bytes = cloudpickle.dumps(function)
    except Exception as error:  # whatever a value that cannot travel raises
        raise MbeduError(
            f"the function cannot be sent to a process of its own ({type(error).__name__}: {error}); "
            "keep open files, locks and the like out of it"
        ) from error
    return blob


class Sandbox:
    """A worker process for one function; it is replaced whenever the function takes it down.

    Examples
    --------
    >>> from mbedu.verify.cases import cases_of
    >>> from mbedu.verify.dags import all_dags
    >>> def forever(ask, target):
    ...     while True:
    ...         pass
    >>> case = next(cases_of(all_dags(2)[0]))
    >>> with Sandbox(packed(forever), Limits(seconds=0.2)) as sandbox:
    ...     print(sandbox.check(case).detail)
    did not finish within 0.2 seconds
    """

    def __init__(self, blob: bytes, limits: Limits) -> None:
        self.blob, self.limits = blob, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._inbox: queue.Queue[Any] = queue.Queue()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the worker."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._process = None

    def _start(self) -> Outcome | None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "mbedu.verify.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        inbox: queue.Queue[Any] = queue.Queue()
        self._inbox, stdout = inbox, self._process.stdout
        weakref.finalize(self, self._process.kill)  # a sandbox that is dropped takes its worker along

        def listen() -> None:
            with contextlib.suppress(EOFError, OSError, ValueError):
                while stdout is not None:
                    inbox.put(read(stdout))
            inbox.put(None)

        threading.Thread(target=listen, daemon=True).start()
        self._send(sys.path)
        self._send((self.blob, self.limits))
        answer = self._receive(START)
        return None if answer == "ready" else answer

    def _send(self, value: Any) -> None:
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):  # a dead worker is noticed when no answer comes
                write(self._process.stdin, value)

    def _receive(self, seconds: float) -> Any:
        try:
            answer = self._inbox.get(timeout=seconds)
        except queue.Empty:
            self.close()
            detail = "did not stop when its time was up, so its process was ended"
            return Outcome("time", None, 0, detail)
        if answer is None:
            code = self._process.wait() if self._process is not None else 0
            self.close()
            how = f"signal {-code}" if code < 0 else f"exit code {code}"
            return Outcome("crash", None, 0, f"ended its whole process ({how})")
        return answer

    def check(self, case: Case, *, record: bool = False) -> Outcome:
        """Try one case; the worker is started or replaced as needed."""
        if self._process is None and (trouble := self._start()) is not None:
            self.close()
            return trouble
        self._send((case, record))
        outcome: Outcome = self._receive(2 * self.limits.seconds + 5.0)
        if outcome.kind in ("memory", "time") and self._process is not None:
            self.close()  # what it has left behind is unknown
        return outcome
