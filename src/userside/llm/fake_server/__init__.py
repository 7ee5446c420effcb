"""A fake OpenAI-compatible endpoint over real HTTP, for tests, benchmarks and rehearsals: a product, not a mock."""

from userside.llm.fake_server.answers import answer, fill, question_of
from userside.llm.fake_server.faults import Fault, Lasting, Rule, read_rule
from userside.llm.fake_server.server import Answer, Behaviour, FakeServer, FakeServerThread, ServerTally

__all__ = [
    "Answer",
    "Behaviour",
    "FakeServer",
    "FakeServerThread",
    "Fault",
    "Lasting",
    "Rule",
    "ServerTally",
    "answer",
    "fill",
    "question_of",
    "read_rule",
]
