/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What was sampled while calls were recorded: memory of ranks, counters of hosts. */

/** Rows of bars over the time of a run. Each row: name, color, show(value), value(bin). */
class CounterPlot {
    constructor(parent, label, run, bins, end, rows) {
        Object.assign(this, { run, bins, end, rows });
        this.plot = new Plot(parent, {
            label: label + '. Arrow keys select a time.',
            height: (width) => rows.length * this.step(width) + 30,
            draw: (pen) => this.draw(pen),
            pick: (x) => this.pick(x),
            move: (selection, key) => this.move(selection, key),
            text: (selection) => this.text(selection),
        });
    }

    step(width) {
        return width < 560 ? 46 : 58;
    }

    time(bin) {
        return this.run.time.start + bin * this.run.time.width;
    }

    x(ns) {
        return this.left + (this.right - this.left) * ns / this.end;
    }

    draw(pen) {
        this.left = pen.narrow ? 66 : 96;
        this.right = pen.width - 8;
        this.rows.forEach((row, i) => this.row(pen, row, 4 + i * this.step(pen.width)));
        pen.timeAxis(this.left, this.right, pen.height - 24, this.end);
        if (pen.selection !== null) {
            const from = this.x(this.time(pen.selection));
            const to = this.x(this.time(pen.selection + 1));
            pen.frame(from - 1, 3, Math.max(3, to - from + 2), pen.height - 28);
        }
    }

    row(pen, row, top) {
        const height = this.step(pen.width) - 16;
        const bottom = top + 12 + height;
        let most = 0;
        for (let bin = 0; bin < this.bins; bin++) most = Math.max(most, row.value(bin) || 0);
        pen.text(row.name, 2, top + 12 + height / 2, { name: 'ink', bold: true });
        for (let bin = 0; bin < this.bins; bin++) {
            const value = row.value(bin);
            if (!value) continue;
            const from = this.x(this.time(bin));
            const width = Math.max(1, this.x(this.time(bin + 1)) - from - (pen.narrow ? 0 : 0.4));
            const size = Math.max(1.5, height * value / most);
            pen.box(from, bottom - size, width, size, row.color);
        }
        pen.line(this.left, bottom, this.right, bottom, 'line');
        pen.text('scale to ' + row.show(most), this.right, top + 5, { align: 'right' });
    }

    pick(x) {
        const ns = (x - this.left) / (this.right - this.left) * this.end;
        const bin = Math.floor((ns - this.run.time.start) / this.run.time.width);
        return bin >= 0 && bin < this.bins ? bin : null;
    }

    sampled(bin) {
        return this.rows.some((row) => row.value(bin));
    }

    move(selection, key) {
        if (selection === null) return 0;
        const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -16, PageDown: 16, Home: -this.bins,
            End: this.bins };
        if (key in steps) return Math.max(0, Math.min(this.bins - 1, selection + steps[key]));
        /* Up and down: the next time with a sample. */
        const step = key === 'ArrowDown' ? 1 : -1;
        for (let bin = selection + step; bin >= 0 && bin < this.bins; bin += step) {
            if (this.sampled(bin)) return bin;
        }
        return selection;
    }

    text(selection) {
        const parts = this.rows.filter((row) => row.value(selection))
            .map((row) => row.name + ' ' + row.show(row.value(selection)));
        return showTime(this.time(selection)) + ' to ' + showTime(this.time(selection + 1)) + ': '
            + (parts.join(', ') || 'no sample') + '.';
    }
}

/** The end of the picture: that of the run, or of its last sample. */
function counterEnd(run, bins) {
    return Math.max(1, run.time.start + bins * run.time.width,
        run.wall / Math.max(1, run.ranks.n));
}

function memoryPanel() {
    if (runs.every((run) => run.time.memory.length === 0)) return;
    const section = panel('memory', 'Memory',
        'Resident memory of ranks, sampled when recorded calls end, at most every 10 ms.');
    runs.forEach((run, i) => {
        runTitle(section, i);
        const rows = run.time.memory;
        if (rows.length === 0) {
            note(section, 'This profile has no samples of memory.');
            return;
        }
        const bins = rows[rows.length - 1][0] + 1;
        const at = {};
        rows.forEach(([bin, samples, sum, max]) => { at[bin] = { mean: sum / samples, max }; });
        new CounterPlot(section, 'Memory', run, bins, counterEnd(run, bins), [
            { name: 'greatest', color: 'close', show: showBytes, value: (bin) => at[bin] && at[bin].max },
            { name: 'mean', color: 'other', show: showBytes, value: (bin) => at[bin] && at[bin].mean },
        ]);
    });
}

const HOST_ROWS = [['cpu_ns', 'CPU', 'posix'], ['net_received', 'network in', 'read'],
    ['net_sent', 'network out', 'write'], ['disk_read', 'disk read', 'read'],
    ['disk_written', 'disk write', 'write'], ['lustre_read', 'Lustre read', 'read'],
    ['lustre_written', 'Lustre write', 'write'], ['lustre_reads', 'Lustre read requests', 'read'],
    ['lustre_writes', 'Lustre write requests', 'write']];

/** How a rate of this counter is shown: busy cores, requests or bytes per second. */
function hostUnit(key) {
    if (key === 'cpu_ns') return (x) => digits(x) + ' cores';
    return /s$/.test(key) ? (x) => digits(x) + '/s' : (x) => showBytes(x) + '/s';
}

/** Rates of the counters that are not 0; the CPU as the number of busy cores. */
function hostRows(run) {
    const { columns, rows } = run.time.node;
    return HOST_ROWS.map(([key, name, color]) => {
        const column = columns.indexOf(key);
        const at = {};
        rows.forEach((row) => { at[row[0]] = row[column] / run.time.width; });
        const show = hostUnit(key);
        const value = (bin) => (at[bin] || 0) * (key === 'cpu_ns' ? 1 : 1e9);
        return { name, color, show, value, used: rows.some((row) => row[column] > 0) };
    }).filter((row) => row.used);
}

function hostPanel() {
    if (runs.every((run) => run.time.node.rows.length === 0)) return;
    const section = panel('hosts', 'Hosts',
        'Counters of all hosts together, sampled when recorded calls end: everything that ran there.');
    runs.forEach((run, i) => {
        runTitle(section, i);
        const { rows } = run.time.node;
        if (rows.length === 0) {
            note(section, 'No counters of hosts were sampled: mpirun … ioprof --node …');
            return;
        }
        const bins = rows[rows.length - 1][0] + 1;
        new CounterPlot(section, 'Hosts', run, bins, counterEnd(run, bins), hostRows(run));
    });
}
