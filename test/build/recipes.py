# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# Usage: recipes.py RECIPES SOURCE               reads the recipes of EasyBuild and Spack as these do
#        recipes.py --rpm SPEC ROOT MAKEFILE     compares the spec's list with the files in ROOT

import glob
import os
import re
import sys
import types

COMPONENTS = ('libmca_common_collio', 'mca_fbtl_mtpwrite', 'mca_fcoll_overlap', 'mca_fcoll_tam',
              'mca_fs_beegfs', 'mca_fs_lustre_lla', 'mca_sharedfp_ondemand')
PATH = 'OMPI_MCA_mca_base_component_path'


def fail(text):
    sys.exit(f'recipes.py: {text}')


def easybuild(path, version):
    """An easyconfig is Python; values of modextravars are taken literally, but for templates."""
    values = {}
    with open(path, encoding='utf-8') as stream:
        exec(compile(stream.read(), path, 'exec'), values)  # noqa: the recipe is ours
    if values['version'] != version or values['name'] != 'openmpi-collio':
        fail(f'{path}: name or version')
    for name, value in values['modextravars'].items():
        if '$' in value:
            fail(f'{path}: {name}={value} would be taken literally')
    if values['modextravars'][PATH] != '%(installdir)s/lib/openmpi:SYSTEM_DEFAULT':
        fail(f'{path}: {PATH}')
    if '--with-component-dir=%(installdir)s/lib/openmpi' not in values['configopts']:
        fail(f'{path}: components and {PATH} differ')
    listed = {os.path.basename(name) for name in values['sanity_check_paths']['files']}
    missing = {name + '.so' for name in COMPONENTS} - listed
    if missing:
        fail(f'{path}: not in sanity_check_paths: {missing}')


class Spec(dict):
    """Stands for Spack's spec: packages with a prefix."""

    def __getitem__(self, name):
        prefix = types.SimpleNamespace(lib=f'/spack/{name}/lib')
        return types.SimpleNamespace(prefix=prefix)

    def satisfies(self, text):
        return text == '+libaio'


def spack(path, version):
    """Spack's functions replaced by some that record; then the recipe's own are called."""
    calls = []
    module = types.ModuleType('spack.package')

    def directive(name):
        return lambda *args, **keywords: calls.append((name, args, keywords))

    for name in ('license', 'version', 'variant', 'depends_on'):
        setattr(module, name, directive(name))
    module.AutotoolsPackage = object
    module.join_path = os.path.join
    sys.modules['spack'] = types.ModuleType('spack')
    sys.modules['spack.package'] = module
    values = {}
    with open(path, encoding='utf-8') as stream:
        exec(compile(stream.read(), path, 'exec'), values)  # noqa: the recipe is ours
    if ('version', (version,), {}) not in calls:
        fail(f'{path}: version')
    package = values['OpenmpiCollio']()
    package.spec = Spec()
    package.prefix = types.SimpleNamespace(lib='/spack/collio/lib')
    args = package.configure_args()
    if '--with-component-dir=/spack/collio/lib/openmpi' not in args or '--without-liburing' not in args:
        fail(f'{path}: {args}')
    variables = {}
    package.setup_run_environment(types.SimpleNamespace(set=variables.__setitem__))
    if variables[PATH] != '/spack/collio/lib/openmpi:SYSTEM_DEFAULT':
        fail(f'{path}: {variables}')


def rpm(spec, root, makefile):
    with open(makefile, encoding='utf-8') as stream:
        variables = dict(re.findall(r'^(\w+) = (.*)$', stream.read(), re.M))

    def directory(name):
        value = variables[name]
        while '$' in value:
            value = re.sub(r'\$[{(](\w+)[})]', lambda match: variables[match.group(1)], value)
        return value

    macros = {'component_dir': directory('ompilibdir'), '_bindir': directory('bindir'),
              '_libexecdir': directory('libexecdir'), '_libdir': directory('libdir'),
              '_mandir': directory('mandir'), '_datadir': directory('datadir'),
              '_docdir': os.path.dirname(directory('docdir')), 'name': 'collio'}
    with open(spec, encoding='utf-8') as stream:
        listed = stream.read().split('\n%files\n')[1].split('\n%changelog')[0].split('\n')
    patterns = []
    for line in filter(None, listed):
        if line.startswith('%license'):
            continue
        line = re.sub(r'^%doc ', '', line)
        patterns.append(re.sub(r'%{(\w+)}', lambda match: macros[match.group(1)], line))
    covered = set()
    for pattern in patterns:
        found = glob.glob(root + pattern)
        if not found:
            fail(f'{spec}: nothing matches {pattern}')
        for name in found:
            inside = glob.glob(name + '/**', recursive=True) if os.path.isdir(name) else [name]
            covered.update(inside)
    for where, _, files in os.walk(root):
        for name in files:
            path = os.path.join(where, name)
            if path not in covered and not path.endswith('.la'):
                fail(f'{spec}: does not list {path[len(root):]}')


def main():
    if sys.argv[1] == '--rpm':
        rpm(*sys.argv[2:])
        return
    recipes, source = sys.argv[1:]
    with open(os.path.join(source, 'VERSION'), encoding='utf-8') as stream:
        version = stream.read().strip()
    easybuild(f'{recipes}/easybuild/openmpi-collio-{version}-gompi-2023b.eb', version)
    spack(f'{recipes}/spack/openmpi-collio/package.py', version)
    for name in glob.glob(recipes + '/**', recursive=True):
        if os.path.isfile(name):
            with open(name, encoding='utf-8') as stream:
                left = re.search(r'@[A-Z]+@', stream.read())
            if left:
                fail(f'{name}: {left.group()} is not replaced')


main()
