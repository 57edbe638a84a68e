/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Bars: shares by operation, and sizes of reads and writes. */

/** sums[class][kind] = { time, calls, bytes } over functions. */
function classSums(run) {
    const sums = {};
    CLASSES.forEach((name) => {
        sums[name] = KINDS.map(() => ({ time: 0, calls: 0, bytes: 0 }));
    });
    run.functions.forEach((f) => {
        const cell = sums[f.class][KINDS.indexOf(f.kind)];
        cell.time += f.ns;
        cell.calls += f.calls;
        cell.bytes += f.kind === 'read' || f.kind === 'write' ? f.bytes : 0;
    });
    return sums;
}

/** Rows of the shares: all I/O of the program, then the classes that were used. */
function shareRows(run) {
    const sums = classSums(run);
    const all = KINDS.map((_, kind) => ({ time: 0, calls: 0, bytes: 0, kind }));
    const rows = [['all I/O of the program', all]];
    CLASSES.forEach((name) => {
        if (name !== 'inside') {
            sums[name].forEach((cell, kind) => {
                ['time', 'calls', 'bytes'].forEach((m) => { all[kind][m] += cell[m]; });
            });
        }
        if (sums[name].some((cell) => cell.calls > 0)) rows.push([CLASS_NAMES[name], sums[name]]);
    });
    return rows;
}

/** What a key makes of [row, column] in a picture of `rows` rows with columns(row) in each. */
function moveInTable(selection, key, rows, columns) {
    const limit = (value, n) => Math.max(0, Math.min(n - 1, value));
    const across = { ArrowLeft: -1, ArrowRight: 1, Home: -99, End: 99 };
    const down = { ArrowUp: -1, ArrowDown: 1, PageUp: -99, PageDown: 99 };
    const row = selection ? limit(selection[0] + (down[key] || 0), rows) : 0;
    if (rows === 0 || columns(row) === 0) return null;
    return [row, selection ? limit(selection[1] + (across[key] || 0), columns(row)) : 0];
}

class SharePlot extends Plot {
    constructor(parent, run, shared) {
        super(parent, 'Shares of operations. Arrow keys go from part to part.');
        this.shared = shared;
        this.rows = shareRows(run);
        this.wall = run.wall;
    }

    height() {
        return this.rows.length * 48 + 4;
    }

    total(row) {
        return this.rows[row][1].reduce((sum, cell) => sum + cell[this.shared.metric], 0);
    }

    /** Parts of a row: [kind, from, width] in shares of 1; thin ones stay visible. */
    parts(row) {
        const total = this.total(row);
        let at = 0;
        return this.rows[row][1].map((cell, kind) => {
            const share = total > 0 ? cell[this.shared.metric] / total : 0;
            at += share;
            return { kind, from: at - share, share };
        }).filter((part) => part.share > 0);
    }

    draw(pen) {
        this.width = pen.width - 2;
        this.rows.forEach(([name], row) => {
            const top = 4 + row * 48;
            const value = UNITS[this.shared.metric](this.total(row));
            pen.text(name, 1, top + 8, { name: 'ink' });
            pen.text(value, this.width, top + 8, { align: 'right', name: 'ink' });
            pen.box(1, top + 18, this.width - 1, 22, 'grid');
            this.parts(row).forEach(({ kind, from, share }) => {
                const x = 1 + from * (this.width - 1);
                const width = share * (this.width - 1);
                pen.box(x, top + 18, Math.max(1, width - 1), 22, KINDS[kind]);
                const string = KINDS[kind] + ' ' + percent(share, 1);
                if (pen.textWidth(string) + 10 < width) {
                    pen.text(string, x + width / 2, top + 29.5, { align: 'center', name: 'panel', bold: true });
                }
            });
        });
        if (pen.selection !== null) this.mark(pen);
    }

    mark(pen) {
        const part = this.parts(pen.selection.row).find((p) => p.kind === pen.selection.kind);
        if (!part) return;
        const x = 1 + part.from * (this.width - 1);
        const width = Math.max(3, part.share * (this.width - 1) - 1);
        pen.frame(Math.min(x, this.width - 4), 4 + pen.selection.row * 48 + 17, width, 24);
    }

    pick(x, y) {
        const row = Math.floor((y - 4) / 48);
        if (row < 0 || row >= this.rows.length) return null;
        const share = (x - 1) / (this.width - 1);
        const part = this.parts(row).find((p) => share >= p.from && share < p.from + p.share);
        return part ? { row, kind: part.kind } : null;
    }

    move(selection, key) {
        const at = selection && this.parts(selection.row).findIndex((p) => p.kind === selection.kind);
        const to = moveInTable(selection && [selection.row, at], key, this.rows.length,
            (row) => this.parts(row).length);
        return to && { row: to[0], kind: this.parts(to[0])[to[1]].kind };
    }

    text({ row, kind }) {
        const [name, cells] = this.rows[row];
        const cell = cells[kind];
        return name + ', ' + KINDS[kind] + ': ' + showTime(cell.time) + ' of rank time ('
            + percent(cell.time, this.wall) + ' of the run), ' + showCount(cell.calls) + ' calls'
            + (cell.bytes ? ', ' + showBytes(cell.bytes) : '') + '; '
            + percent(cell[this.shared.metric], this.total(row)) + ' of this bar.';
    }
}

function sharePanel() {
    const section = panel('shares', 'Shares by operation', 'Sums over all ranks.', runs.length === 1);
    const shared = { metric: 'time' };
    const plots = [];
    chooser(controlsOf(section), 'Show', [['time', 'time'], ['calls', 'calls'], ['bytes', 'bytes']], (value) => {
        shared.metric = value;
        plots.forEach((p) => p.select(null));
    });
    const used = KINDS.filter((kind) => runs.some((run) => run.functions.some((f) => f.kind === kind)));
    legend(section, used.map((kind) => [kind, kind]));
    eachRun(section, () => '', (run) => plots.push(new SharePlot(section, run, shared)));
}

/* ---- sizes ---- */
const SIZE_NAMES = ['0', '<512', '<4K', '<32K', '<256K', '<1M', '<4M', '<16M', '<128M', '<1G', '≥1G'];
const SIZE_TEXTS = ['0 bytes', '1 to 511 bytes', '512 bytes to 4 KiB', '4 to 32 KiB', '32 to 256 KiB',
    '256 KiB to 1 MiB', '1 to 4 MiB', '4 to 16 MiB', '16 to 128 MiB', '128 MiB to 1 GiB',
    '1 GiB or more'];
const SIZE_ROWS = [['MPI-IO read', ['collective', 'independent'], 'read', 'other'],
    ['MPI-IO write', ['collective', 'independent'], 'write', 'collective'],
    ['POSIX read', ['posix'], 'read', 'meta'], ['POSIX write', ['posix'], 'write', 'posix'],
    ['< POSIX read', ['inside'], 'read', 'open'], ['< POSIX write', ['inside'], 'write', 'inside']];

function sizeRows(run) {
    return SIZE_ROWS.map(([name, classes, kind, paint]) => {
        const counts = SIZE_NAMES.map(() => 0);
        run.functions.forEach((f) => {
            if (classes.includes(f.class) && f.kind === kind) {
                f.sizes.forEach((n, i) => { counts[i] += n; });
            }
        });
        return { name, counts, paint, all: counts.reduce((a, b) => a + b, 0) };
    }).filter((row) => row.all > 0);
}

class SizePlot extends Plot {
    constructor(parent, run) {
        super(parent, 'Sizes of reads and writes. Arrow keys go from bar to bar.');
        this.rows = sizeRows(run);
    }

    height(width) {
        return this.rows.length * 74 + (width < 480 ? 36 : 22);
    }

    draw(pen) {
        this.step = pen.width / SIZE_NAMES.length;
        this.rows.forEach((row, i) => this.row(pen, row, i));
        /* Where labels do not fit side by side, every other one is in a second line. */
        const lines = pen.width < 480 ? 2 : 1;
        SIZE_NAMES.forEach((name, i) => pen.text(name, (i + 0.5) * this.step,
            this.rows.length * 74 + 12 + 14 * (i % lines), { align: 'center' }));
        if (pen.selection !== null) {
            const { row, bucket } = pen.selection;
            pen.frame(bucket * this.step + 1, row * 74 + 16, this.step - 2, 58);
        }
    }

    row(pen, { name, counts, paint, all }, index) {
        const base = index * 74 + 72;
        const most = Math.max(...counts);
        pen.text(name + ': ' + showCount(all) + ' calls', 1, index * 74 + 8, { name: 'ink' });
        counts.forEach((n, i) => {
            if (n === 0) return;
            const height = Math.max(2, 38 * n / most);
            pen.box((i + 0.12) * this.step, base - height, this.step * 0.76, height, paint);
            pen.text(showShort(n), (i + 0.5) * this.step, base - height - 7, { align: 'center' });
        });
        pen.line(0, base, pen.width, base, 'line');
    }

    pick(x, y) {
        const row = Math.floor(y / 74);
        const bucket = Math.floor(x / this.step);
        return row >= 0 && row < this.rows.length && bucket >= 0 && bucket < SIZE_NAMES.length
            ? { row, bucket } : null;
    }

    move(selection, key) {
        const to = moveInTable(selection && [selection.row, selection.bucket], key, this.rows.length,
            () => SIZE_NAMES.length);
        return to && { row: to[0], bucket: to[1] };
    }

    text({ row, bucket }) {
        const { name, counts, all } = this.rows[row];
        return name + ', ' + SIZE_TEXTS[bucket] + ': ' + showCount(counts[bucket]) + ' of '
            + showCount(all) + ' calls (' + percent(counts[bucket], all) + ').';
    }
}

function sizePanel() {
    const section = panel('sizes', 'Sizes of reads and writes',
        'Calls by their bytes; a row has its own scale.', runs.length === 1);
    eachRun(section, (run) => (sizeRows(run).length ? '' : 'Nothing was read or written.'),
        (run) => new SizePlot(section, run));
}
