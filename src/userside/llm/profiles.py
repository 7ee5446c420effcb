"""What one endpoint can be sent: known at first from its kind, then learnt from what it refuses."""

import re
from dataclasses import dataclass, field

UNSUPPORTED = re.compile(
    r"unsupported|not (?:yet )?(?:be )?(?:supported|permitted|allowed|available)|does(?:n't| not) (?:support|accept)|"
    r"unrecogni[sz]ed|unknown|unexpected|extra (?:fields|inputs)|no longer|"
    r"cannot be (?:set|used|specified)|only the default",
    re.IGNORECASE,
)
SCHEMA_WORDS = re.compile(r"response_format|json_schema|output_config|structured output|guided|grammar", re.IGNORECASE)
OPTIONAL = ("temperature", "top_p", "seed")
LENGTH_FIELDS = ("max_completion_tokens", "max_tokens")
TOP_LOGPROBS = (20, 5)
"""How many token probabilities to ask for: the most that OpenAI and vLLM give, then what stricter endpoints give."""


@dataclass(slots=True, kw_only=True)
class EndpointProfile:
    """What one endpoint takes. It changes as the endpoint refuses things, for the life of the process.

    Attributes:
        length_field: Its name for the most tokens of an answer.
        refused: Optional parameters it does not take: they are left out.
        schema: It takes a JSON Schema.
        top_logprobs: How many token probabilities it gives; 0 is none.
    """

    length_field: str = LENGTH_FIELDS[0]
    refused: set[str] = field(default_factory=set[str])
    schema: bool = True
    top_logprobs: int = TOP_LOGPROBS[0]

    def learn(self, complaint: str, *, sent: frozenset[str]) -> bool:
        """Take in a 400's text; return whether the same question can be sent again in another way.

        Args:
            complaint: What the endpoint said, with the name of the parameter if it gave one.
            sent: Names of the parameters that the refused request had.
        """
        if "response_format" in sent and SCHEMA_WORDS.search(complaint):
            self.schema = False
            return False  # the question must be put in other words
        if "top_logprobs" in sent and re.search(r"logprobs|log probabilities", complaint):
            self._ask_for_fewer(complaint)
            return True
        if not UNSUPPORTED.search(complaint):
            return False
        named = {name for name in (*OPTIONAL, *LENGTH_FIELDS) if name in sent and _names(complaint, name)}
        self.refused |= named & set(OPTIONAL)
        for name in named & set(LENGTH_FIELDS):
            self.length_field = next(other for other in LENGTH_FIELDS if other != name)
        return bool(named)

    def _ask_for_fewer(self, complaint: str) -> None:
        fewer = [count for count in TOP_LOGPROBS if count < self.top_logprobs]
        self.top_logprobs = fewer[0] if fewer and not UNSUPPORTED.search(complaint) else 0


def _names(complaint: str, parameter: str) -> bool:
    return re.search(rf"(?<![a-z_]){parameter}(?![a-z_])", complaint) is not None
