# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""What the authors of the papers measured: bench/studies/authors.json. Pages quote it by name, so
no number of a paper is typed twice. `{tam.gain}` in a text of a study becomes "3x to 29x"."""

import contextlib
import json
import os
import re
import textwrap

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "studies", "authors.json")
NAME = re.compile(r"\{(\w+)\.(\w+)\}")
# A number, except inside a word (DIST3D, SX-4) and as the name of a request level or a chapter.
TYPED = re.compile(r"(?<![\w-])(?<!level )(?<!levels )\d")
THEIRS = re.compile(r"\b[Aa]uthors?\b|\bpublished\b|\b[Tt]heirs?\b")
SENTENCE = re.compile(r"(?<=[.:;])\s+")


def load():
    with open(PATH, encoding="utf-8") as file:
        return json.load(file)


ALL = load()
_used = set()


def value(name):
    """The entry "tam.gain": text, and low and high where it can be drawn."""
    paper, key = name.split(".")
    _used.add(name)
    return ALL[paper][key]


def unused():
    """Names that no page has asked for since the program started."""
    return [f"{paper}.{key}" for paper, keys in ALL.items() for key in keys
            if f"{paper}.{key}" not in _used]


def fill(text):
    """The text with the authors' words in place of their names."""
    return NAME.sub(lambda found: value(f"{found[1]}.{found[2]}")["text"], text)


def paragraph(text):
    """The filled text, wrapped again."""
    return textwrap.fill(" ".join(fill(text).split()), 100, break_long_words=False,
                         break_on_hyphens=False)


@contextlib.contextmanager
def _blank():
    """Every text of the authors without a number, so that a number that is left was typed."""
    entries = [entry for keys in ALL.values() for entry in keys.values()]
    kept = [dict(entry) for entry in entries]
    for entry in entries:
        entry.update({k: re.sub(r"\d", "x", v) for k, v in entry.items() if isinstance(v, str)})
    try:
        yield
    finally:
        for entry, old in zip(entries, kept):
            entry.update(old)


def _sentences(text):
    """Sentences that are about the authors."""
    return [part for part in SENTENCE.split(" ".join(text.split())) if THEIRS.search(part)]


def _drawn(study, results):
    """Lines of a study's own sections: all of a section with the authors in its heading."""
    with _blank():
        lines = study.more(results) if hasattr(study, "more") else []
    whole = False
    for line in lines:
        if line.startswith("#"):
            whole = bool(THEIRS.search(line))
        yield from [line] if whole else _sentences(line)


def typed(study, results):
    """Texts about the authors that hold a number which is not in authors.json."""
    texts = [study.AUTHORS] + [theirs for _, theirs, *_ in study.SCALED]
    texts += _sentences(study.CAPTION) + _sentences(study.DIFFERS)
    texts += [part for claim in study.CLAIMS for part in _sentences(claim.text)]
    return [text for text in [*texts, *_drawn(study, results)] if TYPED.search(NAME.sub("", text))]
