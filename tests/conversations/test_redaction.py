"""Personal data that has a shape: what is found, what is not, and what a redacted conversation looks like."""

import re
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from userside.conversations import (
    Conversation,
    Feedback,
    Part,
    PartKind,
    PersonalKind,
    Pseudonyms,
    Speaker,
    Turn,
    find_personal,
    redact,
    redact_text,
)

POSITIVES = [
    # e-mail
    ("email", "Write to ada@example.org please", "ada@example.org"),
    ("email", "ADA.Lovelace+bills@Mail.Example.co.uk.", "ADA.Lovelace+bills@Mail.Example.co.uk"),
    ("email", "<ada@example.org>", "ada@example.org"),
    ("email", "mailto:ada_l@example.org?subject=x", "ada_l@example.org"),
    ("email", "ada [at] example (dot) org", "ada [at] example (dot) org"),
    ("email", "jürgen@müller.example", "jürgen@müller.example"),
    ("email", "ada\u200b@exam\u200bple.org", "ada\u200b@exam\u200bple.org"),
    ("email", "ada＠example．org", "ada＠example．org"),
    ("email", "'o'brien@example.org'", "o'brien@example.org"),
    # telephone
    ("phone", "ring +44 20 7946 0958 now", "+44 20 7946 0958"),
    ("phone", "+1 (415) 555-2671", "+1 (415) 555-2671"),
    ("phone", "+4915112345678", "+4915112345678"),
    ("phone", "0044 20 7946 0958", "0044 20 7946 0958"),
    ("phone", "their number is 01223 351880.", "01223 351880"),
    ("phone", "01223351880", "01223351880"),
    ("phone", "06 12 34 56 78", "06 12 34 56 78"),
    ("phone", "(030) 123 45 67", "(030) 123 45 67"),
    ("phone", "0171/1234567", "0171/1234567"),
    ("phone", "(415) 555-2671", "(415) 555-2671"),
    ("phone", "415-555-2671", "415-555-2671"),
    ("phone", "415.555.2671", "415.555.2671"),
    ("phone", "1-800-555-0199", "1-800-555-0199"),
    ("phone", "tel: 555 2671", "555 2671"),
    ("phone", "my mobile is 4155552671", "4155552671"),
    ("phone", "it can be reached at 1 40 62 05 00.", "1 40 62 05 00"),
    ("phone", "+٤٤ ٢٠ ٧٩٤٦ ٠٩٥٨", "+٤٤ ٢٠ ٧٩٤٦ ٠٩٥٨"),
    ("phone", "+44\xa020\u20117946\u20110958", "+44\xa020\u20117946\u20110958"),
    # payment card
    ("card", "card 4111 1111 1111 1111 thanks", "4111 1111 1111 1111"),
    ("card", "4111111111111111", "4111111111111111"),
    ("card", "5500-0000-0000-0004", "5500-0000-0000-0004"),
    ("card", "3782 822463 10005", "3782 822463 10005"),
    ("card", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"),
    ("card", "４１１１ １１１１ １１１１ １１１１", "４１１１ １１１１ １１１１ １１１１"),
    ("card", "4111\u200b1111\u200b1111\u200b1111", "4111\u200b1111\u200b1111\u200b1111"),
    ("card", "4111 1111 1111 1111 12/27 123", "4111 1111 1111 1111"),
    # IBAN
    ("iban", "GB82 WEST 1234 5698 7654 32 is mine", "GB82 WEST 1234 5698 7654 32"),
    ("iban", "DE89370400440532013000", "DE89370400440532013000"),
    ("iban", "de89 3704 0044 0532 0130 00", "de89 3704 0044 0532 0130 00"),
    ("iban", "FR14-2004-1010-0505-0001-3M02-606", "FR14-2004-1010-0505-0001-3M02-606"),
    # IP
    ("ip", "from 203.0.113.9.", "203.0.113.9"),
    ("ip", "http at 192.168.1.20:8080", "192.168.1.20"),
    ("ip", "2001:db8::8a2e:370:7334", "2001:db8::8a2e:370:7334"),
    ("ip", "::ffff:203.0.113.9", "::ffff:203.0.113.9"),
    # web addresses
    ("url", "see https://ada:secret@example.org/x, ok", "https://ada:secret@example.org/x"),
    ("url", "https://example.org/a?x=1&access_token=abc", "https://example.org/a?x=1&access_token=abc"),
    ("url", "https://b.example/o?X-Amz-Signature=12ab", "https://b.example/o?X-Amz-Signature=12ab"),
    ("url", "(https://example.org/cb#session=77)", "https://example.org/cb#session=77"),
    ("url", "postgres://app:pw@203.0.113.9/db", "postgres://app:pw@203.0.113.9/db"),
    # keys
    ("key", "sk-proj-abcDEF1234567890abcd", "sk-proj-abcDEF1234567890abcd"),
    ("key", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"),
    ("key", "AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
    ("key", "Authorization: Bearer mF_9.B5f-4.1JqM", "mF_9.B5f-4.1JqM"),
    ("key", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3"),
    ("key", "password=hunter", "hunter"),
    ("key", 'DB_PASSWORD="correct horse"', "correct horse"),
    ("key", "my password is hunter2!", "hunter2"),
    ("key", "Passwort: geheim", "geheim"),
    ("key", "my pin is 4821.", "4821"),
    ("key", "OPENAI_API_KEY=abcd1234efgh", "abcd1234efgh"),
    (
        "key",
        "x -----BEGIN RSA PRIVATE KEY-----\nMIIabc+/=\n-----END RSA PRIVATE KEY----- y",
        "-----BEGIN RSA PRIVATE KEY-----\nMIIabc+/=\n-----END RSA PRIVATE KEY-----",
    ),
]

NEGATIVES = [
    "order number 123456789",
    "booking reference 4155552671",
    "4111 1111 1111 1112",
    "on 01.02.2024 at 10:30",
    "01/02/2024 10:30",
    "2024-01-02T10:11:12Z",
    "2024-01-02 2024-01-05 2024-02-10",
    "open 0800-1200 0900-1300",
    "call me at 10:30 on 12.05.2024",
    "it costs 1,234,567.89 or $415-555",
    "3.14159265",
    "0.0123456789",
    "version 10.2.3.4",
    "v1.2.3.4",
    "see section 1.2.3.4",
    "127.0.0.1 and 0.0.0.0",
    "999.1.1.1",
    "at 12:30:45",
    "std::vector and dead::beef",
    "GB83 WEST 1234 5698 7654 32",
    "https://example.org/a?page=2&sort=name",
    "the password is incorrect",
    "forgot my password",
    "bearer of good news",
    "sk-learn-contrib-something-long",
    "risk-management-framework-1234",
    "token = next",
    "550e8400-e29b-41d4-a716-446655440000",
    "12345678-1234-1234-1234-123456789012",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "1 2 3 4 5 6 7 8 9",
    "@mention and a@b",
    "100 000 000 people",
    "NAME_1 wrote to [EMAIL_3], password=[KEY_1]",
    "https://example.org/?token=[KEY_2]",
    "",
]


@pytest.mark.parametrize(("kind", "text", "what"), POSITIVES)
def test_what_is_found(kind: str, text: str, what: str) -> None:
    findings = find_personal(text)
    assert [(finding.kind, text[finding.start : finding.end]) for finding in findings] == [(kind, what)]


@pytest.mark.parametrize("text", NEGATIVES)
def test_what_is_not_found(text: str) -> None:
    assert find_personal(text) == ()


def test_the_same_value_has_the_same_name_however_it_is_written() -> None:
    text = "+44 20 7946 0958, 0044 (20) 7946-0958, +33 6 12 34 56 78; A@x.org a@X.org b@x.org"
    clean, tally = redact_text(text, Pseudonyms())
    assert clean == "[PHONE_1], [PHONE_1], [PHONE_2]; [EMAIL_1] [EMAIL_1] [EMAIL_2]"
    assert tally == {PersonalKind.PHONE: 3, PersonalKind.EMAIL: 3}


def test_overlapping_findings_become_one_that_covers_all() -> None:
    assert redact_text("password=ada@example.org,4111111111111111", Pseudonyms())[0] == "password=[KEY_1],[CARD_1]"
    assert redact_text("https://u:p@203.0.113.9/?token=ab", Pseudonyms())[0] == "[URL_1]"


def test_names_of_an_earlier_redaction_are_not_given_away() -> None:
    assert redact_text("[EMAIL_1] knows ada@example.org", Pseudonyms())[0] == "[EMAIL_1] knows [EMAIL_2]"


MAIL = "ada@example.org"


def _told_everywhere() -> Conversation:
    raw: Any = {"to": MAIL, MAIL: [MAIL, 4111111111111111, 7, True, None]}
    part = Part(kind=PartKind.TOOL_CALL, text=MAIL, name=MAIL, url=f"mailto:{MAIL}", raw=raw, metadata={"a": MAIL})
    turn = Turn(index=0, speaker=Speaker.USER, text=f"I am {MAIL}", parts=(part,), name=MAIL, metadata={"a": [MAIL]})
    said = Feedback(
        by=MAIL, purpose=MAIL, outcome=MAIL, description=MAIL, answers={"who": MAIL, "n": 3}, metadata={"x": (MAIL,)}
    )
    return Conversation(
        id="c1",
        source="test",
        turns=(turn, Turn(index=1, speaker=Speaker.ASSISTANT, text="NAME_1, noted.")),
        title=f"Re: {MAIL}",
        contributor=MAIL,
        completeness_reasons=(MAIL,),
        feedback=(said,),
        metadata={"deep": {"er": MAIL}},
    )


def test_every_place_of_a_conversation_is_redacted_and_counted() -> None:
    clean, tally = redact(_told_everywhere(), Pseudonyms())
    assert MAIL not in repr(clean)
    assert "4111111111111111" not in repr(clean)
    assert tally == {PersonalKind.EMAIL: 20, PersonalKind.CARD: 1}
    assert clean.turns[0].text == "I am [EMAIL_1]"
    assert clean.turns[0].parts is not None
    assert clean.turns[0].parts[0].raw == {"to": "[EMAIL_1]", "[EMAIL_1]": ["[EMAIL_1]", "[CARD_1]", 7, True, None]}
    assert clean.turns[1].text == "NAME_1, noted."
    assert clean.id == "c1"


def test_redacting_a_conversation_again_changes_nothing() -> None:
    once, _ = redact(_told_everywhere(), Pseudonyms())
    assert redact(once, Pseudonyms()) == (once, {})


def test_one_set_of_pseudonyms_names_alike_across_conversations() -> None:
    shared = Pseudonyms()
    first, _ = redact(Conversation(id="a", source="t", title=MAIL), shared)
    second, _ = redact(Conversation(id="b", source="t", title=f"x@y.org {MAIL}"), shared)
    assert (first.title, second.title) == ("[EMAIL_1]", "[EMAIL_2] [EMAIL_1]")


FRAGMENTS = [what for _, _, what in POSITIVES] + [
    *NEGATIVES,
    "password=",
    "Bearer ",
    "https://",
    "tel ",
    "@",
    "[EMAIL_1]",
]
HOSTILE = st.lists(
    st.one_of(
        st.sampled_from(FRAGMENTS),
        st.text(alphabet="0123456789 -./()+@:[]_=abAKIN\u200b٣", max_size=30),
        st.integers(min_value=0, max_value=10**20).map(str),
    ),
    max_size=8,
).map("".join)


def _is_luhn_valid(digits: str) -> bool:
    values = [int(digit) for digit in reversed(digits)]
    return (
        sum(value if place % 2 == 0 else (2 * value - 1) % 9 + 1 if value else 0 for place, value in enumerate(values))
        % 10
        == 0
    )


@settings(max_examples=300, deadline=None)
@given(HOSTILE)
def test_redaction_is_idempotent_bounded_and_leaves_no_card(text: str) -> None:
    clean, tally = redact_text(text, Pseudonyms())
    again, nothing = redact_text(clean, Pseudonyms())
    assert (again, nothing) == (clean, {})
    assert len(clean) <= len(text) + 16 * sum(tally.values())
    runs = re.findall(r"(?<!\d)\d{13,19}(?!\d)", clean.replace("\u200b", ""))
    assert not [run for run in runs if _is_luhn_valid(run)]


@settings(max_examples=200, deadline=None)
@given(HOSTILE)
def test_findings_are_in_order_inside_the_text_and_apart(text: str) -> None:
    ends = [0]
    for finding in find_personal(text):
        assert ends[-1] <= finding.start < finding.end <= len(text)
        ends.append(finding.end)


SIZE = 200_000
ADVERSARIAL = [
    *("a", "1", "1 ", "0 ", "444 ", "1-", "a@", "@a.", "@a", "a.", "+1", "+1 (", "00", "::", "a:", "1.", "://", "a://"),
    *("eyJ", "eyJaaaaaaaa.", "-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\n", "password", "password="),
    *(
        "token: ",
        "tel ",
        "tel:",
        "bearer ",
        "GB82",
        "GB82 ",
        "sk-",
        "(at)",
        " [at] a.",
        "https://a?",
        "https://a?token=",
    ),
    *("\u200b", "1\u200b", "é@é.", "[KEY_1]", "pass", '"', "password is "),
]


@pytest.mark.parametrize("seed", ADVERSARIAL)
def test_time_is_in_proportion_to_length(seed: str) -> None:
    text = (seed * (SIZE // len(seed) + 1))[:SIZE]
    # the better of two: the machine may be busy with something else
    assert _seconds(text) < 1 or _seconds(text) < 1


def _seconds(text: str) -> float:
    started = time.process_time()
    find_personal(text)
    return time.process_time() - started
