#!/usr/bin/env python3
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""The page of bench/compare in a browser: light and dark, at 1280 and 360 pixels.

Usage: test/bench/browse.py [PAGE]     a page; default: one with made-up numbers of a demonstration

Prints what is wrong; ends with 0, 1, or 77 without Chromium. COLLIO_BENCH_SHOTS=DIR keeps screenshots there.
"""
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'ioprof', 'web'))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', 'bench', 'lib'))
import browser  # noqa: E402
from collio_compare import page as pages, stats  # noqa: E402

# Wide: pixels by which the page is wider than the window. Cut: headings whose text is wider than their box.
# Blank: pictures without height. Small: text of pictures below 7 pixels on a screen; pictures may be scaled.
# Pale: texts with too little contrast to what is behind them.
PROBE = '''(() => {
    const light = (color) => {
        const parts = color.match(/[\\d.]+/g).slice(0, 3).map((c) => {
            c /= 255;
            return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
    };
    const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const behind = (node) => {
        for (; node; node = node.parentElement) {
            const color = getComputedStyle(node).backgroundColor;
            if (!/, 0\\)$/.test(color)) { return light(color); }
        }
        return 1;
    };
    const all = (what) => [...document.querySelectorAll(what)];
    const texts = all('h1, h2, h3, h4, p, td, th, .key span');
    const pale = texts.filter((n) => n.textContent.trim()
        && contrast(light(getComputedStyle(n).color), behind(n)) < 4.5);
    const labels = all('svg text').filter((n) => n.textContent
        && contrast(light(getComputedStyle(n).fill), behind(n.closest('svg'))) < 3);
    return {
        wide: document.documentElement.scrollWidth - window.innerWidth,
        cut: all('h1, h2, h3, h4').filter((n) => n.scrollWidth > n.clientWidth + 1).map((n) => n.textContent),
        plots: all('svg:not(.key1)').length,
        blank: all('svg').filter((n) => n.getBoundingClientRect().height < 8).length,
        small: all('svg text').filter((n) => n.getBoundingClientRect().height < 7).length,
        pale: [...pale, ...labels].slice(0, 5).map((n) => n.textContent.slice(0, 40)),
        dark: behind(document.body) < 0.2,
        first: all('svg:not(.key1)')[0].getBoundingClientRect().top,
    };
})()'''


# What the demonstration measures: milliseconds of a step.
CONFIGS = (('contiguous', 'limit', 2), ('tam', 'ours', 7), ('overlap', 'ours', 6), ('vulcan', 'stock', 21),
           ('dynamic_gen2', 'stock', 23), ('individual', 'stock', 90), ('romio', 'stock', 17))


def row(pattern, phase, config, kind, milliseconds):
    """A row of stats.rows."""
    seconds = milliseconds / 1000 * (1 + len(pattern) / 10) * (2 if phase == 'read' else 1)
    times = {'flatten': 1, 'agree': 2, 'split': 1, 'exchange': 9, 'io': 7, 'complete': 1} if kind == 'ours' else {}
    return {'pattern': pattern, 'ranks': 9, 'phase': phase, 'config': config, 'kind': kind, 'runs': 2,
            'median': seconds, 'min': seconds, 'max': seconds, 'first': seconds, 'later': seconds,
            'bytes': 9 << 20, 'pieces': 0 if kind == 'limit' else 46656, 'shape': '', 'nodes': 1, 'steps': 3,
            'calls': 1, 'rss_kib': 30000, 'rss_extra_kib': 2000, 'messages': 100, 'message_bytes': 1 << 20,
            'parts': None, 'seconds': [seconds] * 2,
            'pvars': {f'fcoll_{config}_time_{name}': {'sum': value * 1e6, 'max': 1e6} for name, value in times.items()}}


def demonstration(cluster=False):
    rows = [row(pattern, phase, *config) for pattern in ('btio', 's3d', 'e3sm-f', 'ior')
            for phase in ('write', 'read') for config in CONFIGS]
    stats.add_ratios(rows)
    machine = {'title': 'collio: a demonstration', 'date': '2026-01-01', 'openmpi': '4.1.4', 'cluster': cluster,
               'file_system': 'tmpfs', 'cpus': 2, 'cpu': 'made up', 'kernel': '6.1', 'repeat': 2, 'steps': 3,
               'busy': 0.01, 'touched': 0}
    return {'rows': rows, 'summary': stats.summary(rows), 'machine': machine, 'sweeps': {}, 'floor': 0.95,
            'failed': [], 'missing': {}}


def wrong_names(several):
    """tam is drawn where it has two layers only, and legends name what is drawn, and nothing else."""
    charts = pages.render(demonstration(several)).partition('All figures')[0]
    if ('>tam<' in charts) != several:
        yield f'fcoll/tam in the charts, several nodes: {several}'
    for key, name in pages.KEY:
        drawn = re.search(rf'class="[a-z ]*\b{key}\b[a-z ]*"', charts.partition('<body>')[2]) is not None
        if drawn != (f'</i>{name}</span>' in charts):
            yield f'legend: {name}: drawn: {drawn}'
    if 'The dashed line is the contiguous baseline' in charts and '</i>contiguous baseline</span>' not in charts:
        yield 'legend: no contiguous baseline'


def wrong_with(found, where, dark, errors):
    """Sentences on what is wrong with what the probe has found."""
    for what, good in (('script errors', not errors),
                       ('the background does not follow the theme', found['dark'] == dark),
                       (f'{found["wide"]} pixels too wide', found['wide'] <= 0),
                       (f'cut: {found["cut"]}', not found['cut']),
                       (f'{found["blank"]} blank pictures', not found['blank']),
                       (f'{found["plots"]} pictures', found['plots'] >= 2),
                       (f'{found["small"]} texts too small to read', not found['small']),
                       (f'too little contrast: {found["pale"]}', not found['pale']),
                       ('the first chart is below the first screen', found['first'] < 800)):
        if not good:
            yield f'{where}: {what}'


def main():
    if sys.argv[1:2] in (['-h'], ['--help']):
        print(__doc__.strip())
        return 0
    wrong = [*wrong_names(False), *wrong_names(True)]
    if not browser.find():
        print('\n'.join([*wrong, 'chromium is not installed']))
        return 1 if wrong else 77
    shots = os.environ.get('COLLIO_BENCH_SHOTS')
    place = tempfile.mkdtemp(prefix='collio-test.')
    page = sys.argv[1] if len(sys.argv) > 1 else os.path.join(place, 'index.html')
    if len(sys.argv) < 2:
        with open(page, 'w', encoding='utf-8') as out:
            out.write(pages.render(demonstration()))
    chrome = browser.Browser(300)
    try:
        for width in (1280, 360):
            for dark in (False, True):
                where = f'{width} pixels, {"dark" if dark else "light"}'
                chrome.open(page, width, dark=dark)
                wrong += wrong_with(chrome.eval(PROBE), where, dark, chrome.errors)
                if shots:
                    os.makedirs(shots, exist_ok=True)
                    chrome.screenshot(os.path.join(shots, f'page-{width}-{"dark" if dark else "light"}.png'))
    finally:
        chrome.close()
        shutil.rmtree(place)
    print('\n'.join(wrong))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
