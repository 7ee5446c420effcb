"""Everything Userside raises for a reader to act on.

::

    UsersideError                 the message says where, what was wanted, what came
    ├── InputError                a file, a flag or a value cannot be used as it stands
    │   ├── FormatError           the bytes are not in the format that was named or found
    │   ├── LabelError            labels are missing, several, or of one class only
    │   ├── RubricError           a rubric cannot be used as written
    │   ├── PromptError           a prompt file lacks a blank, or names one nobody fills
    │   └── RunError              a run folder belongs to other work, or is damaged
    ├── MissingPartError          an optional part of Userside is not installed
    ├── StatisticsError           a figure was asked for that its input cannot give
    ├── ModelError                a model did not answer
    │   ├── UnknownModelError     no model of that name; or no such entry in the catalogue
    │   ├── AccessError           no key, a wrong key, no quota: every call would fail
    │   ├── RefusedError          this request will never be answered (too long, filtered, malformed)
    │   ├── RateLimitedError      asked too fast; says how long to wait
    │   └── TransientError        may work when asked again (timeouts, 5xx, broken connections)
    ├── AnswerPendingError        an answer is awaited from elsewhere (`batch`)
    ├── BudgetSpentError          `--max-calls` or `--max-cost` is reached
    └── WeightsError              the embedded model's weights are missing or not what was pinned

A `MissingPartError`, `InputError`, `UnknownModelError`, `AccessError` or `WeightsError` ends a command with
exit code 2; the others concern one answer, are counted, and make it 1.
"""

from typing import Self


class UsersideError(Exception):
    """Something the reader can act on; remedies are in `__notes__`."""

    def with_note(self, remedy: str) -> Self:
        """Return the same error with one sentence on what to do."""
        self.add_note(remedy)
        return self


class InputError(UsersideError):
    """A file, a flag or a value cannot be used as it stands."""


class FormatError(InputError):
    """Bytes are not in the format that was named or found."""


class LabelError(InputError):
    """Labels are missing, there are several kinds, or only one class."""


class RubricError(InputError):
    """A rubric cannot be used as written."""


class PromptError(InputError):
    """A prompt file lacks a blank, or names one that nobody fills."""


class RunError(InputError):
    """A run folder belongs to other work, or is damaged."""


class MissingPartError(UsersideError):
    """An optional part of Userside is not installed; the note says how to install it."""


class StatisticsError(UsersideError, ValueError):
    """A figure was asked for that its input cannot give."""


class ModelError(UsersideError):
    """A model did not answer."""


class UnknownModelError(ModelError):
    """No provider or catalogue entry has that name."""


class AccessError(ModelError):
    """No key, a wrong key or no quota: every further call would fail too."""


class RefusedError(ModelError):
    """This request will never be answered, however often it is sent.

    `reason` is one of `userside.llm.Reason` (as text): `context_window`, `content_filter`, `bad_request`
    or `forgotten`; or it is `schema`: the endpoint takes no JSON Schema, so that text is to be asked for instead.
    """

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class RateLimitedError(ModelError):
    """Asked too fast. `retry_after` is in seconds, None when the server did not say."""

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class TransientError(ModelError):
    """May work when asked again. `reason` is `timeout`, `server_error` or `connection`."""

    def __init__(self, message: str, *, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class AnswerPendingError(UsersideError):
    """An answer is awaited from elsewhere; it is recorded as pending."""


class BudgetSpentError(UsersideError):
    """The calls or the money that the user allowed are used up."""


class WeightsError(UsersideError):
    """Weights of the embedded model are missing, or are not the pinned ones."""
