# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Published experiments on virtual clusters whose costs are set: machines, runs, pages."""
