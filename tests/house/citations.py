"""Citations such as `Feldman & Zrnic 2021, Thm 4.3`, and the works they may name.

The key of a work is what is cited, in lower case without accents: `feldman-zrnic-2021`; beyond
three authors `dwork-et-al-2006`.  All authors may be named all the same.
"""

from __future__ import annotations

import calendar
import re
import unicodedata

_NAME = r"(?:(?:[Dd]e|[Vv]an|[Vv]on) )?[A-ZÀ-ÖØ-ÞŁŚŠŽ][\w’'-]+"
_CITATION = re.compile(
    rf"({_NAME}(?: et al\.|(?:, {_NAME})* & {_NAME})?) \(?((?:19|20)\d\d[a-z]?)\b(?![-.]\d)"
)
_MONTHS = set(calendar.month_name)
_ENTRY = re.compile(r"^@\w+\{([^,\s]+),\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*?)\},?$", re.MULTILINE)
_MOST = 3  # authors that a key names


def cited(text: str) -> set[str]:
    """The keys of the works that a text cites, as it writes them."""
    flat = re.sub(r"\s*\n[\s#]*", " ", text)
    found = [match for match in _CITATION.finditer(flat) if match[1] not in _MONTHS]
    return {key(re.split(r", | & ", match[1]), match[2]) for match in found}


def works(bibliography: str) -> dict[str, set[str]]:
    """Each work's key, with all ways to cite it as keys."""
    entries = {}
    for name, body in _ENTRY.findall(bibliography):
        fields = dict(_FIELD.findall(body))
        authors = [author.split(",")[0] for author in fields["author"].split(" and ")]
        letter = name[-1] if name[-1].isalpha() else ""
        few = authors if len(authors) <= _MOST else [f"{authors[0]} et al."]
        ways = [key(names, fields["year"] + letter) for names in (few, authors)]
        if name != ways[0]:
            raise ValueError(f"the key of {name} should be {ways[0]}")
        if name in entries:
            raise ValueError(f"{name} stands twice")
        entries[name] = set(ways)
    return entries


def key(names: list[str], year: str) -> str:
    """Names and year as a key."""
    plain = unicodedata.normalize("NFKD", f"{' '.join(names)} {year}".replace("ł", "l"))
    return "-".join(re.findall(r"[a-z0-9]+", plain.encode("ascii", "ignore").decode().lower()))
