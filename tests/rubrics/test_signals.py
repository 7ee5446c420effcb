"""Signals: what is counted, in which languages, and what cannot be known."""

import time

import pytest

from tests.rubrics.said import said
from userside.conversations import Conversation, Speaker, Turn
from userside.rubrics.signals import SIGNALS, extract_signals, lexicon_language, lexicon_languages

LEXICAL = [signal.name for signal in SIGNALS if signal.missing == "no word table"]


CASES: list[tuple[str, list[str], float]] = [
    ("thanks", ["Thank you!", "thanks, THX"], 3),
    ("thanks_at_end", ["thanks", "where is it?"], 0),
    ("thanks_at_end", ["where is it?", "I’d like that, thank you"], 1),
    ("praise", ["That is great", "it is not great, sorry to say"], 1),
    ("praise_at_end", ["where?", "Awesome"], 1),
    ("thanks_or_praise", ["Great, thanks", "ok", "perfect"], 2),
    ("goodbye_at_end", ["Hello", "No, that's all. Bye"], 1),
    ("polite_words", ["Could you book it, please?", "book it"], 0.5),
    ("opens_with_yes", ["Yes, book it", "I said yes"], 0.5),
    ("opens_with_no", ["No, the other", "No, thank you", "No, that's all"], 1 / 3),
    ("negation", ["I don't want it, not at all"], 100 * 2 / 7),
    ("complaint", ["This is useless", "It doesn’t work", "fine"], 2 / 3),
    ("correction", ["No, I meant Tuesday", "That's not what I asked for", "ok"], 2 / 3),
    ("asks_for_other", ["Is there anything else?", "ok"], 0.5),
    ("asks_for_human", ["Let me talk to a real person"], 1),
    ("gives_up", ["Never mind, I'll do it myself"], 1),
    ("questions", ["What is the address", "tell me", "Really?", "and this？"], 0.75),
    ("follow_ups", ["Where is it?", "When does it open?", "ok"], 1),
    ("exclamations", ["Great!!", "oh！", "no"], 1),
    ("piled_marks", ["What?!", "well...", "ok."], 2 / 3),
    ("capitals", ["I said NOT the USA, ok"], 2 / 6),
    ("glad_emoji", ["thanks 👍🏽 :)", "😂"], 2),
    ("sad_emoji", ["😡 >:( see https://a.b/c"], 2),
    ("repeats_itself", ["Where is my parcel today?", "where is my PARCEL, today", "a quite different thing"], 0.5),
    ("repetition", ["Where is my parcel?", "Where is my parcel?"], 1),
    ("short_answers", ["yes please", "I would like that"], 0.5),
    ("user_turns", ["a", " ", "b"], 2),
    ("words", ["one two", "three"], 3),
    ("words_a_turn", ["one", "one two three", "one two"], 2),
    ("first_words", ["one two", "one"], 2),
    ("language_mix", ["ab да"], 0.5),
]


@pytest.mark.parametrize(("name", "texts", "value"), CASES)
def test_each_signal_counts_what_it_says(name: str, texts: list[str], value: float) -> None:
    assert extract_signals(said(*texts, language="en"))[name] == pytest.approx(value)


def test_every_signal_has_a_case_and_an_explanation() -> None:
    assert {name for name, _, _ in CASES} == {signal.name for signal in SIGNALS}
    assert all(signal.explanation.endswith(".") and "\n" not in signal.explanation for signal in SIGNALS)


@pytest.mark.parametrize(
    ("language", "thanks", "praise", "complaint", "correction", "negation"),
    [
        (
            "es",
            "¡Muchas gracias!",
            "Me encanta, perfecto",
            "Esto no funciona",
            "No, quise decir otro día",
            "No quiero nada",
        ),
        (
            "de",
            "Vielen Dank",
            "Das ist großartig",
            "Das funktioniert nicht",
            "Nein, ich meinte Montag",
            "Ich will das nicht",
        ),
        ("fr", "Merci beaucoup", "C’est génial", "Ça ne marche pas", "Non, je voulais dire lundi", "Je ne veux rien"),
        ("pt-BR", "Muito obrigada", "Adorei, ótimo", "Isso não funciona", "Não, quis dizer segunda", "Não quero"),
        ("it", "Grazie mille", "È perfetto", "Non funziona", "No, intendevo lunedì", "Non voglio niente"),
        ("nl", "Dank je wel", "Geweldig, perfect", "Het werkt niet", "Nee, ik bedoelde maandag", "Ik wil dat niet"),
        ("zh-Hans", "谢谢你", "太好了，很棒", "这个没用，错了", "不是，我的意思是周一", "我不要这个"),
        ("zh-Hant", "謝謝", "很好，不錯", "太差了，沒用", "我的意思是別的", "我不要"),
        (
            "ja",
            "ありがとうございます",
            "素晴らしいですね",
            "役に立たないです",
            "そうじゃなくて、月曜です",
            "わからないです",
        ),
        ("ar", "شُكراً جزيلاً", "ممتاز، رائع", "هذا لا يعمل", "لا، أقصد يوم الاثنين", "لا أريد ذلك"),
        ("Russian", "Большое спасибо", "Отлично, супер", "Это не работает", "Нет, я имел в виду среду", "Я не хочу"),
        ("hi", "बहुत धन्यवाद", "यह शानदार है", "यह काम नहीं कर रहा", "नहीं, मेरा मतलब सोमवार", "मुझे नहीं चाहिए"),
        ("hi", "shukriya bhai", "bahut badhiya", "ye bekar hai", "mera matlab kal", "nahi chahiye"),
    ],
)
def test_words_are_known_in_other_languages(
    language: str, thanks: str, praise: str, complaint: str, correction: str, negation: str
) -> None:
    cases = {"thanks": thanks, "praise": praise, "complaint": complaint, "correction": correction, "negation": negation}
    found = {name: extract_signals(said(text, language=language))[name] or 0 for name, text in cases.items()}
    assert all(found.values()), found
    neither = extract_signals(said(thanks, language=language))
    assert (neither["complaint"], neither["correction"], neither["negation"]) == (0, 0, 0)


@pytest.mark.parametrize("text", ["不错", "不好意思", "差不多", "对不起"])
def test_a_negation_inside_a_chinese_word_is_none(text: str) -> None:
    assert extract_signals(said(text, language="zh"))["negation"] == 0


@pytest.mark.parametrize(
    ("texts", "declared", "found"),
    [
        (["Where is the station?"], None, "en"),
        (["I need a cheap hotel", "yes please"], None, "en"),
        (["Wo ist der Bahnhof? Ich brauche ein Hotel"], None, None),
        (["Où est la gare ? J'ai besoin d'un hôtel"], None, None),
        (["Merci"], None, None),
        (["Где вокзал?"], None, None),
        (["What is 駅前のホテルを予約してください in the evening"], None, None),
        (["12345"], None, None),
        ([], None, None),
        (["Where is it?"], "de", "de"),
        (["hola"], "es_MX", "es"),
        (["hello"], "English (UK)", "en"),
        (["สวัสดี"], "th", None),
        (["hello there, how are you"], "", "en"),
    ],
)
def test_the_word_table_is_the_declared_languages_or_plainly_english(
    texts: list[str], declared: str | None, found: str | None
) -> None:
    assert lexicon_language(said(*texts, language=declared)) == found


@pytest.mark.parametrize("language", ["th", "ko", "tlh"])
def test_without_a_word_table_what_needs_one_is_missing_and_never_zero(language: str) -> None:
    signals = extract_signals(said("ขอบคุณมากครับ!", "ok?", language=language))
    assert {signals[name] for name in LEXICAL} == {None}
    assert (signals["exclamations"], signals["questions"]) == (0.5, 0.5)
    assert signals["words"] == pytest.approx(1 + 13 / 4, abs=1)


@pytest.mark.parametrize(
    "turns",
    [
        (),
        (Turn(index=0, speaker=Speaker.SYSTEM, text="Be kind! Thanks"),),
        (Turn(index=0, speaker=Speaker.USER, text=" \n"),),
    ],
)
def test_without_user_text_nothing_is_known_but_that_there_is_none(turns: tuple[Turn, ...]) -> None:
    signals = extract_signals(Conversation(id="a", source="test", turns=turns, language="en"))
    assert signals.pop("user_turns") == 0  # type: ignore[attr-defined]
    assert set(signals.values()) == {None}


def test_only_user_turns_before_the_cut_are_read() -> None:
    conversation = said("Where is the cheap hotel?", "Thanks!!", language="en")
    assert extract_signals(conversation)["thanks"] == 1
    cut = extract_signals(conversation, until=2)
    assert (cut["thanks"], cut["exclamations"], cut["user_turns"]) == (0, 0, 1)


@pytest.mark.parametrize(
    ("text", "language", "words"),
    [
        ("谢谢你们", "zh", 2),
        ("خذني إلى المطار!", "ar", 3),
        ("मुझे नहीं चाहिए।", "hi", 3),
        ("ok \ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"), "en", 1),
    ],
)
def test_words_are_counted_in_any_script(text: str, language: str, words: float) -> None:
    assert extract_signals(said(text, language=language))["words"] == words


@pytest.mark.parametrize("unit", ["no ", "不", "!?", "\u0301", "a\u202eb ", "👍", " ,", "that's not what ", "x" * 50])
def test_a_huge_turn_is_read_fast(unit: str) -> None:
    text = (unit * 100_000)[:100_000]
    started = time.process_time()
    extract_signals(said(text, text, language="zh" if unit == "不" else "en"))
    assert time.process_time() - started < 5


def test_a_long_conversation_does_not_take_the_square_of_its_turns() -> None:
    conversation = said(*(f"Please tell me about station number {turn} now" for turn in range(2_000)), language="en")
    started = time.process_time()
    extract_signals(conversation)
    assert time.process_time() - started < 5


def test_every_table_has_every_cue() -> None:
    for language in lexicon_languages():
        signals = extract_signals(said("a b c d e f g h i j k", language=language))
        assert None not in {signals[name] for name in LEXICAL}, language
