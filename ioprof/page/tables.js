/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Tables of files, functions and variables, what stands above and below, and the start. */

/** A table whose rows can be sorted by its columns and selected with the arrow keys.
 *  columns: [title, value(row), show(value, row) or null, class]; `extra` ones are not on phones;
 *  detail(row) is shown when selected. */
class Table {
    constructor(parent, label, rows, columns, detail) {
        Object.assign(this, { rows: [...rows], shown: [...rows], columns, detail });
        this.selected = -1;
        this.column = -1;
        this.body = element('tbody', {});
        this.heads = columns.map(([title], i) => this.head(title, i));
        this.box = element('div', { className: 'scroll', tabIndex: 0, role: 'region',
            'aria-label': label + '. Arrow keys select a row.' }, element('table', { className: 'wide' },
            element('thead', {}, element('tr', {}, ...this.heads)), this.body));
        parent.append(this.box);
        if (detail) {
            this.readout = element('p', { className: 'readout idle', 'aria-live': 'polite' },
                'Choose a row with the pointer or the arrow keys for more.');
            parent.append(this.readout);
        }
        this.box.addEventListener('keydown', (event) => this.press(event));
        this.fill();
    }

    head(title, i) {
        const button = element('button', { type: 'button' }, title);
        button.addEventListener('click', () => this.sort(i));
        return element('th', { className: this.columns[i][3] || '', scope: 'col' }, button);
    }

    fill() {
        this.body.replaceChildren(...this.shown.map((row, i) => {
            const cells = this.columns.map(([, value, show, type]) => {
                const text = show ? show(value(row), row) : String(value(row));
                if (type === 'path') {
                    return element('td', { className: type, title: text }, element('bdi', {}, text));
                }
                return element('td', { className: type || '' }, text);
            });
            const line = element('tr', {}, ...cells);
            line.addEventListener('click', () => this.select(i));
            return line;
        }));
    }

    sort(column) {
        const down = this.column === column ? !this.down : this.columns[column][2] !== null;
        const value = this.columns[column][1];
        this.column = column;
        this.down = down;
        this.shown.sort((a, b) => {
            const [x, y] = [value(a), value(b)];
            return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
        });
        this.heads.forEach((head, i) => {
            if (i === column) head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
            else head.removeAttribute('aria-sort');
        });
        this.fill();
        this.select(-1);
    }

    filter(test) {
        this.shown = this.rows.filter(test);
        this.fill();
        this.select(-1);
    }

    press(event) {
        const ours = KEYS.includes(event.key) && !/Left|Right/.test(event.key); /* those two scroll */
        if (event.target !== this.box || !ours || this.shown.length === 0) return;
        this.select(Math.max(0, moveTo(this.selected, event.key, this.shown.length, 10, () => true)));
        this.body.children[this.selected].scrollIntoView({ block: 'nearest' });
        event.preventDefault();
    }

    select(index) {
        if (this.selected >= 0 && this.body.children[this.selected]) {
            this.body.children[this.selected].classList.remove('selected');
        }
        this.selected = index;
        if (index < 0) return;
        this.body.children[index].classList.add('selected');
        if (this.detail) {
            this.readout.textContent = this.detail(this.shown[index]);
            this.readout.classList.remove('idle');
        }
    }
}

function describeFile(f) {
    const accesses = f.posix[1] + f.posix[2];
    const parts = [f.path + ': ' + showCount(f.ranks) + (f.ranks === 1 ? ' rank uses it'
        : ' ranks use it') + ', from ' + showTime(f.first) + ' to ' + showTime(f.last)];
    parts.push('MPI-IO ' + showTime(f.mpi[0]) + ', POSIX ' + showTime(f.posix[0]));
    if (f.files > 1) parts.push('sums up ' + showCount(f.files) + ' files');
    if (f.comm_size) {
        parts.push('opened by MPI_File_open on ' + showCount(f.comm_size) + ' ranks, '
            + showCount(f.views) + ' views set');
    }
    if (f.fs) {
        parts.push('on ' + f.mount + ' (' + f.fs + ')' + (f.stripes ? ', ' + showCount(f.stripes)
            + (f.stripes === 1 ? ' stripe of ' : ' stripes of ') + showBytes(f.stripe_bytes) : ''));
    }
    if (f.append) parts.push(showCount(f.append) + ' opens with O_APPEND');
    if (accesses > 0) {
        parts.push('bytes ' + showBytes(f.low || 0) + ' to ' + showBytes(f.high) + ' in '
            + showCount(accesses) + ' POSIX accesses of ' + showBytes((f.posix[3] + f.posix[4]) / accesses)
            + ' on average; ' + percent(f.unaligned, accesses) + ' start inside a block of '
            + showBytes(f.block) + ', ' + percent(f.sequential, accesses)
            + ' go forward; most bytes: rank ' + f.top_rank + ' (' + showBytes(f.top_rank_bytes) + ')');
    }
    parts.push('hints: ' + (f.hints ? f.hints.trim().split('\n').join(', ') : 'none'));
    return parts.join('; ') + '.';
}

const FILE_COLUMNS = [
    ['file', (f) => f.path, null, 'path'],
    ['ranks', (f) => f.ranks, showCount],
    ['on', (f) => f.fs || '', null, 'text extra'],
    ['stripes', (f) => f.stripes || 0, (n, f) => (n ? n + ' × ' + showBytes(f.stripe_bytes) : ''), 'extra'],
    ['MPI-IO time', (f) => f.mpi[0], showTime, 'extra'],
    ['POSIX time', (f) => f.posix[0], showTime, 'extra'],
    ['read', (f) => f.posix[3], showBytes],
    ['written', (f) => f.posix[4], showBytes],
    ['POSIX calls', (f) => f.posix[1] + f.posix[2], showCount, 'extra'],
    ['unaligned', (f) => (f.posix[1] + f.posix[2] ? f.unaligned / (f.posix[1] + f.posix[2]) : 0),
        (share) => percent(share, 1), 'extra'],
];

function filePanel() {
    const section = panel('files', 'Files',
        'Bytes as they reached files; times are summed over ranks. POSIX includes the calls inside '
        + 'MPI-IO.');
    eachRun(section, (run) => (run.files.rows.length ? '' : 'No files: the level of the profile is '
        + (run.facts.level || 'unknown') + ', or none was used.'),
    (run) => {
        const { rows, n, bytes_left_out: left } = run.files;
        const input = element('input', { type: 'search', size: 18 });
        controlsOf(section).append(element('label', {}, 'Name contains', input));
        const own = rows.filter((f) => f.own);
        const table = new Table(section, 'Files', rows.filter((f) => !f.own), FILE_COLUMNS, describeFile);
        input.addEventListener('input', () => table.filter((f) => f.path.includes(input.value)));
        if (own.length > 0) {
            const sum = (i) => own.reduce((all, f) => all + f.posix[i], 0);
            section.append(element('p', { className: 'lead' }, showCount(own.length)
                + (own.length === 1 ? ' file' : ' files') + ' of Open MPI itself, not listed: read '
                + showBytes(sum(3)) + ', written ' + showBytes(sum(4)) + '.'));
        }
        if (n > rows.length) {
            section.append(element('p', { className: 'lead' }, 'The ' + rows.length
                + ' files with most bytes of ' + showCount(n) + '; the others have ' + showBytes(left)
                + '. All of them: ioprof report --csv=files.'));
        }
    });
}

const FUNCTION_COLUMNS = [
    ['function', (f) => (f.class === 'inside' ? '<' : '') + f.name, null],
    ['class', (f) => CLASS_NAMES[f.class], null, 'text extra'],
    ['calls', (f) => f.calls, showCount],
    ['time', (f) => f.ns, showTime],
    ['longest', (f) => f.max_ns, showTime, 'extra'],
    ['to end', (f) => f.span_ns, (ns) => (ns ? showTime(ns) : ''), 'extra'],
    ['bytes', (f) => f.bytes, (bytes) => (bytes ? showBytes(bytes) : '')],
    ['errors', (f) => f.errors, (n) => (n ? showCount(n) : ''), 'extra'],
    ['ranks', (f) => f.ranks, showCount, 'extra'],
    ['most time', (f) => f.top_rank, (rank) => 'rank ' + rank, 'extra'],
];

function describeFunction(f) {
    return (f.class === 'inside' ? '<' : '') + f.name + ', ' + CLASS_NAMES[f.class] + ', ' + f.kind
        + ': ' + showCount(f.calls) + ' calls on ' + showCount(f.ranks)
        + (f.ranks === 1 ? ' rank, ' : ' ranks, ') + showTime(f.ns) + ', on average '
        + showTime(f.ns / Math.max(1, f.calls)) + ', longest ' + showTime(f.max_ns)
        + (f.span_ns ? ', ' + showTime(f.span_ns) + ' to completion' : '')
        + (f.bytes ? ', ' + showBytes(f.bytes) + ' in all' : '') + ', ' + showCount(f.errors)
        + ' errors; most time on rank ' + f.top_rank + ' (' + showTime(f.top_rank_ns) + ').';
}

function functionPanel() {
    const section = panel('functions', 'Functions',
        'Sums over ranks. “To end”: nonblocking and split calls, until their completion.');
    eachRun(section, (run) => (run.functions.length ? '' : 'No function was called.'),
        (run) => new Table(section, 'Functions', run.functions, FUNCTION_COLUMNS, describeFunction));
}

function showVariable(v, value) {
    if (v.text.endsWith('[nanoseconds]') || v.name.includes('_time_')) return showTime(value);
    return v.text.endsWith('[bytes]') || v.name.includes('bytes') ? showBytes(value)
        : showCount(value);
}

function variablePanel() {
    if (runs.every((run) => run.variables.length === 0)) return;
    const section = panel('components', 'Components',
        'Performance variables (MPI_T) of the components, those that are not 0.');
    eachRun(section, (run) => (run.variables.length ? ''
        : 'This run has none: its components have no such variables.'),
    (run) => {
        new Table(section, 'Variables', run.variables, [
            ['variable', (v) => v.name, null],
            ['sum', (v) => v.sum, (value, v) => showVariable(v, value)],
            ['least', (v) => v.min, (value, v) => showVariable(v, value), 'extra'],
            ['most', (v) => v.max, (value, v) => showVariable(v, value)],
            ['ranks', (v) => v.ranks, showCount, 'extra'],
            ['meaning', (v) => v.text, null, 'text wrap extra'],
        ], (v) => v.name + ': ' + v.text + '. Sum ' + showVariable(v, v.sum) + ', least '
            + showVariable(v, v.min) + ', most ' + showVariable(v, v.max) + ', on ' + showCount(v.ranks)
            + ' ranks.');
    });
}

/** The run in two lines, and what is missing from it. */
function showFacts(run, index) {
    const box = document.getElementById('facts');
    const { facts, own, ranks } = run;
    const hosts = new Set(rankRows(run).map((rank) => rank.host)).size;
    const line = element('p', { className: 'facts' });
    if (runs.length > 1) line.append(element('b', {}, 'AB'[index] + '  '));
    line.append(element('b', {}, showCount(ranks.n) + (ranks.n === 1 ? ' rank' : ' ranks')), ' on ',
        element('b', {}, hosts + (hosts === 1 ? ' host' : ' hosts')), ', run ',
        element('b', {}, showTime(run.took)),
        ', ' + (facts.mpi || 'MPI unknown') + ', job ' + (facts.job || '?') + ', level '
        + (facts.level || '?') + '. ', element('code', {}, facts.command || ''));
    box.append(line);
    const ends = ['', 'ended without MPI_Finalize', 'called MPI_Abort', 'were ended by a signal'];
    const notes = ends.map((text, end) => (end && own.ended[end]
        ? showCount(own.ended[end]) + ' ranks ' + text : '')).filter((text) => text);
    if (Number(facts.ranks) > ranks.n) {
        notes.push(showCount(facts.ranks - ranks.n) + ' of ' + showCount(facts.ranks)
            + ' ranks left no record');
    }
    if (notes.length > 0) {
        box.append(element('p', { className: 'note' }, (runs.length > 1 ? 'AB'[index] + ': ' : '')
            + notes.join('; ') + '.'));
    }
}

function showFooter(run, index) {
    const { own } = run;
    const dropped = [[own.files_dropped, 'opens beyond --max-files'],
        [own.fds_dropped, 'calls on descriptors'], [own.requests_dropped, 'completions'],
        [run.events.dropped, 'events beyond --max-events']].filter(([n]) => n > 0);
    document.getElementById('footer').append(element('p', {},
        (runs.length > 1 ? 'AB'[index] + ': ' : '') + 'ioprof ' + (run.facts.ioprof || '')
        + ' recorded ' + showCount(own.calls) + ' calls, about ' + showTime(own.ns)
        + ' of rank time: ' + percent(own.ns, run.wall) + ' of the run. '
        + (dropped.length ? 'Not kept: ' + dropped.map(([n, text]) => showCount(n) + ' ' + text)
            .join(', ') + '. ' : 'Nothing was dropped. ')
        + (own.forks ? showCount(own.forks) + ' child processes are not in this profile. ' : '')));
}

runs.forEach((run, i) => showFacts(run, i));
document.getElementById('nav').append(element('a', { href: '#summary' }, 'Summary'));
rankPanel();
timePanel();
memoryPanel();
hostPanel();
offsetPanel();
sharePanel();
sizePanel();
filePanel();
functionPanel();
variablePanel();
runs.forEach((run, i) => showFooter(run, i));
theme.start();
document.documentElement.dataset.ready = 'yes';
