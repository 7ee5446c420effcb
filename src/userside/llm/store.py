"""Every answer that was ever received for a run, kept as it came; vectors of texts too.

SQLite in WAL mode, one commit an answer: what was committed survives `kill -9` and is never asked for again. Nothing is
overwritten. Verdicts are not stored: they are derived on reading, so a better parser costs nothing.
"""

import hashlib
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from pydantic import TypeAdapter
from pydantic_core import PydanticSerializationError

from userside.errors import RefusedError, RunError
from userside.llm.embeddings import Passage
from userside.llm.exchange import Reply, Request, Usage

_TABLES = """
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, identity TEXT NOT NULL, answer BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pending (key TEXT PRIMARY KEY, identity TEXT NOT NULL, request BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS embeddings (
    key TEXT PRIMARY KEY, identity TEXT NOT NULL, vector BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS subjects (subject TEXT, key TEXT, PRIMARY KEY (subject, key)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS subjects_of_key ON subjects (key);
CREATE TABLE IF NOT EXISTS tombstones (digest TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger (
    identity TEXT PRIMARY KEY, calls INTEGER NOT NULL DEFAULT 0, input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0, cost REAL NOT NULL DEFAULT 0, unpriced INTEGER NOT NULL DEFAULT 0,
    uncounted INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spend:
    """What a run has used so far, over all its resumptions.

    Attributes:
        calls: Answers received and paid for.
        input_tokens: Over the calls that said so.
        output_tokens: Over the calls that said so.
        cost: In US dollars, over the calls whose price is known.
        unpriced: Calls whose price is not known; they are not free, they are unknown.
        uncounted: Calls that reported no tokens.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    uncounted: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The endpoint's final word that it will not answer a request; stored like an answer."""

    reason: str
    message: str


type Answer = Reply | Refusal
type Waiting = Request | Passage
"""What can be answered elsewhere."""

_ANSWERS: TypeAdapter[Answer] = TypeAdapter(Reply | Refusal)
_REQUESTS: TypeAdapter[Waiting] = TypeAdapter(Request | Passage)


class AnswerStore:
    """The answers of one run, in one SQLite file.

    A key is answered once; later answers to it are ignored. A request has a set of subjects, and its answer goes when
    any of them is forgotten.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._database = sqlite3.connect(path, timeout=20, check_same_thread=False, isolation_level=None)
        try:
            for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "secure_delete=ON"):
                self._database.execute(f"PRAGMA {pragma}").fetchone()
            self._database.executescript(_TABLES)
        except sqlite3.DatabaseError as error:
            self._database.close()
            raise RunError(f"{path}: wanted a store of answers, and SQLite says {str(error)!r}").with_note(
                "Move the file away to begin with an empty store; its answers would then be asked for again."
            ) from None
        self._salt = self._setting("salt", default=secrets.token_hex(16))
        self._forgotten = {row[0] for row in self._database.execute("SELECT digest FROM tombstones")}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; the write-ahead log is folded in."""
        self._database.close()

    # Answers

    def find(self, key: str, *, subjects: Iterable[str] = ()) -> Answer | None:
        """Return the answer to a key, if there is one; `subjects` become its subjects too."""
        row = self._database.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        if row is None:
            return None
        self._add_subjects(key, set(subjects) - self.subjects_of(key))
        return _ANSWERS.validate_json(row[0])

    def keep(self, key: str, answer: Answer, *, identity: str, subjects: Iterable[str], cost: float | None) -> None:
        """Write one answer and what it cost, in one commit, before anyone acts on it."""
        with self._transaction():
            self._database.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?)", (key, identity, _bytes(answer)))
            self._database.execute("DELETE FROM pending WHERE key = ?", (key,))
            self._add_subjects(key, subjects)
            self._charge(identity, answer.usage if isinstance(answer, Reply) else Usage(), cost=cost)

    def _add_subjects(self, key: str, subjects: Iterable[str]) -> None:
        rows = [(subject, key) for subject in subjects]
        self._database.executemany("INSERT OR IGNORE INTO subjects VALUES (?, ?)", rows)

    def _charge(self, identity: str, usage: Usage, *, cost: float | None) -> None:
        counted = usage.input_tokens is not None and usage.output_tokens is not None
        self._database.execute(
            """INSERT INTO ledger VALUES (?, 1, ?, ?, ?, ?, ?) ON CONFLICT (identity) DO UPDATE SET calls = calls + 1,
            input_tokens = input_tokens + excluded.input_tokens, output_tokens = output_tokens + excluded.output_tokens,
            cost = cost + excluded.cost, unpriced = unpriced + excluded.unpriced,
            uncounted = uncounted + excluded.uncounted""",
            (identity, usage.input_tokens or 0, usage.output_tokens or 0, cost or 0.0, cost is None, not counted),
        )

    def count(self) -> int:
        """Return how many answers are kept, vectors not counted."""
        return int(self._database.execute("SELECT count(*) FROM answers").fetchone()[0])

    def spend(self) -> Spend:
        """Return what was used, all models and resumptions together."""
        row = self._database.execute(
            """SELECT sum(calls), sum(input_tokens), sum(output_tokens), sum(cost), sum(unpriced), sum(uncounted)
            FROM ledger"""
        ).fetchone()
        names = ("calls", "input_tokens", "output_tokens", "cost", "unpriced", "uncounted")
        return Spend(**dict(zip(names, (value or 0 for value in row), strict=True)))

    # Vectors

    def find_vectors(self, wanted: Mapping[str, frozenset[str]]) -> dict[str, bytes]:
        """Return the vectors that are kept, of the keys given; the subjects given with a key become its subjects."""
        found: dict[str, bytes] = {}
        for key, subjects in wanted.items():
            row = self._database.execute("SELECT vector FROM embeddings WHERE key = ?", (key,)).fetchone()
            if row is not None:
                found[key] = row[0]
                self._add_subjects(key, subjects - self.subjects_of(key))
        return found

    def keep_vectors(
        self,
        vectors: Mapping[str, bytes],
        subjects: Mapping[str, frozenset[str]],
        *,
        identity: str,
        usage: Usage | None,
        cost: float | None,
    ) -> None:
        """Write the vectors of one call and what it cost, in one commit; `subjects` are by key, as the vectors are.

        A call without `usage` was made on this machine, and is not in the ledger.
        """
        with self._transaction():
            for key, vector in vectors.items():
                self._database.execute("INSERT OR IGNORE INTO embeddings VALUES (?, ?, ?)", (key, identity, vector))
                self._database.execute("DELETE FROM pending WHERE key = ?", (key,))
                self._add_subjects(key, subjects[key])
            if usage is not None:
                self._charge(identity, usage, cost=cost)

    # Requests that wait for an answer from elsewhere

    def wait_for(self, key: str, request: Waiting, *, identity: str) -> None:
        """Record a request, or a passage to embed, as pending."""
        with self._transaction():
            self._database.execute(
                "INSERT OR IGNORE INTO pending VALUES (?, ?, ?)", (key, identity, _REQUESTS.dump_json(request))
            )
            self._add_subjects(key, request.subjects)

    def pending(self) -> Iterator[tuple[str, str, Waiting]]:
        """Yield key, identity and request of what waits, in order of key."""
        rows = self._database.execute("SELECT key, identity, request FROM pending ORDER BY key")
        for key, identity, request in rows:
            yield key, identity, _REQUESTS.validate_json(request)

    def subjects_of(self, key: str) -> frozenset[str]:
        """Return whom a request is about."""
        rows = self._database.execute("SELECT subject FROM subjects WHERE key = ?", (key,))
        return frozenset(subject for (subject,) in rows)

    # Forgetting

    def is_forgotten(self, subjects: Iterable[str]) -> bool:
        """Tell whether any of the subjects has withdrawn."""
        return bool(self._forgotten) and any(self._digest(subject) in self._forgotten for subject in subjects)

    def forget(self, subjects: Iterable[str]) -> int:
        """Return how many answers, vectors and pending requests were deleted with all their traces.

        A salted digest stays behind for each subject, so that a rerun does not ask about it again.
        """
        gone = 0
        with self._transaction():
            for subject in subjects:
                digest = self._digest(subject)
                self._forgotten.add(digest)
                self._database.execute("INSERT OR IGNORE INTO tombstones VALUES (?)", (digest,))
                keys = [
                    row[0] for row in self._database.execute("SELECT key FROM subjects WHERE subject = ?", (subject,))
                ]
                gone += sum(self._delete(key) for key in keys)
        # Deleted rows otherwise stay readable in the write-ahead log and in free pages.
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self._database.execute("VACUUM")
        self._database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return gone

    def _delete(self, key: str) -> int:
        answers = self._database.execute("DELETE FROM answers WHERE key = ?", (key,)).rowcount
        vectors = self._database.execute("DELETE FROM embeddings WHERE key = ?", (key,)).rowcount
        waiting = self._database.execute("DELETE FROM pending WHERE key = ?", (key,)).rowcount
        self._database.execute("DELETE FROM subjects WHERE key = ?", (key,))
        return answers + vectors + waiting

    def _digest(self, subject: str) -> str:
        return hashlib.sha256(f"{self._salt}\0{subject}".encode("utf-8", "surrogatepass")).hexdigest()

    # Bookkeeping

    def _setting(self, name: str, *, default: str) -> str:
        self._database.execute("INSERT OR IGNORE INTO settings VALUES (?, ?)", (name, default))
        return str(self._database.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()[0])

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._database)


class _Transaction:
    """BEGIN IMMEDIATE … COMMIT, or ROLLBACK when the block fails."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def __enter__(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.execute("COMMIT" if error is None else "ROLLBACK")


def _bytes(answer: Answer) -> bytes:
    try:
        return _ANSWERS.dump_json(answer)
    except PydanticSerializationError:
        # Half a surrogate pair, as a model cut off inside an emoji sends: UTF-8 has no bytes for it.
        match answer:
            case Reply(text=text):
                return _ANSWERS.dump_json(replace(answer, text=_repaired(text), raw={}))
            case Refusal(message=message):
                return _ANSWERS.dump_json(replace(answer, message=_repaired(message)))


def _repaired(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def reply_or_raise(answer: Answer) -> Reply:
    """Return the reply, or raise the refusal as when it first came.

    Raises:
        RefusedError: The stored answer is a refusal.
    """
    match answer:
        case Reply():
            return answer
        case Refusal(reason=reason, message=message):
            raise RefusedError(message, reason=reason)
