# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Numbers of a study in pages that are written by hand: `<!-- study levels.romio -->1.09<!-- end -->`.
The study has a function for each of its names in FACTS; it makes the text from the results. `age` is a
fact of each study: when its oldest result was measured."""

import os
import re
import subprocess

from . import age

MARK = re.compile(r"(<!-- study (\w+)\.(\w+) -->)(.*?)(<!-- end -->)", re.S)


def pages(source):
    """Pages with such numbers."""
    found = subprocess.run(["git", "-C", source, "grep", "-l", "<!-- study ", "--", "*.md"], text=True,
                           check=False, capture_output=True)
    return found.stdout.split()


def text(source, name, study, results):
    """The page as it is, and with the numbers of this study."""
    def number(found):
        if found[2] != study.NAME:
            return found[0]
        if found[3] == "age":
            rows = [row for rows in results.rows.values() for row in rows]
            return found[1] + (age.words(age.of_commits(source, rows)) or found[4]) + found[5]
        return found[1] + study.FACTS[found[3]](results) + found[5]

    with open(os.path.join(source, name), encoding="utf-8") as page:
        old = page.read()
    return old, MARK.sub(number, old)


def draw(source, study, results):
    for name in pages(source):
        old, new = text(source, name, study, results)
        if old != new:
            with open(os.path.join(source, name), "w", encoding="utf-8") as page:
                page.write(new)


def stale(source, study, results):
    """Pages whose numbers are not those of the record."""
    return [name for name in pages(source)
            if len(set(text(source, name, study, results))) > 1]


def span(here):
    """A fact: the smallest and the largest of the values that here(results) returns."""
    def words(results):
        values = here(results)
        return f"{min(values):.2f} to {max(values):.2f}" if values else "not measured"
    return words


def average(mean, here):
    """A fact: their mean."""
    def words(results):
        values = here(results)
        return f"{mean(values):.2f}" if values else "not measured"
    return words
