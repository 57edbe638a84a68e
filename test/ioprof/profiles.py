# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Profiles as dump prints them, and runs below ioprof."""
import collections
import concurrent.futures
import os
import shutil
import subprocess
import tempfile

import launch

FOLDER = os.path.join(launch.BUILD, 'test', 'ioprof')
TOOL = os.path.join(launch.BUILD, 'tools', 'ioprof', 'ioprof')
SIMULATE = os.path.join(launch.BUILD, 'tools', 'ioprof', 'ioprof_simulate')
TIMEOUT = 120
MPI_COLLECTIVE, MPI_INDEPENDENT, MPI_COMPLETION, POSIX, INSIDE = range(5)

Func = collections.namedtuple('Func', 'calls errors bytes ranks span')
Event = collections.namedtuple('Event', 'rank cls name offset bytes ns path')


class Profile:
    """What dump tells of one or more files."""

    def __init__(self, *paths):
        out = subprocess.run([os.path.join(FOLDER, 'dump'), *paths], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        self.error = out.stderr.decode() if out.returncode else ''
        self.funcs, self.files, self.about, self.ranks = {}, {}, {}, {}
        self.events, self.time, self.pvars, self.facts, self.hints = [], {}, {}, {}, []
        for line in out.stdout.decode(errors='replace').splitlines():
            self.take(line.split(' '), line)

    def take(self, w, line):
        if w[0] == 'func':
            self.funcs[(int(w[1]), w[2])] = Func(*map(int, w[3:8]))
        elif w[0] == 'file':
            path = os.path.basename(line.split(' ', 6)[6])
            self.files[(path, int(w[1]), w[2])] = tuple(map(int, w[3:6]))
        elif w[0] == 'about':
            keys = 'ranks files open_ranks append views unaligned sequential low high'.split()
            self.about[os.path.basename(line.split(' ', 10)[10])] = dict(zip(keys, map(int, w[1:10])))
        elif w[0] == 'rank':
            keys = ('end code forks files_dropped events events_dropped threads '
                    'requests_dropped').split()
            self.ranks[int(w[1])] = dict(zip(keys, map(int, w[2:])))
        elif w[0] == 'event':
            self.events.append(Event(int(w[1]), int(w[2]), w[3], int(w[4]), int(w[5]), int(w[6]),
                                     os.path.basename(line.split(' ', 7)[7])))
        elif w[0] == 'time':
            self.time[(int(w[1]), w[2])] = (int(w[3]), int(w[4]))
        elif w[0] == 'pvar':
            self.pvars[w[1]] = int(w[2])
        elif w[0] == 'fact':
            self.facts[w[1]] = line.split(' ', 2)[2]
        elif w[0] == 'hint':
            self.hints.append(line)


class Case:
    """A run below ioprof in a folder of its own, while `meanwhile` gets the folder."""

    def __init__(self, suite, name, np, program, options=(), mca=(), fcoll=launch.FCOLL, env=None,
                 expect=0, before=(), folder=None, meanwhile=None, place=None):
        self.suite, self.name = suite, name
        self.place = place or tempfile.mkdtemp(prefix='ioprof-', dir=folder)
        self.profile_path = os.path.join(self.place, 'out.iop')
        command = launch.mpirun_command(
            np, [TOOL, '-o', 'out.iop', '-t', 'report.txt', *options, *program], fcoll=fcoll,
            mca=mca, before=before)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            self.meanwhile = meanwhile and pool.submit(meanwhile, self.place)
            self.result = launch.run(command, TIMEOUT, cwd=self.place,
                                     env={'T_DIR': self.place, **(env or {})})
        self.wrong = []
        if self.result.hung:
            self.wrong.append('hung\n' + self.result.stacks)
        elif expect is not None and self.result.rc != expect:
            self.wrong.append(f'exit code {self.result.rc}\n{self.result.text[-2000:]}')
        self.profile = Profile(self.profile_path) if os.path.exists(self.profile_path) else None
        if expect == 0 and (self.profile is None or self.profile.error):
            self.wrong.append('no profile: ' + (self.profile.error if self.profile else '')
                              + self.result.text[-2000:])
            self.profile = Profile.__new__(Profile)
            self.profile.funcs = self.profile.files = self.profile.about = {}
            self.profile.ranks = self.profile.time = self.profile.pvars = {}
            self.profile.events, self.profile.hints = [], []

    def equal(self, what, got, want):
        if got != want:
            self.wrong.append(f'{what}: {got}, not {want}')

    def func(self, cls, name, calls, size=0, errors=0):
        got = self.profile.funcs.get((cls, name))
        self.equal(f'{name} in class {cls}', got and (got.calls, got.bytes, got.errors),
                   (calls, size, errors))

    def only(self, cls, names):
        extra = sorted({n for c, n in self.profile.funcs if c == cls} - set(names))
        if extra:
            self.wrong.append(f'class {cls} has calls that were not made: {extra}')

    def report(self):
        path = os.path.join(self.place, 'report.txt')
        if not os.path.exists(path):
            self.wrong.append('no text report')
            return ''
        with open(path, encoding='utf-8', errors='replace') as stream:
            return stream.read()

    def done(self):
        if self.wrong:
            printed = ['printed:', *self.result.text.splitlines()[-20:]]
            self.suite.not_ok(self.name, '\n'.join(self.wrong[:30] + printed))
        else:
            self.suite.ok(self.name)
        shutil.rmtree(self.place, ignore_errors=True)


def program(name):
    return os.path.join(FOLDER, name)
