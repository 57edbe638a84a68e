# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Verbose levels: t_report's calls are known, so are the lines about them."""
import os
import re
import shutil
import tempfile

import launch

NP = 3
CALLS = 5    # of t_report: 3 writes, 2 reads
FRAMEWORKS = ('fcoll', 'fbtl', 'fs', 'sharedfp')
# What a level adds: a line of fcoll, and how many there are of it.
ADDED = {
    1: ((r': selected: named \(--mca fcoll \w+\)$', 1),),
    10: ((r': settings: .*exchange=on', 1), (r': aggregators +2 of 3 ranks .*: 0@node0', 1),
         (r': file system 0x.*; coherence between nodes: ', 1), (r': alignment +(none|\d+ bytes), ', 1),
         (r': (write|read): exchange on \(as set\), transport \w+ \(.*\), schedule none \(.*\)', 2)),
    20: ((r': call \d+ \((write|read)\): 196608 bytes in 3 pieces .*: exchange on \(as set\), '
          r'transport \w+ \(.*\), schedule none \(.*\), .*plan (new|reused), .* ms$', CALLS),
         (r'call 0 \(write\): .* plan new', 1), (r'call 1 \(write\): .* plan reused', 1)),
    40: ((r': rank [012]: call \d+ \(\w+\): agree [\d.]+ ms, then \w+$', NP * CALLS),
         (r': rank 2: call 0 \(write\): .*, then cycles$', 1)),
}
# With all frameworks at level 1: which components serve the file, and why others do not.
SELECTED = (r'^fbtl/mtpwrite: \S+: selected: named',
            r'^fs/lustre_lla: \S+: not selected: not named', r'^fs/beegfs: \S+: not selected: not named',
            r'^sharedfp/ondemand: \S+: selected: a collio fcoll component serves the file$')


def lines(folder, scratch, levels, fbtl='mtpwrite', prefix='verbose'):
    """Our own lines with these levels, (framework, level), without Open MPI's prefix. Each rank
    prints to a file of its own: mpirun may tear lines of several ranks."""
    place = tempfile.mkdtemp(prefix=prefix, dir=scratch)
    mca = [(f'{framework}_base_verbose', level) for framework, level in levels] + [('fbtl', fbtl)]
    program = ['sh', '-c', 'exec "$0" 2>"$T_DIR/printed.$$"', os.path.join(folder, 't_report')]
    result = launch.run(launch.mpirun_command(NP, program, mca=mca), 120, env={'T_DIR': place})
    text = result.text
    for name in sorted(os.listdir(place)):
        with open(os.path.join(place, name), encoding='utf-8', errors='replace') as printed:
            text += printed.read()
    shutil.rmtree(place, ignore_errors=True)
    if result.rc != 0:
        return [f'ended with {result.rc}', text[-2000:] + result.stacks]
    found = re.finditer(r'(?:(?:%s)/(?:overlap|tam|mtpwrite|lustre_lla|beegfs|ondemand)): .*'
                        % '|'.join(FRAMEWORKS), text)
    return [match.group() for match in found]


def verdict(suite, name, wrong, have):
    suite.check(name, not wrong, '\n'.join(wrong + have[:60]))


def check(suite, folder, scratch):
    have = lines(folder, scratch, [(framework, 0) for framework in FRAMEWORKS])
    verdict(suite, 'verbose 0 prints nothing', have, have)
    for level in ADDED:
        have = lines(folder, scratch, [('fcoll', level)])
        wrong = []
        for added, wanted in ADDED.items():
            for pattern, count in wanted:
                found = sum(re.search(pattern, line) is not None for line in have)
                if found != (count if added <= level else 0):
                    wrong.append(f'{found} lines with {pattern}')
        verdict(suite, f'fcoll_base_verbose {level} prints what it should', wrong, have)
    have = lines(folder, scratch, [(framework, 1) for framework in FRAMEWORKS])
    verdict(suite, 'verbose 1 prints which components serve a file, and why others do not',
            [f'no line {pattern}' for pattern in SELECTED
             if not any(re.search(pattern, line) for line in have)], have)
    have = lines(folder, scratch, [(framework, 10) for framework in FRAMEWORKS], prefix='two\nlines\x1b')
    cut = [line for line in have if re.search(r'two$|\x1b', line)]
    shown = [line for line in have if re.search(r'two\\nlines\\x1b\S*: settings: ', line)]
    verdict(suite, 'verbose lines escape control bytes of a file name',
            [f'cut: {line}' for line in cut] + ([] if shown else ['no line has the name']), have)
