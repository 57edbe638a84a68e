# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
from collio_study.study import Case, Claim, ratios

TITLE = "A test of the runner"
QUESTION = """Do table and plot come out?"""
AUTHORS = """None: test/bench runs this study."""
MACHINE = "tiny"
REPEAT = 1
STEPS = 2
TAKE = "seconds"
SCALED = (("ranks", "", "4"),)
PATTERN = ("--kernel", "tile", "--size", "64k")


def cases():
    for name in ("overlap", "vulcan"):
        yield Case("tile", name, 4, 4, PATTERN, (("io", "ompio"), ("fcoll", name)))


LINES = ()
X_NAME = {}
COUNTERS = (("cycles", "cycles", "max"),)
COUNTED = (4, ("overlap",))
CLAIMS = (Claim("overlap over vulcan", ratios(("tile",), (4,), "vulcan", "overlap")),)
CAPTION = "Nothing in particular."
DIFFERS = "It does not."
