# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Makes a failing sequence short: fewer steps, fewer ranks, fewer hints, simpler features."""
import os
import re
import shutil
import time

import launch

TIMEOUT = 40    # seconds of one sequence; longer is a hang
STEPS, HINTS = 32, 16
# Tried in this order, most confusing first.
FEATURES = ('threads', 'overlap', 'overlap_own', 'view_hints', 'other', 'gap', 'second', 'reopen', 'far', 'external32', 'bound', 'shared',
            'many', 'burst', 'nonblocking', 'split', 'memory', 'etype', 'atomic', 'preallocate', 'set_size', 'modes', 'reversed', 'pointer',
            'individual', 'past_end_own', 'past_end', 'seek', 'sync', 'idle', 'prefill', 'hints', 'read', 'write')
# What is left out because Open MPI gets it wrong, whatever the component ('*') or with the stock
# component of that name. test/README.md tells each with a reproducer.
KNOWN = {
    '*': ('seek_end',),
    'individual': ('past_end', 'overlap', 'preallocate', 'shared_second'),
    'vulcan': ('past_end', 'overlap', 'preallocate', 'shared_second'),
    'posix': ('past_end_own', 'overlap_own'),
}


def parameters(fbtl):
    """MCA parameters of a run. Reports are asked for by hints, and nobody reads them."""
    return [('fbtl', fbtl), *((f'fcoll_{fcoll}_report_file', '/dev/null')
                              for fcoll in ('overlap', 'tam'))]


class Case:
    """One failing sequence."""

    def __init__(self, program, place, config, seed, size, without, more=()):
        self.program, self.place, self.config = program, place, config
        self.more = list(more)
        self.seed, self.size = seed, size
        self.known = list(without)
        self.ranks = list(range(size))
        self.steps = list(range(STEPS))
        self.hints = list(range(HINTS))
        self.without = []
        self.kind = None
        self.trials = 0
        self.end = 0.0

    def arguments(self):
        words = ['--seed', str(self.seed), '--size', str(self.size)]
        if len(self.ranks) < self.size:
            words += ['--ranks', ','.join(map(str, self.ranks))]
        if len(self.steps) < STEPS:
            words += ['--steps', ','.join(map(str, self.steps))]
        if 'hints' not in self.without and len(self.hints) < HINTS:
            words += ['--hints', ','.join(map(str, self.hints)) or '-']
        if self.known or self.without:
            words += ['--without', ','.join(self.known + self.without)]
        return words

    def run(self, *more):
        fcoll, fbtl = self.config.split('/')[:2]
        command = launch.mpirun_command(len(self.ranks), [self.program, *self.arguments(),
                                                          '--check-all', *self.more, *more],
                                        fcoll=fcoll, mca=parameters(fbtl))
        place = os.path.join(self.place, 'shrink')
        os.makedirs(place, exist_ok=True)
        self.trials += 1
        result = launch.run(['timeout', '-k', '5', str(TIMEOUT)] + command, TIMEOUT + 30,
                            env={'T_DIR': place})
        shutil.rmtree(place, ignore_errors=True)
        if result.rc == 0:
            return None, result
        if re.search(r'^FAIL ', result.text, re.M):
            return 'wrong', result
        return 'hang' if result.hung or result.rc == 124 else 'crash', result

    def still(self):
        """Fails in the same way? Two of three tries must not all pass: races are seen rarely."""
        return time.monotonic() < self.end and self.run()[0] == self.kind

    def less(self, name):
        """Leaves out ever smaller parts of a list."""
        chunk = (len(getattr(self, name)) + 1) // 2
        while chunk >= 1:
            start = 0
            while start < len(getattr(self, name)):
                kept = getattr(self, name)
                fewer = kept[:start] + kept[start + chunk:]
                setattr(self, name, fewer)
                if (name == 'ranks' and not fewer) or not self.still():
                    setattr(self, name, kept)
                    start += chunk
            chunk //= 2

    def simpler(self):
        for word in FEATURES:
            if word in self.known:
                continue
            self.without.append(word)
            if not self.still():
                self.without.pop()

    def shrink(self, budget):
        """The reproducer as text, or None when the sequence does not fail alone."""
        self.end = time.monotonic() + budget
        for _ in range(3):
            self.kind, result = self.run()
            if self.kind:
                break
        else:
            return None
        last = [int(step) for step in re.findall(r'^# seed \d+ size \d+ step (\d+)', result.text,
                                                 re.M)]
        if last:
            self.steps = [step for step in self.steps if step <= min(last)]
            if not self.still():
                self.steps = list(range(STEPS))
        self.less('steps')
        self.less('ranks')
        self.simpler()
        self.less('hints')
        self.less('steps')
        return self.tell()

    def tell(self):
        fcoll, fbtl = self.config.split('/')[:2]
        _, result = self.run('--show')
        text = result.text.split('\n-----', 1)[0]
        return (f'{self.kind}; reproducer after {self.trials} trials:\n'
                f'  mpirun --oversubscribe -np {len(self.ranks)} --mca fcoll {fcoll} --mca fbtl {fbtl}'
                f' build/test/fuzz/t_fuzz {" ".join(self.arguments() + self.more)} --check-all --show\n'
                f'{text[-6000:]}\n')
