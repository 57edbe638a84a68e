# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""mpirun for tests: the components of the build, a limit on time, and stacks when it hangs."""
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import limits

# --help of a suite prints its text before anything is looked at.
if sys.argv[1:2] in (['-h'], ['--help']) and sys.modules['__main__'].__doc__:
    print(sys.modules['__main__'].__doc__.strip())
    sys.exit(0)

BUILD = os.environ.get('COLLIO_BUILD') or os.path.join(
    os.environ.get('COLLIO_SRC', os.path.join(os.path.dirname(__file__), '..', '..', '..')), 'build')
ON_RANK = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'on_rank')
MODE = os.environ.get('COLLIO_TEST_MODE', 'pairwise')
FCOLL = os.environ.get('COLLIO_FCOLL', 'overlap')
# Why a program that test/sanitized has not built cannot load its components; empty: it can.
UNSANITIZED = ('the program is not built with the sanitizer'
               if 'COLLIO_TEST_SANITIZED' in os.environ else '')
# The network below MPI: COLLIO_NETWORK is empty (ob1 in shared memory), ucx (UCX in shared memory) or
# ucx-tcp (UCX over TCP on the loopback device).
NETWORK = os.environ.get('COLLIO_NETWORK', '')
UCX = [('pml', 'ucx'), ('osc', 'ucx'), ('opal_common_ucx_tls', 'any'),
       ('opal_common_ucx_devices', 'any')]   # also where the machine has no network of its own
AUTO = [('fcoll_tam_exchange', 'auto')]  # the default, which mpirun_command does not take
INSTALLED = 'COLLIO_INSTALLED' in os.environ  # Open MPI has the components itself
STOCK = ('individual', 'vulcan', 'dynamic', 'dynamic_gen2', 'two_phase')


def environment():
    """The caller's environment, and what ompi-env of the build says."""
    env = dict(os.environ)
    script = os.path.join(BUILD, 'ompi-env')
    if os.path.exists(script) and not INSTALLED:
        text = subprocess.run(['bash', '-c', f'eval "$({shlex.quote(script)})" && env -0'],
                              stdout=subprocess.PIPE, check=True).stdout.decode(errors='replace')
        env.update(item.split('=', 1) for item in text.split('\0') if '=' in item)
    for name in ('OMPI_ALLOW_RUN_AS_ROOT', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM',
                 'PRTE_ALLOW_RUN_AS_ROOT', 'PRTE_ALLOW_RUN_AS_ROOT_CONFIRM'):
        env[name] = '1'
    return env


ENV = environment()


def component_missing(fcoll=FCOLL):
    """Why the component under test cannot be used, or None."""
    if INSTALLED or fcoll in STOCK or fcoll == 'romio':
        return None
    path = os.path.join(BUILD, 'components', f'mca_fcoll_{fcoll}.so')
    return None if os.path.exists(path) else f'fcoll/{fcoll} is not built'


def network_arguments(chosen):
    """Words of mpirun for the network under test; parameters that a test has chosen win."""
    # Without UCX: 6.0's osc/ucx complains about each window where UCX has no network.
    mca = UCX if NETWORK else [('btl', 'self,vader'), ('osc', '^ucx')]
    words = [word for name, value in mca if name not in chosen for word in ('--mca', name, value)]
    if NETWORK == 'ucx-tcp':
        words += ['-x', 'UCX_TLS=tcp,self', '-x', 'UCX_NET_DEVICES=lo']
    return words


def mpirun_command(np, program, fcoll=FCOLL, mca=(), before=()):
    """mpirun NP ranks of program (a list), with the component under test."""
    command = ['mpirun', '--oversubscribe', '--bind-to', 'none', '--mca', 'mpi_yield_when_idle', '1',
               '-np', str(np)]
    command += network_arguments(dict(mca))
    if fcoll == 'romio':
        command += ['--mca', 'io', 'romio321']
    elif fcoll:
        command += ['--mca', 'io', 'ompio', '--mca', 'fcoll', fcoll]
    # With exchange=auto small tests would be direct, and test neither layer of tam.
    if fcoll == 'tam' and 'fcoll_tam_exchange' not in dict(mca):
        mca = [('fcoll_tam_exchange', 'on'), *mca]
    for name, value in mca:
        command += ['--mca', name, str(value)]
    command += shlex.split(os.environ.get('COLLIO_MPIRUN_ARGS', ''))
    return command + list(before) + list(program)


def descendants(pid):
    """Processes below pid, by the parent field of /proc/*/stat."""
    parents = {}
    for entry in os.listdir('/proc'):
        if entry.isdigit():
            try:
                with open(f'/proc/{entry}/stat', encoding='utf-8', errors='replace') as stat:
                    parents[int(entry)] = int(stat.read().rsplit(')', 1)[1].split()[1])
            except OSError:
                continue
    found, todo = [], [pid]
    while todo:
        top = todo.pop()
        children = sorted(p for p, parent in parents.items() if parent == top)
        found += children
        todo += children
    return found


def stack_lines(text):
    """One line for each thread of gdb's backtraces, innermost function first; no threads of Open MPI."""
    lines = []
    for thread in re.split(r'^Thread ', text, flags=re.M)[1:]:
        frames = re.findall(r'^#\d+ +(?:0x[0-9a-f]+ in )?([\w?]+)[^\n]*?(?: at \S*/([\w.]+:\d+))?$', thread, re.M)
        names = [name + (f' {place}' if place else '') for name, place in frames if name != '??']
        if names and not any(name.startswith('event_base_loop') for name in names):
            lines.append(f'#   thread {thread.split()[0]}: {" < ".join(names)}\n')
    return ''.join(lines)


def stacks(pid):
    """The stacks of every rank below the mpirun pid, as text."""
    if not shutil.which('gdb'):
        return '# no stacks: gdb is not installed\n'
    text = ''
    for child in descendants(pid):
        try:
            out = subprocess.run(
                ['gdb', '-batch', '-nx', '-p', str(child), '-ex', 'thread apply all backtrace 24'],
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=60, check=False,
            ).stdout.decode(errors='replace')
        except subprocess.TimeoutExpired:
            out = 'Thread 0\n#0 gdb_timeout\n'
        text += f'# process {child}\n{stack_lines(out)}'
    return text


class Result:
    """What a run left behind."""

    def __init__(self):
        self.rc = None
        self.text = ''
        self.hung = False
        self.gave_up = ''       # why nobody knows whether it hangs: a skip
        self.stacks = ''
        self.seconds = 0.0


def end(process):
    """Ends mpirun (which ends its ranks), by its id."""
    children = descendants(process.pid)
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for child in children:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            pass


def run(command, timeout, env=None, progress=None, cwd=None):
    """Runs a command. With progress (a file), timeout is the longest time without a change of it;
    else it is the time for the whole run. A hang is noted with the stacks of all ranks. A run that others
    leave no time (limits.py) gets more, and then gives up: verdicts of the Suite that follow it are skips,
    until the next run. An mpirun of Open MPI 4.1 does not start if another one removes their common
    directory in /tmp at that moment: it is started again."""
    if Suite.judged:
        forget()
    result = run_once(command, timeout, env, progress, cwd)
    if result.rc and 'orte_session_dir failed' in result.text:
        result = run_once(command, timeout, env, progress, cwd)
    return result


def run_once(command, timeout, env, progress, cwd):
    result = Result()
    environ = dict(ENV)
    environ.update(env or {})
    begin = time.monotonic()
    seen = None
    with tempfile.TemporaryFile() as out:
        with subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, cwd=cwd, env=environ,
                              stdin=subprocess.DEVNULL) as process:
            limit = limits.Limit(timeout, begin, lambda: [process.pid, *descendants(process.pid)])
            while True:
                try:
                    result.rc = process.wait(0.1)
                    break
                except subprocess.TimeoutExpired:
                    pass
                if progress and os.path.exists(progress):
                    changed = os.stat(progress).st_mtime_ns
                    if changed != seen:
                        seen = changed
                        limit.start(time.monotonic())
                verdict = limit.look(time.monotonic())
                if verdict in (limits.HANG, limits.GIVE_UP):
                    result.hung = verdict == limits.HANG
                    result.gave_up = '' if result.hung else limit.reason(time.monotonic())
                    result.stacks = stacks(process.pid)
                    end(process)
                    break
        out.seek(0)
        result.text = out.read().decode(errors='replace')
    if re.search(r'^(not ok|FAIL) ', result.text, re.M):
        result.gave_up = ''  # it has failed, whatever it would have done then
    if result.gave_up:
        Suite.gave_up, Suite.judged = result.gave_up, False
    result.seconds = time.monotonic() - begin
    return result


def forget():
    """The next verdicts have nothing to do with a run that gave up."""
    Suite.gave_up, Suite.judged = '', False


def job(np, program, timeout, env=None, wrap=None, where=None, **mpirun):
    """Runs mpirun_command(np, program, **mpirun), changed by wrap, in a directory of its own (below
    where), which is T_DIR and removed at the end. {} in words of the program is this directory."""
    with tempfile.TemporaryDirectory(prefix='collio-test.', dir=where) as place:
        command = mpirun_command(np, [word.replace('{}', place) for word in program], **mpirun)
        return run(wrap(command) if wrap else command, timeout, cwd=place,
                   env=dict(env or {}, T_DIR=place))


class Suite:
    """Counts, and prints the lines that test/run counts."""
    gave_up = ''        # why the last run gave up
    judged = False      # a verdict has been skipped for it

    def __init__(self):
        self.failed = 0

    def late(self, name):
        """Skips a verdict on a run that gave up."""
        if Suite.gave_up:
            Suite.judged = True
            self.skip(name, Suite.gave_up)
        return bool(Suite.gave_up)

    def ok(self, name):
        if not self.late(name):
            print(f'ok {name}', flush=True)

    def not_ok(self, name, text=''):
        if self.late(name):
            return
        self.failed += 1
        for line in text.splitlines():
            print(f'    {line}')
        print(f'not ok {name}', flush=True)

    def check(self, name, good, text=''):
        """text is printed with a failure."""
        if good:
            self.ok(name)
        else:
            self.not_ok(name, text or '')

    def skip(self, name, reason):
        print(f'skip {name} # {reason}', flush=True)
