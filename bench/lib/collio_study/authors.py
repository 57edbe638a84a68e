# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""What the authors of the papers measured: bench/studies/authors.json. Pages quote it by name, so
no number of a paper is typed twice. `{tam.gain}` in a text of a study becomes "3x to 29x"."""

import json
import os
import re
import textwrap

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "studies", "authors.json")
NAME = re.compile(r"\{(\w+)\.(\w+)\}")
# A number, except inside a word (DIST3D, SX-4) and as the name of a request level or a chapter.
TYPED = re.compile(r"(?<![\w-])(?<!level )(?<!levels )\d")


def load():
    with open(PATH, encoding="utf-8") as file:
        return json.load(file)


ALL = load()


def value(name):
    """The entry "tam.gain": text, and low and high where it can be drawn."""
    paper, key = name.split(".")
    return ALL[paper][key]


def fill(text):
    """The text with the authors' words in place of their names."""
    return NAME.sub(lambda found: value(f"{found[1]}.{found[2]}")["text"], text)


def paragraph(text):
    """The filled text, wrapped again."""
    return textwrap.fill(" ".join(fill(text).split()), 100, break_long_words=False,
                         break_on_hyphens=False)


def typed(study):
    """Texts about the authors that hold a number which is not in authors.json."""
    texts = [study.AUTHORS] + [theirs for _, theirs, _ in study.SCALED]
    return [text for text in texts if TYPED.search(NAME.sub("", text))]
