/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* When: the time line of opens, reads, writes, closes and metadata, and offsets against time. */
const LINES = [0, 2, 3, 1, 4]; /* open, read, write, close, meta: rows in the order of the page */
const LINE_NAMES = ['open', 'close', 'read', 'write', 'meta'];

/** cells[kind][layer][bin] = [calls, ns, bytes] */
function timeCells(run) {
    const cells = LINES.map(() => [{}, {}]);
    run.time.rows.forEach(([bin, layer, kind, calls, ns, bytes]) => {
        cells[kind][layer][bin] = [calls, ns, bytes];
    });
    return cells;
}

const TIME_METRICS = {
    busy: { name: 'ranks in a call', show: (x) => (x >= 10 ? showShort(x) : x > 0 && x < 0.01 ? '<0.01' : digits(x)) + ' ranks' },
    bytes: { name: 'bytes a second', show: (x) => showBytes(x) + '/s' },
    calls: { name: 'calls', show: (x) => showShort(x) + ' calls' },
};

/** Of one kind of call, both halves. */
function rowHeight(width) {
    return width < 560 ? 62 : 80;
}

class TimePlot {
    constructor(parent, run, shared) {
        this.run = run;
        this.shared = shared;
        this.cells = timeCells(run);
        this.bins = run.time.rows.reduce((n, row) => Math.max(n, row[0] + 1), 0);
        this.kinds = LINES.filter((kind) => this.cells[kind].some((l) => Object.keys(l).length > 0));
        this.plot = new Plot(parent, {
            label: 'Time line. Arrow keys select a time.',
            height: (width) => this.kinds.length * rowHeight(width) + 30,
            draw: (pen) => this.draw(pen),
            pick: (x) => this.pick(x),
            move: (selection, key) => this.move(selection, key),
            text: (selection) => this.text(selection),
        });
    }

    end() {
        return Math.max(this.run.time.start + this.bins * this.run.time.width,
            this.run.wall / Math.max(1, this.run.ranks.n));
    }

    /** Only reads and writes have bytes: calls are drawn for the others. */
    metric(kind) {
        return this.shared.metric === 'bytes' && (kind < 2 || kind > 3) ? 'calls' : this.shared.metric;
    }

    value(kind, layer, bin) {
        const cell = this.cells[kind][layer][bin];
        if (!cell) return 0;
        const metric = this.metric(kind);
        if (metric === 'calls') return cell[0];
        return metric === 'busy' ? cell[1] / this.run.time.width
            : cell[2] / (this.run.time.width / 1e9);
    }

    max(kind) {
        let most = 0;
        for (let bin = 0; bin < this.bins; bin++) {
            most = Math.max(most, this.value(kind, 0, bin), this.value(kind, 1, bin));
        }
        return most;
    }

    x(ns) {
        return this.left + (this.right - this.left) * ns / this.shared.end;
    }

    draw(pen) {
        this.left = pen.narrow ? 44 : 56;
        this.right = pen.width - 8;
        const step = rowHeight(pen.width);
        this.kinds.forEach((kind, row) => this.row(pen, kind, 4 + row * step, step));
        pen.timeAxis(this.left, this.right, pen.height - 24, this.shared.end);
        if (pen.selection !== null) {
            const from = this.x(this.run.time.start + pen.selection * this.run.time.width);
            const to = this.x(this.run.time.start + (pen.selection + 1) * this.run.time.width);
            pen.frame(from - 1, 3, Math.max(3, to - from + 2), pen.height - 28);
        }
    }

    row(pen, kind, top, step) {
        const middle = top + 10 + (step - 14) / 2;
        const most = this.shared.max[kind] || 1;
        const half = (step - 20) / 2;
        pen.text(LINE_NAMES[kind], 2, middle, { name: 'ink', bold: true });
        for (let bin = 0; bin < this.bins; bin++) {
            const from = this.x(this.run.time.start + bin * this.run.time.width);
            const width = Math.max(1, this.x(this.run.time.start + (bin + 1) * this.run.time.width)
                - from - (pen.narrow ? 0 : 0.4));
            const mpi = this.value(kind, 0, bin);
            const posix = this.value(kind, 1, bin);
            if (mpi > 0) {
                const height = Math.max(1.5, half * mpi / most);
                pen.box(from, middle - height, width, height, 'collective');
            }
            if (posix > 0) {
                pen.box(from, middle + 1, width, Math.max(1.5, half * posix / most), 'inside');
            }
        }
        pen.line(this.left, middle, this.right, middle, 'line');
        pen.text('scale to ' + TIME_METRICS[this.metric(kind)].show(most), this.right, top + 5,
            { align: 'right' });
    }

    pick(x) {
        const ns = (x - this.left) / (this.right - this.left) * this.shared.end;
        const bin = Math.floor((ns - this.run.time.start) / this.run.time.width);
        return bin >= 0 && bin < this.bins ? bin : null;
    }

    busy(bin) {
        return this.kinds.some((kind) => this.cells[kind][0][bin] || this.cells[kind][1][bin]);
    }

    move(selection, key) {
        if (selection === null) return 0;
        const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -16, PageDown: 16, Home: -this.bins,
            End: this.bins };
        if (key in steps) return Math.max(0, Math.min(this.bins - 1, selection + steps[key]));
        /* Up and down: the next time with any I/O. */
        const step = key === 'ArrowDown' ? 1 : -1;
        for (let bin = selection + step; bin >= 0 && bin < this.bins; bin += step) {
            if (this.busy(bin)) return bin;
        }
        return selection;
    }

    text(selection) {
        const start = this.run.time.start + selection * this.run.time.width;
        const parts = [];
        this.kinds.forEach((kind) => ['MPI-IO', 'POSIX'].forEach((layer, i) => {
            const cell = this.cells[kind][i][selection];
            if (!cell) return;
            parts.push(LINE_NAMES[kind] + ' ' + layer + ' ' + showCount(cell[0]) + ' begun, '
                + showTime(cell[1]) + ' of rank time'
                + (cell[2] ? ', ' + showBytes(cell[2]) : ''));
        }));
        return showTime(start) + ' to ' + showTime(start + this.run.time.width) + ': '
            + (parts.join('; ') || 'no I/O') + '.';
    }
}

function timePanel() {
    const section = panel('time', 'Time line',
        'Upwards: MPI-IO calls. Downwards: POSIX calls, of the program and inside MPI-IO. All ranks '
        + 'together; a row has its own scale.');
    const controls = element('div', { className: 'controls' });
    const shared = { metric: 'busy', max: [], end: 1 };
    const plots = [];
    const update = () => {
        shared.max = LINES.map((_, kind) => Math.max(0, ...plots.map((p) => p.max(kind))));
        plots.forEach((p) => p.plot.redraw());
    };
    section.append(controls);
    chooser(controls, 'Show', Object.entries(TIME_METRICS).map(([key, m]) => [key, m.name]),
        (value) => { shared.metric = value; update(); });
    legend(section, [['collective', 'MPI-IO'], ['inside', 'POSIX']]);
    runs.forEach((run, i) => {
        runTitle(section, i);
        if (run.time.rows.length === 0) {
            note(section, 'There was no I/O.');
            return;
        }
        const plot = new TimePlot(section, run, shared);
        plots.push(plot);
        shared.end = Math.max(shared.end, plot.end());
    });
    update();
}

/* ---- offsets ---- */
const EVENT = { rank: 0, start: 1, ns: 2, offset: 3, bytes: 4, func: 5, file: 6, thread: 7 };

/** Colours of ranks: neighbours differ little, the first and the last one a lot. */
function rankColor(position) {
    const hue = 255 - 235 * position;
    return 'hsl(' + hue + ' 75% ' + (theme.dark() ? 62 : 45) + '%)';
}
theme.dark = () => document.documentElement.dataset.theme === 'dark';

class OffsetPlot {
    constructor(parent, run) {
        this.run = run;
        this.events = run.events.rows;
        this.controls(parent);
        this.filter();
        this.plot = new Plot(parent, {
            label: 'Offsets of reads and writes against time. Arrow keys go from call to call.',
            height: (width) => (width < 560 ? 300 : 380),
            draw: (pen) => this.draw(pen),
            pick: (x, y) => this.pick(x, y),
            move: (selection, key) => this.move(selection, key),
            text: (selection) => this.text(selection),
        });
    }

    controls(parent) {
        const box = element('div', { className: 'controls' });
        const count = this.run.events.files.map((_, i) =>
            this.events.filter((e) => e[EVENT.file] === i).length);
        const files = this.run.events.files.map((path, i) => [i, path])
            .sort((a, b) => count[b[0]] - count[a[0]]);
        const change = () => { this.filter(); this.plot.reset(); };
        parent.append(box);
        this.layers = chooser(box, 'Layer', [['posix', 'POSIX, with <'], ['mpi', 'MPI-IO']], change);
        this.kindChoice = chooser(box, 'Calls', [['both', 'reads and writes'], ['2', 'reads'],
            ['3', 'writes']], change);
        this.files = chooser(box, 'File', files.map(([i, path]) =>
            [i, (path.length > 60 ? '…' + path.slice(-58) : path)]), change);
        const posix = (e) => this.func(e)[1] >= 3;
        if (!this.events.some(posix)) this.layers.value = 'mpi';
    }

    func(event) {
        return this.run.events.functions[event[EVENT.func]];
    }

    filter() {
        const posix = this.layers.value === 'posix';
        const file = Number(this.files.value);
        const kind = this.kindChoice.value;
        this.shown = this.events.filter((e) => e[EVENT.file] === file
            && (this.func(e)[1] >= 3) === posix && (kind === 'both' || this.func(e)[2] === Number(kind)))
            .sort((a, b) => a[EVENT.start] - b[EVENT.start]);
        this.ranks = [...new Set(this.shown.map((e) => e[EVENT.rank]))].sort((a, b) => a - b);
        this.position = new Map(this.ranks.map((rank, i) =>
            [rank, this.ranks.length > 1 ? i / (this.ranks.length - 1) : 0]));
        const least = (list, start) => list.reduce((a, b) => Math.min(a, b), start);
        const most = (list, start) => list.reduce((a, b) => Math.max(a, b), start);
        this.from = least(this.shown.map((e) => e[EVENT.start]), Infinity);
        this.to = most(this.shown.map((e) => e[EVENT.start] + e[EVENT.ns]), 0);
        if (!(this.from < this.to)) [this.from, this.to] = [0, 1];
        this.high = most(this.shown.map((e) => e[EVENT.offset] + e[EVENT.bytes]), 1);
    }

    place(event) {
        const scale = (this.right - this.left) / (this.to - this.from);
        const y = (bytes) => this.bottom - (this.bottom - 12) * bytes / this.high;
        const top = y(event[EVENT.offset] + event[EVENT.bytes]);
        return [this.left + (event[EVENT.start] - this.from) * scale, top,
            Math.max(2.5, event[EVENT.ns] * scale), Math.max(2.5, y(event[EVENT.offset]) - top)];
    }

    draw(pen) {
        this.left = pen.narrow ? 58 : 72;
        this.right = pen.width - 8;
        this.bottom = pen.height - 58;
        ticks(this.high, pen.narrow ? 5 : 8, 'bytes').forEach((bytes) => {
            const y = this.bottom - (this.bottom - 12) * bytes / this.high;
            pen.line(this.left, y, this.right, y, 'grid');
            pen.text(showBytes(bytes), this.left - 5, y, { align: 'right' });
        });
        this.shown.forEach((event) => {
            pen.context.fillStyle = rankColor(this.position.get(event[EVENT.rank]));
            pen.context.fillRect(...this.place(event));
        });
        this.axis(pen);
        this.scale(pen);
        if (this.shown.length === 0) {
            pen.text('No such calls on this file.', (this.left + this.right) / 2, this.bottom / 2,
                { align: 'center' });
        } else if (pen.selection !== null) {
            const [x, y, width, height] = this.place(this.shown[pen.selection]);
            pen.frame(x - 3, y - 3, width + 6, height + 6);
        }
    }

    /** Times are since the start of the job; the axis begins with the first call. */
    axis(pen) {
        const y = this.bottom;
        const step = ticks(this.to - this.from, Math.max(2, (this.right - this.left) / 100), 'time');
        const width = step.length > 1 ? step[1] : this.to;
        pen.line(this.left, y, this.right, y, 'line');
        for (let ns = Math.ceil(this.from / width) * width; ns <= this.to; ns += width) {
            const x = this.left + (this.right - this.left) * (ns - this.from) / (this.to - this.from);
            const string = showTime(ns);
            const half = pen.textWidth(string) / 2;
            pen.line(x, y, x, y + 4, 'soft');
            pen.text(string, Math.min(this.right - half, Math.max(half, x)), y + 13,
                { align: 'center' });
        }
    }

    /** Which colour is which rank. */
    scale(pen) {
        const y = pen.height - 26;
        const n = this.ranks.length;
        if (n <= (pen.narrow ? 6 : 12)) {
            let x = this.left;
            this.ranks.forEach((rank) => {
                pen.context.fillStyle = rankColor(this.position.get(rank));
                pen.context.fillRect(x, y + 2, 11, 11);
                pen.text(String(rank), x + 15, y + 8);
                x += 24 + pen.textWidth(String(rank));
            });
            pen.text('rank', this.left - 5, y + 8, { align: 'right' });
            return;
        }
        const width = Math.min(260, this.right - this.left - 60);
        for (let i = 0; i < width; i++) {
            pen.context.fillStyle = rankColor(i / (width - 1));
            pen.context.fillRect(this.left + i, y + 2, 1.5, 11);
        }
        pen.text('rank ' + this.ranks[0], this.left - 5, y + 8, { align: 'right' });
        pen.text(String(this.ranks[n - 1]), this.left + width + 5, y + 8);
    }

    pick(x, y) {
        let best = null;
        let least = 30 * 30;
        this.shown.forEach((event, i) => {
            const [left, top, width, height] = this.place(event);
            const dx = Math.max(left - x, 0, x - left - width);
            const dy = Math.max(top - y, 0, y - top - height);
            if (dx * dx + dy * dy < least) {
                least = dx * dx + dy * dy;
                best = i;
            }
        });
        return best;
    }

    move(selection, key) {
        const n = this.shown.length;
        if (n === 0) return null;
        if (selection === null) return 0;
        const page = Math.max(1, Math.round(n / 20));
        const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -page, PageDown: page, Home: -n, End: n };
        if (key in steps) return Math.max(0, Math.min(n - 1, selection + steps[key]));
        /* Up and down: the next call of the same rank. */
        const step = key === 'ArrowDown' ? 1 : -1;
        const rank = this.shown[selection][EVENT.rank];
        for (let i = selection + step; i >= 0 && i < n; i += step) {
            if (this.shown[i][EVENT.rank] === rank) return i;
        }
        return selection;
    }

    text(selection) {
        const e = this.shown[selection];
        const [name, type] = this.func(e);
        return 'Rank ' + e[EVENT.rank] + (e[EVENT.thread] ? ', thread ' + e[EVENT.thread] : '') + ': '
            + (type === 4 ? '<' : '') + name + ' of ' + showBytes(e[EVENT.bytes]) + ' at offset '
            + showCount(e[EVENT.offset]) + ' (' + showBytes(e[EVENT.offset]) + '), from '
            + showTime(e[EVENT.start]) + ', took ' + showTime(e[EVENT.ns])
            + (e[EVENT.ns] > 0 ? ', ' + showBytes(e[EVENT.bytes] / (e[EVENT.ns] / 1e9)) + '/s' : '')
            + '.';
    }
}

function offsetPanel() {
    const section = panel('offsets', 'Offset against time',
        'Each mark is a read or a write: as wide as it lasted, as high as its bytes in the file, in '
        + 'the colour of its rank.');
    runs.forEach((run, i) => {
        runTitle(section, i);
        const { recorded, rows, dropped, ranks } = run.events;
        if (rows.length === 0) {
            note(section, 'No reads and writes were recorded one by one. To have them, name the ranks '
                + 'that matter: mpirun … ioprof --ranks 0,20-40 …');
            return;
        }
        new OffsetPlot(section, run);
        if (rows.length < recorded || dropped > 0) {
            section.append(element('p', { className: 'lead' }, showCount(rows.length) + ' of '
                + showCount(recorded) + ' calls of ' + showCount(ranks) + ' ranks are in this page, '
                + 'picked at random, and of 160 files at most.' + (dropped ? ' '
                + showCount(dropped) + ' more were not kept by ioprof (--max-events).' : '')));
        }
    });
}
