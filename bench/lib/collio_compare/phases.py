# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The parts of a collective call, in the order in which a call goes through them: the counters time_NAME, with the words
and the color that each has in every chart. Not here: time_gather_merge is part of time_gather; wait, hidden and total
overlap with others."""

PHASES = {
    "flatten": ("flatten views", "#a3c14a"),
    "agree": ("agreement", "#8a8f98"),
    "gather": ("gather and merge in node", "#3f9c6b"),
    "gather_move": ("move in node", "#57a8a8"),
    "split": ("split requests", "#b6549c"),
    "route": ("send offset lists", "#7463c9"),
    "merge": ("merge offset lists", "#d4b52c"),
    "exchange": ("exchange", "#2a7fb8"),
    "io": ("file access", "#e08a2e"),
    "complete": ("completion", "#c9503f"),
}
WAITING = ("agree", "route", "exchange", "complete")  # these include waiting for other ranks


def words(phase):
    return PHASES[phase][0]


def style():
    """A class for each phase."""
    return " ".join(f".phase-{name} {{ fill: {color} }}" for name, (_, color) in PHASES.items())
