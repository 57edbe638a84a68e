/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* When: the time line of opens, reads, writes, closes and metadata, and offsets against time. */
const LINES = ['open', 'read', 'write', 'close', 'meta'];
const TIME_METRICS = {
    busy: { name: 'ranks in a call', show: (x) => (x >= 10 ? showShort(x) : x > 0 && x < 0.01 ? '<0.01' : digits(x)) + ' ranks' },
    bytes: { name: 'bytes a second', show: (x) => showBytes(x) + '/s' },
    calls: { name: 'calls', show: (x) => showShort(x) + ' calls' },
};

class TimePlot extends BinPlot {
    constructor(parent, run, shared) {
        const kinds = LINES.filter((kind) => run.time.bins.some((row) => row.kind === kind));
        super(parent, 'Time line', run, Math.max(...run.time.bins.map((row) => row.bin)) + 1, shared, []);
        this.cells = {};
        run.time.bins.forEach((row) => { this.cells[[row.kind, row.layer, row.bin]] = row; });
        this.rows = kinds.map((kind) => ({ name: kind, color: 'collective',
            value: (bin) => this.value(kind, 'mpi', bin), below: (bin) => this.value(kind, 'posix', bin),
            most: () => shared.max[kind], show: (x) => TIME_METRICS[this.metric(kind)].show(x) }));
    }

    step(width) {
        return width < 560 ? 62 : 80;
    }

    end() {
        return Math.max(this.time(this.bins), this.run.took);
    }

    /** Only reads and writes have bytes: calls are drawn for the others. */
    metric(kind) {
        return this.shared.metric === 'bytes' && kind !== 'read' && kind !== 'write' ? 'calls'
            : this.shared.metric;
    }

    value(kind, layer, bin) {
        const cell = this.cells[[kind, layer, bin]];
        if (!cell) return 0;
        const metric = this.metric(kind);
        if (metric === 'calls') return cell.calls;
        return metric === 'busy' ? cell.ns / this.run.time.width
            : cell.bytes / (this.run.time.width / 1e9);
    }

    parts(selection) {
        return this.rows.flatMap(({ name }) => [['MPI-IO', 'mpi'], ['POSIX', 'posix']].map(([text, layer]) => {
            const cell = this.cells[[name, layer, selection]];
            return cell && name + ' ' + text + ' ' + showCount(cell.calls) + ' begun, '
                + showTime(cell.ns) + ' of rank time' + (cell.bytes ? ', ' + showBytes(cell.bytes) : '');
        })).filter((part) => part);
    }
}

function timePanel() {
    const section = panel('time', 'Time line',
        'Upwards: MPI-IO calls. Downwards: POSIX calls, of the program and inside MPI-IO. All ranks '
        + 'together; a row has its own scale.');
    const shared = { metric: 'busy', max: {}, end: 1 };
    const plots = [];
    const update = () => {
        shared.max = {};
        plots.forEach((p) => p.rows.forEach((row) => {
            shared.max[row.name] = Math.max(shared.max[row.name] || 0, p.most(row));
        }));
        plots.forEach((p) => p.redraw());
    };
    chooser(controlsOf(section), 'Show', Object.entries(TIME_METRICS).map(([key, m]) => [key, m.name]),
        (value) => { shared.metric = value; update(); });
    legend(section, [['collective', 'MPI-IO'], ['inside', 'POSIX']]);
    eachRun(section, (run) => (run.time.bins.length ? '' : 'There was no I/O.'), (run) => {
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

class OffsetPlot extends Plot {
    constructor(parent, run) {
        const box = controlsOf(parent);
        super(parent, 'Offsets of reads and writes against time. Arrow keys go from call to call.');
        this.run = run;
        this.events = run.events.rows;
        this.controls(box);
        this.filter();
    }

    height(width) {
        return width < 560 ? 300 : 380;
    }

    controls(box) {
        const count = this.run.events.files.map((_, i) =>
            this.events.filter((e) => e[EVENT.file] === i).length);
        const files = this.run.events.files.map((path, i) => [i, path])
            .sort((a, b) => count[b[0]] - count[a[0]]);
        const change = () => { this.filter(); this.select(null); };
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
        pen.timeAxis(this.left, this.right, this.bottom, this.from, this.to);
        this.scale(pen);
        if (this.shown.length === 0) {
            pen.text('No such calls on this file.', (this.left + this.right) / 2, this.bottom / 2,
                { align: 'center' });
        } else if (pen.selection !== null) {
            const [x, y, width, height] = this.place(this.shown[pen.selection]);
            pen.frame(x - 3, y - 3, width + 6, height + 6);
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
        return moveTo(selection, key, n, Math.max(1, Math.round(n / 20)),
            (i) => this.shown[i][EVENT.rank] === this.shown[selection][EVENT.rank]);
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
    eachRun(section, (run) => (run.events.rows.length ? ''
        : 'No reads and writes were recorded one by one. To have them, name the ranks that matter: '
        + 'mpirun … ioprof --ranks 0,20-40 …'),
    (run) => {
        const { recorded, rows, dropped, ranks } = run.events;
        new OffsetPlot(section, run);
        if (rows.length < recorded || dropped > 0) {
            section.append(element('p', { className: 'lead' }, showCount(rows.length) + ' of '
                + showCount(recorded) + ' calls of ' + showCount(ranks) + ' ranks are in this page, '
                + 'picked at random, and of 160 files at most.' + (dropped ? ' '
                + showCount(dropped) + ' more were not kept by ioprof (--max-events).' : '')));
        }
    });
}
