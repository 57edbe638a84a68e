# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# Usage: follow.py script PAGE [SECTION...]            a script of bash with the commands of a page
#        follow.py compare PAGE OUTPUT [SECTION...]    compares what it printed with the page
#
# In a block with lines that begin with "$ ", these are commands and the others what they print: words and
# whole numbers must be equal, and so must MiB; other decimals are times. "..." stands for lines, "[...]" for the
# rest of a line. In other blocks every line is a command, but for blocks of C.

import os
import re
import sys

MARK = '@@@ command'
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../config/project'), encoding='utf-8') as names:
    REPOSITORY = re.search(r'^repository=(.*)$', names.read(), re.M)[1]
# What a page leaves to the reader: the address, an application, sudo's packages, more ranks than cores.
APP = r'''cat >app <<"END"
#!/bin/sh
exec "$HOME/.local/bin/collio_bench" --kernel tile --size 1m --steps 1 --dir .
END
chmod +x app'''


def blocks(page, sections):
    """The blocks of code, as (language, lines)."""
    with open(page, encoding='utf-8') as stream:
        lines = stream.read().split('\n')
    found, section, block = [], '', None
    for line in lines:
        if line.startswith('```'):
            if block is None:
                block = (line[3:], [])
            else:
                if not sections or section in sections:
                    found.append(block)
                block = None
        elif block is not None:
            block[1].append(line)
        elif line.startswith('## '):
            section = line[3:]
    return found


def steps(page, sections):
    """Commands, each with the lines that the page shows for it."""
    found = []
    for language, lines in blocks(page, sections):
        if language:
            continue
        prompt = any(line.startswith('$ ') for line in lines)
        for line in lines:
            if prompt and line.startswith('$ '):
                found.append((line[2:], []))
            elif prompt or not is_command(line):
                found[-1][1].append(line)
            else:
                found.append((line, []))
    return found


def is_command(line):
    return re.match(r'(sudo|git|make|eval|export|cd|mpirun|\./\w+|h5pcc) ?', line)


def in_this_root(command):
    command = command.replace(REPOSITORY, '/collio/collio.git')
    command = command.replace('apt-get install', 'apt-get install -q -y --no-install-recommends')
    if (os.cpu_count() or 1) < 8:
        command = re.sub(r'\bmpirun ', 'mpirun --oversubscribe ', command)
    return command


def script(page, sections):
    print('exec 2>&1 </dev/null\ncd')
    if os.path.basename(page) != 'README.md':
        print('sudo apt-get install -q -y --no-install-recommends libhdf5-openmpi-dev >/dev/null || exit 1')
    if sections != ['Try it']:
        print('cd collio || exit 1')
    for number, (command, _) in enumerate(steps(page, sections)):
        if './app' in command:
            print(APP)
        print(f'echo "{MARK} {number}"')
        print(f'{in_this_root(command)}\ntest $? -eq 0 || exit 1')


def pattern(line, exact_ends):
    """A regular expression for a line of the page: exact_ends are the columns where MiB end."""
    whole = True
    if line.endswith('[...]'):
        line, whole = line[:-5], False
    parts = []
    for token in re.finditer(r'\S+', line):
        text = token.group()
        if token.end() in exact_ends:
            parts.append(re.escape(text))
        elif text.startswith('/home/me/'):
            parts.append('/home/newcomer/' + re.escape(text[9:]))
        else:
            parts.append(re.sub(r'\d+\\\.\d+', r'[0-9.]+', re.escape(text)))
    return re.compile(r'\s*' + r'\s+'.join(parts) + (r'\s*$' if whole else ''))


def compare(page, output, sections):
    with open(output, encoding='utf-8', errors='replace') as stream:
        printed = re.split(rf'^{MARK} \d+\n', stream.read(), flags=re.M)[1:]
    wrong = 0
    for number, (command, expected) in enumerate(steps(page, sections)):
        lines = printed[number].split('\n') if number < len(printed) else []
        at, ends = 0, set()
        for line in expected:
            if line.strip() in ('', '...'):
                ends = set() if line.strip() == '' else ends
                continue
            if 'MiB' in line.split():
                ends = {match.end() for match in re.finditer(r'MiB(?!\S)', line)}
            wanted = pattern(line, ends)
            where = next((i for i in range(at, len(lines)) if wanted.match(lines[i])), None)
            if where is None:
                print(f'{page}: $ {command}\n    not printed: {line}')
                wrong += 1
            else:
                at = where + 1
    return wrong


def main():
    if sys.argv[1] == 'script':
        script(sys.argv[2], sys.argv[3:])
    elif compare(sys.argv[2], sys.argv[3], sys.argv[4:]):
        sys.exit(1)


main()
