"""Asking a model: one request at a time, each answer kept, each failure named."""

from userside.llm.asking import ask_question
from userside.llm.batch import Imported, export_requests, import_responses
from userside.llm.catalogue import CatalogueEntry, catalogue_entry, read_catalogue
from userside.llm.estimating import CountingModel, Estimate, approximate_tokens
from userside.llm.exchange import Finish, Message, Reply, Request, Role, Sampling, Usage
from userside.llm.forgetting import Forgotten, forget
from userside.llm.model import Capabilities, Model
from userside.llm.opening import ModelChoice, describe_model, open_model, read_model_name
from userside.llm.pacing import Pace, PacedModel
from userside.llm.prices import PriceList
from userside.llm.prompts import NOT_VALIDATED, Prompt, PromptSet, enclose, read_prompts, write_prompts
from userside.llm.questions import Check, Choice, Number, Question, Record, Text
from userside.llm.reading import read
from userside.llm.runs import Run, RunPlan, RunRecord, RunState, file_sha256, read_run, write_atomically
from userside.llm.scripted import ScriptedModel
from userside.llm.store import AnswerStore, Refusal, Spend
from userside.llm.stored import Budget, DeferredModel, Price, StoredModel
from userside.llm.verdicts import Elicited, Reason, Scored, Unscored, Verdict
from userside.llm.weights import find_weights, provide_weights
from userside.llm.yes_and_no import yes_no

__all__ = [
    "NOT_VALIDATED",
    "AnswerStore",
    "Budget",
    "Capabilities",
    "CatalogueEntry",
    "Check",
    "Choice",
    "CountingModel",
    "DeferredModel",
    "Elicited",
    "Estimate",
    "Finish",
    "Forgotten",
    "Imported",
    "Message",
    "Model",
    "ModelChoice",
    "Number",
    "Pace",
    "PacedModel",
    "Price",
    "PriceList",
    "Prompt",
    "PromptSet",
    "Question",
    "Reason",
    "Record",
    "Refusal",
    "Reply",
    "Request",
    "Role",
    "Run",
    "RunPlan",
    "RunRecord",
    "RunState",
    "Sampling",
    "Scored",
    "ScriptedModel",
    "Spend",
    "StoredModel",
    "Text",
    "Unscored",
    "Usage",
    "Verdict",
    "approximate_tokens",
    "ask_question",
    "catalogue_entry",
    "describe_model",
    "enclose",
    "export_requests",
    "file_sha256",
    "find_weights",
    "forget",
    "import_responses",
    "open_model",
    "provide_weights",
    "read",
    "read_catalogue",
    "read_model_name",
    "read_prompts",
    "read_run",
    "write_atomically",
    "write_prompts",
    "yes_no",
]
