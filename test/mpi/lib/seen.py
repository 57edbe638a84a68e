# Copyright (c) 2026 The collio authors. All rights reserved.
#
# SPDX-License-Identifier: BSD-3-Clause
"""What a user sees of the component outside of a program: ompi_info, messages, the report."""
import os
import re
import shutil
import subprocess

import launch

# The names that users type: each must be there, with a help text.
PARAMETERS = ('schedule', 'transport', 'exchange', 'partition', 'aggregators', 'aggregator_list',
              'placement', 'buffer_bytes', 'sync_send', 'plan_reuse', 'report', 'priority')
# Wrong values, and words that the message must hold besides the parameter and the value.
WRONG = (('schedule', 'sometimes', ('write_comm2',)), ('transport', 'pigeon', ('put_fence',)),
         ('exchange', 'perhaps', ('off',)), ('partition', 'odd', ('static_cyclic',)),
         ('aggregators', '-4', ('0 or more',)), ('aggregator_list', '0,99', ('ranks',)))
# Named transports that messages must stand in for: program, transport, what it cannot serve.
REPLACED = (('t_serial', 'shm', 'calls in atomic mode'),
            ('t_serial', 'put_lock', 'calls in atomic mode'),
            ('t_nonblocking', 'put_fence', 'nonblocking and split collectives'),
            ('t_serial', 'isend', None), ('t_serial', 'auto', None))
REPORT = ('aggregators', 'cycles', 'bytes', 'requests', 'messages', 'time', 'min', 'avg', 'max')


def ompi_info(suite):
    """Every parameter is listed with its current value and a text to act on."""
    program = shutil.which('ompi_info')
    name = 'ompi_info shows every parameter with a help text'
    if not program:
        suite.skip(name, 'no ompi_info')
        return
    text = subprocess.run([program, '--param', 'fcoll', launch.FCOLL, '--level', '9', '--parsable'],
                          stdout=subprocess.PIPE, env=launch.ENV, check=False,
                          timeout=60).stdout.decode()
    wrong = []
    for parameter in PARAMETERS:
        found = re.search(rf'param:fcoll_{launch.FCOLL}_{parameter}:help:(.*)$', text, re.M)
        if not found:
            wrong.append(f'{parameter}: not listed')
        elif len(found.group(1)) < 20:
            wrong.append(f'{parameter}: help text "{found.group(1)}"')
    if wrong:
        suite.not_ok(name, '\n'.join(wrong))
    else:
        suite.ok(name)


def wrong_values(suite, folder, scratch):
    """A wrong value stops with a message that names parameter, value and choices; no hang."""
    for parameter, value, words in WRONG:
        full = f'fcoll_{launch.FCOLL}_{parameter}'
        command = launch.mpirun_command(2, [os.path.join(folder, 't_comms')], mca=[(full, value)])
        # Open MPI 4.1's own relay of help messages loses one now and then ("Out of resource in
        # show_help.c"), for stock parameters too: ask again.
        for _ in range(8):
            result = launch.run(command, 120, env={'T_DIR': scratch})
            if 'show_help.c' not in result.text:
                break
        missing = [word for word in (parameter, value) + words if word not in result.text]
        name = f'wrong value {parameter}={value} is refused and explained'
        if result.hung:
            suite.not_ok(name, 'hung\n' + result.stacks)
        elif result.rc == 0:
            suite.not_ok(name, 'it was accepted')
        elif missing:
            suite.not_ok(name, f'the message lacks {missing}:\n{result.text[:2000]}')
        else:
            suite.ok(name)


def replaced_transports(suite, folder, scratch):
    """A named transport is never replaced without a word, and not with one where it is not."""
    for program, transport, what in REPLACED:
        text = launch.run(launch.mpirun_command(3, [os.path.join(folder, program)]), 120,
                          env={'T_DIR': scratch,
                               'T_HINTS': f'exchange=on,transport={transport}'}).text
        said = f'transport {transport} cannot serve {what}' in text
        name = f'{program} transport={transport}: ' + ('says what uses isend' if what
                                                       else 'has nothing to say')
        if said if what else 'cannot serve' not in text:
            suite.ok(name)
        else:
            suite.not_ok(name, text[:2000])


def report(suite, folder, scratch):
    """One table per file at close, nothing without the switch."""
    full = f'fcoll_{launch.FCOLL}_report'
    texts = [launch.run(launch.mpirun_command(4, [os.path.join(folder, 't_gaps')], mca=mca), 120,
                        env={'T_DIR': scratch, 'T_HINTS': 'exchange=on'}).text
             for mca in ([(full, 1)], [])]
    missing = [word for word in REPORT if word not in texts[0]]
    if missing:
        suite.not_ok('report prints a table per file', f'it lacks {missing}:\n{texts[0][:3000]}')
    else:
        suite.ok('report prints a table per file')
    if 'aggregators' in texts[1].replace('one_aggregator', ''):
        suite.not_ok('no report without the switch', texts[1][:2000])
    else:
        suite.ok('no report without the switch')


def run(suite, scratch, folder):
    if launch.FCOLL in launch.STOCK or launch.FCOLL == 'romio':
        return
    ompi_info(suite)
    wrong_values(suite, folder, scratch)
    replaced_transports(suite, folder, scratch)
    report(suite, folder, scratch)
