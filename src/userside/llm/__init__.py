"""Asking a model: one request at a time, each answer kept, each failure named."""

from userside.llm.asking import ask_question
from userside.llm.batch import Imported, export_requests, import_responses
from userside.llm.catalogue import (
    CatalogueEntry,
    EncoderEntry,
    PinnedFile,
    catalogue_entry,
    encoder_entry,
    read_catalogue,
    read_encoders,
)
from userside.llm.embeddings import Embedder, EmbeddingModel, Encoded, Passage, Vectors, cosine, unit_rows
from userside.llm.embeddings_hashing import HashingEmbeddingModel
from userside.llm.embeddings_opening import open_embedder, read_embedder_name, store_embedder
from userside.llm.embeddings_paced import PacedEmbeddingModel
from userside.llm.embeddings_stored import DeferredEmbeddingModel, StoredEmbedder
from userside.llm.estimating import CountingEmbeddingModel, CountingModel, Estimate, approximate_tokens
from userside.llm.exchange import Finish, Message, Reply, Request, Role, Sampling, Usage
from userside.llm.forgetting import Forgotten, forget
from userside.llm.formats import NOTHING
from userside.llm.model import Capabilities, Model
from userside.llm.opening import ModelChoice, describe_model, open_model, read_model_name
from userside.llm.pacing import Pace, PacedModel, Pacer
from userside.llm.prices import PriceList
from userside.llm.prompts import NOT_VALIDATED, Prompt, PromptSet, read_prompts, write_prompts
from userside.llm.questions import Check, Choice, Entry, Listing, Number, Question, Record, Text
from userside.llm.reading import read
from userside.llm.runs import Run, RunPlan, RunRecord, RunState, file_sha256, read_run, write_atomically
from userside.llm.scripted import ScriptedModel
from userside.llm.store import AnswerStore, Refusal, Spend
from userside.llm.stored import Budget, DeferredModel, Price, StoredModel
from userside.llm.verdicts import Elicited, Reason, Scored, Unscored, Verdict
from userside.llm.weights import find_weights, provide_weights
from userside.llm.yes_and_no import yes_no

__all__ = [
    "NOTHING",
    "NOT_VALIDATED",
    "AnswerStore",
    "Budget",
    "Capabilities",
    "CatalogueEntry",
    "Check",
    "Choice",
    "CountingEmbeddingModel",
    "CountingModel",
    "DeferredEmbeddingModel",
    "DeferredModel",
    "Elicited",
    "Embedder",
    "EmbeddingModel",
    "Encoded",
    "EncoderEntry",
    "Entry",
    "Estimate",
    "Finish",
    "Forgotten",
    "HashingEmbeddingModel",
    "Imported",
    "Listing",
    "Message",
    "Model",
    "ModelChoice",
    "Number",
    "Pace",
    "PacedEmbeddingModel",
    "PacedModel",
    "Pacer",
    "Passage",
    "PinnedFile",
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
    "StoredEmbedder",
    "StoredModel",
    "Text",
    "Unscored",
    "Usage",
    "Vectors",
    "Verdict",
    "approximate_tokens",
    "ask_question",
    "catalogue_entry",
    "cosine",
    "describe_model",
    "encoder_entry",
    "export_requests",
    "file_sha256",
    "find_weights",
    "forget",
    "import_responses",
    "open_embedder",
    "open_model",
    "provide_weights",
    "read",
    "read_catalogue",
    "read_embedder_name",
    "read_encoders",
    "read_model_name",
    "read_prompts",
    "read_run",
    "store_embedder",
    "unit_rows",
    "write_atomically",
    "write_prompts",
    "yes_no",
]
