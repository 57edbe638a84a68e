# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Profiles, and runs below ioprof."""
import collections
import concurrent.futures
import json
import os
import shutil
import subprocess
import tempfile

import launch

FOLDER = os.path.join(launch.BUILD, 'test', 'ioprof')
TOOL = os.path.join(launch.BUILD, 'ioprof', 'ioprof')
SIMULATE = os.path.join(launch.BUILD, 'ioprof', 'ioprof_simulate')
TIMEOUT = 120
CLASSES = 'collective independent completion posix inside'.split()
MPI_COLLECTIVE, MPI_INDEPENDENT, MPI_COMPLETION, POSIX, INSIDE = range(5)

Func = collections.namedtuple('Func', 'calls errors bytes ranks span')
Event = collections.namedtuple('Event', 'rank name offset bytes path')


class Profile:
    """What one or more files hold, by `ioprof report --json`."""

    def __init__(self, *paths):
        out = subprocess.run([TOOL, 'report', '--json', *paths], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, check=False)
        self.error = out.stderr.decode() if out.returncode else ''
        none = {'ranks': [], 'files': [], 'functions': [], 'events': [], 'variables': [], 'facts': {},
                'time': {'bins': [], 'memory': [], 'node': []}}
        self.data = data = none if self.error else json.loads(out.stdout.decode())
        self.ranks = {rank['rank']: rank for rank in data['ranks']}
        self.facts = data['facts']
        self.pvars = {v['name']: v['sum'] for v in data['variables']}
        self.hints = [file['hints'] for file in data['files'] if file['hints']]
        self.funcs = {(CLASSES.index(f['class']), f['name']):
                      Func(f['calls'], f['errors'], f['bytes'], f['ranks'], f['span_ns'])
                      for f in data['functions']}
        self.about = {os.path.basename(file['path']): file for file in data['files']}
        self.files = {(path, CLASSES.index(cls), kind): (cell['calls'], cell['errors'], cell['bytes'])
                      for path, file in self.about.items() for cls, kinds in file['cells'].items()
                      for kind, cell in kinds.items()}
        self.events = [Event(e['rank'], e['function'], e['offset'], e['bytes'],
                             os.path.basename(e['path'] or '')) for e in data['events']]
        self.time = collections.defaultdict(lambda: (0, 0))
        for row in data['time']['bins']:
            calls, size = self.time[row['layer'], row['kind']]
            self.time[row['layer'], row['kind']] = (calls + row['calls'], size + row['bytes'])


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
            self.profile = Profile('none')

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
