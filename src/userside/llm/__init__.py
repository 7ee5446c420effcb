"""Asking a model: one request at a time, each answer kept, each failure named."""

from userside.llm.exchange import Finish, Message, Reply, Request, Role, Sampling, Usage
from userside.llm.model import Capabilities, Model
from userside.llm.scripted import ScriptedModel
from userside.llm.verdicts import Elicited, Reason, Scored, Unscored, Verdict

__all__ = [
    "Capabilities",
    "Elicited",
    "Finish",
    "Message",
    "Model",
    "Reason",
    "Reply",
    "Request",
    "Role",
    "Sampling",
    "Scored",
    "ScriptedModel",
    "Unscored",
    "Usage",
    "Verdict",
]
