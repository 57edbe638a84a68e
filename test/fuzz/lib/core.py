# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Coverage-guided fuzzing of core/ (libFuzzer): the targets are random tests of test/unit."""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import tempfile

import launch

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')
UNIT = os.path.join(HERE, '..', 'unit')
CORE = os.path.join(HERE, '..', '..', 'ompi', 'mca', 'common', 'collio', 'core')
TARGETS = ('buildio', 'cycle', 'marks', 'merge', 'place', 'tiling', 'value', 'wire')   # check_*.c
FLAGS = ['-g', '-O1', '-std=gnu11', '-fno-omit-frame-pointer', '-fno-sanitize-recover=all']


def compile_one(clang, source, folder, sanitizers):
    target = os.path.join(folder, os.path.basename(source)[:-2] + '.o')
    subprocess.run([clang, *FLAGS, f'-fsanitize={sanitizers}', '-I', CORE, '-I', UNIT, '-c', source,
                    '-o', target], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return target


def build(clang, folder):
    """A program for each target, linked with all of core/. Raises CalledProcessError."""
    sanitizers = 'fuzzer-no-link,address,undefined'
    sources = sorted(glob.glob(os.path.join(CORE, '*.c'))) + [os.path.join(HERE, 'fuzz_unit.c')]
    targets = [os.path.join(UNIT, f'check_{name}.c') for name in TARGETS]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(lambda s: compile_one(clang, s, folder, sanitizers),
                                sources + targets))
    programs = []
    for target in objects[len(sources):]:
        program = target[:-2]
        subprocess.run([clang, *FLAGS, '-fsanitize=fuzzer,address,undefined', target,
                        *objects[:len(sources)], '-o', program], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        programs.append(program)
    return programs


def usable(clang, folder):
    """clang can be there without its runtime libraries."""
    probe = os.path.join(folder, 'probe.c')
    with open(probe, 'w', encoding='ascii') as source:
        source.write('int LLVMFuzzerTestOneInput(const unsigned char *d, unsigned long n)\n'
                     '{ return (int) (0 * (d[0] + n)); }\n')
    return subprocess.run([clang, '-fsanitize=fuzzer,address,undefined', probe, '-o', probe[:-2]],
                          check=False, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def fuzz(suite, program, seconds):
    name = f'fuzz core {os.path.basename(program)[6:]}'
    corpus = os.path.join(launch.BUILD, 'test-logs', os.path.basename(program) + '.corpus')
    os.makedirs(corpus, exist_ok=True)
    result = launch.run([program, f'-max_total_time={int(seconds)}', '-rss_limit_mb=2048',
                         '-timeout=60', '-max_len=4096', f'-artifact_prefix={program}.',
                         '-print_final_stats=1', corpus], seconds + 120)
    executed = re.findall(r'stat::number_of_executed_units:\s*(\d+)', result.text)
    covered = re.findall(r'cov: (\d+)', result.text)
    if result.rc == 0:
        suite.ok(name)
        print(f'# {executed[-1] if executed else 0} inputs, '
              f'{covered[-1] if covered else 0} edges covered', flush=True)
    else:
        suite.not_ok(name, result.text[-5000:])


def run(suite, seconds):
    """Every target for so many seconds."""
    clang = shutil.which('clang')
    with tempfile.TemporaryDirectory(prefix='fuzz.') as folder:
        if not clang or not usable(clang, folder):
            suite.skip('fuzz core', 'needs clang with libFuzzer (libclang-rt-14-dev)')
            return
        try:
            programs = build(clang, folder)
        except subprocess.CalledProcessError as error:
            suite.not_ok('fuzz core: build', error.stdout.decode(errors='replace')[-4000:])
            return
        for program in programs:
            fuzz(suite, program, seconds)
