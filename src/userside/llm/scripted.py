"""A model that answers from a script: for tests, tutorials and dry thinking. It is a product, not a mock."""

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from userside.errors import FormatError, ModelError
from userside.llm.exchange import Reply, Request
from userside.llm.model import Capabilities

type Answer = Reply | str | ModelError
type Script = Iterable[Answer] | Callable[[Request], Answer]


@dataclass(slots=True)
class ScriptedModel:
    """A model that answers from a list, or by calling a function of the request.

    An answer that is an error is raised, so that every failure can be rehearsed. What was asked is kept in `asked`.

    >>> import asyncio
    >>> from userside.llm import Message, Request, Role
    >>> model = ScriptedModel(["7"])
    >>> asyncio.run(model.ask(Request(messages=(Message(role=Role.USER, text="Rate this."),)))).text
    '7'
    >>> len(model.asked)
    1
    """

    script: Script
    name: str = "scripted"
    capabilities: Capabilities = Capabilities()
    asked: list[Request] = field(default_factory=list[Request])

    def __post_init__(self) -> None:
        if not callable(self.script):
            self.script = _reader(iter(self.script))

    @property
    def identity(self) -> str:
        """Return the script's name; two scripts of one name count as one model."""
        return f"scripted:{self.name}"

    async def ask(self, request: Request) -> Reply:
        """Return, or raise, what the script says."""
        self.asked.append(request)
        await asyncio.sleep(0)  # as a real model would, let others go on meanwhile
        assert callable(self.script)  # noqa: S101 - made so in __post_init__
        match self.script(request):
            case Reply() as reply:
                return reply
            case str(text):
                return Reply(text=text)
            case ModelError() as error:
                raise error


def _reader(answers: "Iterable[Answer]") -> Callable[[Request], Answer]:
    iterator = iter(answers)

    def following(request: Request) -> Answer:
        for answer in iterator:
            return answer
        question = request.messages[-1].text
        raise AssertionError(f"the script ran out at the question {question!r}")

    return following


def read_script(path: Path) -> list[Answer]:
    """Return the answers of a script file: one JSON object a line, `{"text": "…"}`.

    Raises:
        FormatError: A line is no such object.
    """
    answers: list[Answer] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            answers.append(Reply(text=str(json.loads(line)["text"])))
        except (ValueError, KeyError, TypeError):
            raise FormatError(f'{path}:{number}: wanted {{"text": "…"}}, not {line[:80]!r}') from None
    return answers
