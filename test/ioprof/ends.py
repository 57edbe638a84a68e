# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Ranks that do not reach MPI_Finalize, and the parts that they leave."""
import glob
import os
import signal
import subprocess
import time

from profiles import FOLDER, MPI_INDEPENDENT, POSIX, TIMEOUT, TOOL, Case, Profile, program


def ends(suite):
    """Ranks that do not reach MPI_Finalize leave parts, which join."""
    # mpirun kills ranks a second after it told them to end: too soon on a busy machine. A disk may
    # keep them waiting for longer than any such time, memory does not.
    patience = [('odls_base_sigkill_timeout', 5)]
    folder = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
    for how, end, code in (('exit', 'exited', 5), ('_exit', 'exited', 6), ('abort', 'aborted', 7),
                           ('segv', 'signalled', signal.SIGSEGV),
                           ('term', 'signalled', signal.SIGTERM)):
        case = Case(suite, f'end by {how}', 3, [program('t_ends'), how], expect=None,
                    mca=patience, folder=folder)
        parts = sorted(glob.glob(case.profile_path + '.part.*'))
        case.equal('parts', [os.path.basename(part) for part in parts],
                   [f'out.iop.part.{rank}' for rank in range(3)])
        case.profile = joined = Profile(*parts) if parts else Profile('none')
        case.func(MPI_INDEPENDENT, 'MPI_File_write_at', 3, 3000)
        case.equal('own files', [joined.files.get((f'own.{rank}', POSIX, 'write'))
                                 for rank in range(3)], [(1, 0, 77)] * 3)
        last = joined.ranks.get(2, {})
        case.equal('how it ended', (last.get('ended'), last.get('end_code')), (end, code))
        text = subprocess.run([TOOL, 'report', *parts], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)
        case.equal('report', text.returncode, 0)
        if b'early end' not in text.stdout:
            case.wrong.append(text.stdout.decode()[:2000])
        if how == 'exit' and parts:
            again = Profile(parts[0], parts[0])
            case.equal('a rank twice', 'more than one' in again.error, True)
            one = subprocess.run([TOOL, 'report', parts[0]], stdout=subprocess.PIPE, check=False)
            case.equal('missing ranks are told', b'2 of 3 ranks left no record' in one.stdout, True)
        case.done()


def wait_until(true):
    end = time.monotonic() + TIMEOUT
    while not true() and time.monotonic() < end:
        time.sleep(0.05)


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def signal_twice(place):
    """Signals the rank; signals it again while fake.so keeps it in the middle of writing its part.
    Returns whether it lived on."""
    pipe = os.path.join(place, 'hold')
    os.mkfifo(pipe)
    wait_until(lambda: os.path.exists(os.path.join(place, 'pid'))
               and os.path.getsize(os.path.join(place, 'pid')) > 0)
    with open(os.path.join(place, 'pid'), encoding='ascii') as stream:
        pid = int(stream.read())
    os.kill(pid, signal.SIGTERM)
    held = os.open(pipe, os.O_WRONLY)  # returns when the rank opens the other end
    os.kill(pid, signal.SIGTERM)
    time.sleep(1)
    lived = alive(pid)
    os.close(held)
    return lived


def second_signal(suite):
    """A part that is being written when the next signal comes is still written, whole."""
    case = Case(suite, 'a second signal while the part is written', 1, [program('t_ends'), 'wait'],
                expect=None, meanwhile=signal_twice,
                env={'LD_PRELOAD': os.path.join(FOLDER, 'fake.so')})
    case.equal('alive after the second signal', case.meanwhile.result(), True)
    case.profile = Profile(case.profile_path + '.part.0')
    case.func(MPI_INDEPENDENT, 'MPI_File_write_at', 1, 1000)
    case.equal('how it ended', case.profile.ranks.get(0, {}).get('ended'), 'signalled')
    case.done()
