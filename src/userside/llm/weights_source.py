"""What every source of weights is given, and how it reports."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from userside.errors import WeightsError
from userside.llm.catalogue import PinnedFile

PROGRESS_INTERVAL = 10.0
"""Seconds between two progress lines."""

PATIENCE = 12.0
"""Seconds until the first byte must be here. A closed network drops packets, and the system would try for minutes."""

type Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """One fetching of one model's weights.

    Attributes:
        entry: Whose weights.
        folder: Where they and whatever is needed on the way go.
        say: Is told one line at a time.
        stop: Set from outside to give up.
        environment: Settings.
        patience: Seconds until the first byte must be here.
    """

    entry: PinnedFile
    folder: Path
    say: Say
    stop: threading.Event
    environment: Mapping[str, str]
    patience: float = PATIENCE

    def go_on(self) -> None:
        """Return, unless somebody wants this to end.

        Raises:
            WeightsError: Somebody does.
        """
        if self.stop.is_set():
            raise WeightsError("stopped")


type Source = Callable[[Errand], Path]
"""Returns a file in the errand's folder, not verified yet; raises WeightsError when it has none."""


def megabytes(count: int) -> str:
    """Return a size as a person says it.

    >>> megabytes(1117320768)
    '1,117 MB'
    """
    return f"{round(count / 1e6):,} MB"


class Progress:
    """Says now and then how far a download is."""

    def __init__(self, errand: Errand, *, done: int) -> None:
        self._errand = errand
        self._first = done
        self._started = self._last = time.monotonic()

    def at(self, done: int) -> None:
        """Note how many bytes are here."""
        now = time.monotonic()
        if now - self._last < PROGRESS_INTERVAL:
            return
        self._last = now
        speed = (done - self._first) / (now - self._started)
        entry = self._errand.entry
        rest = f", about {round((entry.bytes - done) / speed)} s left" if speed else ""
        self._errand.say(f"{entry.name}: {megabytes(done)} of {megabytes(entry.bytes)}{rest}")
