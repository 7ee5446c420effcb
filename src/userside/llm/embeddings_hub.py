"""Any encoder of the hub by its name: its ONNX file and tokenizer are fetched once and pinned by what came.

No hash is known beforehand, so the first download is trusted; the hash of what came is part of the model's identity,
and vectors of other bytes are never mixed with its own. An ONNX file is a computation, not a program: it reads no
files and starts nothing.
"""

import hashlib
import http.client
import json
import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from userside.errors import UnknownModelError, WeightsError
from userside.llm.catalogue import HubFile
from userside.llm.embeddings_onnx import EncoderSettings, Pooling, read_pooling
from userside.llm.runs import file_sha256, write_atomically
from userside.llm.weights import allowed_sources, say_to_stderr, weights_folder
from userside.llm.weights_hub import NoSuchFileError, cause_of, hub_address, open_url
from userside.llm.weights_source import Say, megabytes

WEIGHTS = ("onnx/model.onnx", "model.onnx")
"""Where a repository has its ONNX file; the first that is there counts."""
TOKENIZER = "tokenizer.json"
POOLING = "1_Pooling/config.json"
LENGTH = "sentence_bert_config.json"
DEFAULT_WINDOW = 512
LARGEST = 4 << 30
"""Bytes; a file that is larger is not an encoder for one machine."""

_NAME = re.compile(r"(?!.*\.\.)[\w-][\w.-]*/[\w-][\w.-]*", re.ASCII)
_MANIFEST = "fetched.json"
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class HubEncoder:
    """An encoder that is here: how it is set up, and the SHA-256 of its weights."""

    settings: EncoderSettings
    sha256: str


def check_repository(name: str) -> None:
    """Return if this can be the name of a repository.

    Raises:
        UnknownModelError: It cannot.
    """
    if not _NAME.fullmatch(name):
        raise UnknownModelError(f"hub: wanted ORG/NAME, not {name!r}").with_note(
            "For example `hub:sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2`."
        )


def provide_encoder(
    repository: str,
    *,
    say: Say = say_to_stderr,
    stop: threading.Event | None = None,
    environment: Mapping[str, str] = os.environ,
) -> HubEncoder:
    """Return the encoder of a repository, fetched if it is not here.

    Raises:
        UnknownModelError: That is no name of a repository.
        WeightsError: The hub is out of reach or not allowed, or the repository lacks an ONNX file or a tokenizer.
    """
    check_repository(repository)
    folder = weights_folder(environment) / "hub" / repository.replace("/", "--")
    if not (folder / _MANIFEST).exists():
        if "hub" not in allowed_sources(environment):
            raise WeightsError(f"hub:{repository}: it is not here, and USERSIDE_WEIGHTS does not allow the hub")
        fetching = _Fetching(repository, folder, say, stop or threading.Event(), environment)
        try:
            fetching.fetch()
        except (OSError, http.client.HTTPException) as error:
            raise WeightsError(f"hub:{repository}: {cause_of(error)}").with_note(
                "HF_ENDPOINT names a mirror of the hub; `local:all-minilm-l6-v2` may come from the package registry."
            ) from None
    return _read(folder)


@dataclass(frozen=True, slots=True)
class _Fetching:
    repository: str
    folder: Path
    say: Say
    stop: threading.Event
    environment: Mapping[str, str]

    def fetch(self) -> None:
        """Fetch what is needed; the manifest comes last, so that half an encoder is never used."""
        weights = next((file for file in WEIGHTS if self._got(file)), None)
        if weights is None or not self._got(TOKENIZER):
            lacking = TOKENIZER if weights else WEIGHTS[0]
            raise WeightsError(f"hub:{self.repository}: the repository has no {lacking}").with_note(
                "Choose one that has an ONNX file, or serve the model and name it `openai:NAME --base-url URL`."
            )
        for optional in (f"{weights}_data", POOLING, LENGTH):
            self._got(optional)
        sha256 = file_sha256(self.folder / weights)
        self.say(f"hub:{self.repository}: kept in {self.folder} (SHA-256 of the weights {sha256[:12]}…)")
        write_atomically(self.folder / _MANIFEST, json.dumps({"weights": weights, "sha256": sha256}) + "\n")

    def _got(self, file: str) -> bool:
        """Tell whether the repository has the file, which is here then."""
        target = self.folder / file
        if target.exists():
            return True
        url = hub_address(HubFile(repository=self.repository, file=file), self.environment)
        try:
            response = open_url(url)
        except NoSuchFileError:
            return False
        with response:
            self._receive(response, target, url)
        return True

    def _receive(self, response: http.client.HTTPResponse, target: Path, url: str) -> None:
        length = response.headers.get("Content-Length")
        if length:
            self.say(f"hub:{self.repository}: fetching {target.name}, {megabytes(int(length))}, from {url}")
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name(f"{target.name}.part")
        with part.open("wb") as sink:
            while chunk := response.read1(_CHUNK):
                sink.write(chunk)
                if self.stop.is_set() or sink.tell() > LARGEST:
                    raise WeightsError(f"{url}: {'stopped' if self.stop.is_set() else f'larger than {LARGEST} bytes'}")
            if length and sink.tell() != int(length):
                raise http.client.IncompleteRead(b"", int(length) - sink.tell())
        part.replace(target)


def _read(folder: Path) -> HubEncoder:
    try:
        manifest: dict[str, Any] = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        pooling, length = folder / POOLING, folder / LENGTH
        said: dict[str, Any] = json.loads(length.read_text(encoding="utf-8")) if length.exists() else {}
        settings = EncoderSettings(
            weights=folder / str(manifest["weights"]),
            tokenizer=folder / TOKENIZER,
            window=int(said.get("max_seq_length") or DEFAULT_WINDOW),
            pooling=read_pooling(pooling.read_text(encoding="utf-8")) if pooling.exists() else Pooling.MEAN,
        )
        return HubEncoder(settings=settings, sha256=str(manifest["sha256"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise WeightsError(f"{folder}: this is not what was fetched ({error!r})").with_note(
            "Delete the folder so that it is fetched again."
        ) from None


def revision_of(encoder: HubEncoder) -> str:
    """Return what names the bytes: the start of a hash over weights, tokenizer and how they are used."""
    settings = encoder.settings
    parts = (encoder.sha256, file_sha256(settings.tokenizer), str(settings.window), settings.pooling.value)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
