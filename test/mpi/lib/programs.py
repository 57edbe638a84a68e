# Copyright (c) 2026 The collio authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""The programs of test/mpi that are not the matrix: one per behaviour, run on some rank counts."""
import os
import re
import tempfile

import launch

TIMEOUT = 240
# name: rank counts, and more parameters if needed. A program prints its own verdicts.
TABLE = {
}


def relay(suite, name, result):
    """Prints the program's verdicts under its name; its exit code must agree with them."""
    verdicts = re.findall(r'^(ok|not ok|skip) (.*)$', result.text, re.M)
    bad = [what for verdict, what in verdicts if verdict == 'not ok']
    for verdict, what in verdicts:
        if verdict == 'ok':
            suite.ok(f'{name} {what}')
        elif verdict == 'skip':
            suite.skip(*f'{name} {what}'.split(' # ', 1))
        else:
            suite.not_ok(f'{name} {what}', result.text[-4000:])
    if result.hung:
        suite.not_ok(f'{name}: hung', result.text[-2000:] + result.stacks)
    elif result.rc not in (0, 77) and not bad:
        suite.not_ok(f'{name}: ended with {result.rc}', result.text[-4000:])
    elif not verdicts:
        suite.not_ok(f'{name}: no verdict', result.text[-4000:])


def run(suite, scratch, folder, wanted, everything):
    for name, row in TABLE.items():
        if not everything and name not in wanted:
            continue
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            suite.skip(name, row.get('missing', 'not built'))
            continue
        for np in row['np']:
            place = tempfile.mkdtemp(dir=scratch)
            command = launch.mpirun_command(np, [path] + row.get('arguments', []),
                                            mca=row.get('mca', ()))
            result = launch.run(command, row.get('timeout', TIMEOUT), env={'T_DIR': place},
                                cwd=place)
            relay(suite, f'{name} np={np}', result)
