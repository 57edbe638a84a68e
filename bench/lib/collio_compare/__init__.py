# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Runs collio_bench under many configurations in turn and shows the results side by side."""
