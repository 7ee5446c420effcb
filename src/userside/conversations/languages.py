"""Names of languages as data sets write them, as the tags that everything else here uses."""

import regex

_TAG = regex.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8})*")
_BY_NAME = """
afrikaans af, albanian sq, amharic am, arabic ar, armenian hy, azerbaijani az, basque eu, belarusian be, bengali bn,
bokmal nb, bosnian bs, breton br, bulgarian bg, burmese my, catalan ca, chinese zh, corsican co, croatian hr, czech cs,
danish da, dutch nl, english en, esperanto eo, estonian et, faroese fo, filipino fil, finnish fi, french fr,
galician gl, ganda lg, georgian ka, german de, greek el, gujarati gu, hausa ha, hebrew he, hindi hi, hungarian hu,
icelandic is, igbo ig, indonesian id, interlingua ia, irish ga, italian it, japanese ja, javanese jv, kannada kn,
kazakh kk, khmer km, kinyarwanda rw, korean ko, kyrgyz ky, lao lo, latin la, latvian lv, lithuanian lt,
luxembourgish lb, macedonian mk, malagasy mg, malay ms, malayalam ml, maltese mt, maori mi, marathi mr, mongolian mn,
nepali ne, norwegian no, nynorsk nn, occitan oc, pashto ps, persian fa, polish pl, portuguese pt, punjabi pa,
romanian ro, russian ru, samoan sm, sanskrit sa, scots sco, serbian sr, shona sn, sindhi sd, sinhalese si, slovak sk,
slovene sl, slovenian sl, somali so, spanish es, sundanese su, swahili sw, swedish sv, tagalog tl, tajik tg, tamil ta,
tatar tt, telugu te, thai th, tibetan bo, tsonga ts, tswana tn, turkish tr, turkmen tk, ukrainian uk, urdu ur,
uyghur ug, uzbek uz, vietnamese vi, volapük vo, welsh cy, wolof wo, xhosa xh, yiddish yi, yoruba yo, zulu zu
"""
_TAGS = {entry.split()[0]: entry.split()[1] for entry in _BY_NAME.split(",")}
_NAMES = {tag: name.title() for name, tag in reversed(_TAGS.items())}


def language_tag(name: object) -> str | None:
    """Return the BCP 47 tag that a language's English name or tag means, None where it is not sure.

    Names that several languages share, such as Sotho or Sami, mean none.

    Example:
        >>> [language_tag(name) for name in ("English", "pt_BR", "Sotho", "unknown", None)]
        ['en', 'pt-BR', None, None, None]
    """
    if not isinstance(name, str):
        return None
    folded = name.strip().casefold()
    if folded in _TAGS:
        return _TAGS[folded]
    return name.strip().replace("_", "-") if _TAG.fullmatch(name.strip()) else None


def language_name(tag: str | None) -> str | None:
    """Return the English name of a language's tag, None where it is not known here.

    Example:
        >>> language_name("pt-BR"), language_name("ar"), language_name("tlh")
        ('Portuguese', 'Arabic', None)
    """
    return _NAMES.get((tag or "").split("-")[0].casefold())
