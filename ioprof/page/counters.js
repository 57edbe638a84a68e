/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What was sampled while calls were recorded: memory of ranks, counters of hosts. */

/** Rows of bars over the time of a run: of a row, row.value(bin) upwards and row.below(bin), if it has
 *  that, downwards. `shared.end` is the last time. */
class BinPlot extends Plot {
    constructor(parent, label, run, bins, shared, rows) {
        super(parent, label + '. Arrow keys select a time.');
        Object.assign(this, { run, bins, shared, rows });
    }

    step(width) {
        return width < 560 ? 46 : 58;
    }

    height(width) {
        return this.rows.length * this.step(width) + 30;
    }

    time(bin) {
        return this.run.time.start + bin * this.run.time.width;
    }

    x(bin) {
        return this.left + (this.right - this.left) * this.time(bin) / this.shared.end;
    }

    most(row) {
        let most = 0;
        for (let bin = 0; bin < this.bins; bin++) {
            most = Math.max(most, row.value(bin) || 0, row.below ? row.below(bin) : 0);
        }
        return most;
    }

    draw(pen) {
        this.left = pen.narrow ? 66 : 96;
        this.right = pen.width - 8;
        this.rows.forEach((row, i) => this.row(pen, row, 4 + i * this.step(pen.width)));
        pen.timeAxis(this.left, this.right, pen.height - 24, 0, this.shared.end);
        if (pen.selection !== null) {
            const from = this.x(pen.selection);
            pen.frame(from - 1, 3, Math.max(3, this.x(pen.selection + 1) - from + 2), pen.height - 28);
        }
    }

    row(pen, row, top) {
        const height = this.step(pen.width) - 16;
        const size = row.below ? height / 2 : height;
        const base = top + 12 + size;
        const most = (row.most ? row.most() : this.most(row)) || 1;
        pen.text(row.name, 2, top + 12 + height / 2, { name: 'ink', bold: true });
        for (let bin = 0; bin < this.bins; bin++) {
            const from = this.x(bin);
            const width = Math.max(1, this.x(bin + 1) - from - (pen.narrow ? 0 : 0.4));
            const up = row.value(bin) ? Math.max(1.5, size * row.value(bin) / most) : 0;
            const down = row.below && row.below(bin) ? Math.max(1.5, size * row.below(bin) / most) : 0;
            if (up) pen.box(from, base - up, width, up, row.color);
            if (down) pen.box(from, base + 1, width, down, 'inside');
        }
        pen.line(this.left, base, this.right, base, 'line');
        pen.text('scale to ' + row.show(most), this.right, top + 5, { align: 'right' });
    }

    pick(x) {
        const ns = (x - this.left) / (this.right - this.left) * this.shared.end;
        const bin = Math.floor((ns - this.run.time.start) / this.run.time.width);
        return bin >= 0 && bin < this.bins ? bin : null;
    }

    move(selection, key) {
        if (selection === null) return 0;
        return moveTo(selection, key, this.bins, 16,
            (bin) => this.rows.some((row) => row.value(bin) || (row.below && row.below(bin))));
    }

    text(selection) {
        return showTime(this.time(selection)) + ' to ' + showTime(this.time(selection + 1)) + ': '
            + (this.parts(selection).join('; ') || 'nothing') + '.';
    }

    parts(selection) {
        return this.rows.filter((row) => row.value(selection))
            .map((row) => row.name + ' ' + row.show(row.value(selection)));
    }
}

/** What was sampled: `rows` has the bins with a sample; `lines` are the rows of the picture. */
function counterPlot(section, label, run, rows, lines) {
    const bins = rows[rows.length - 1].bin + 1;
    const end = Math.max(1, run.time.start + bins * run.time.width, run.took);
    return new BinPlot(section, label, run, bins, { end }, lines);
}

function memoryPanel() {
    if (runs.every((run) => run.time.memory.length === 0)) return;
    const section = panel('memory', 'Memory',
        'Resident memory of ranks, sampled when recorded calls end, at most every 10 ms.');
    eachRun(section, (run) => (run.time.memory.length ? '' : 'This profile has no samples of memory.'),
        (run) => {
            const rows = run.time.memory;
            const at = {};
            rows.forEach(({ bin, samples, sum, max }) => { at[bin] = { mean: sum / samples, max }; });
            counterPlot(section, 'Memory', run, rows, [
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
    return HOST_ROWS.map(([key, name, color]) => {
        const at = {};
        run.time.node.forEach((row) => { at[row.bin] = row[key] / run.time.width; });
        const value = (bin) => (at[bin] || 0) * (key === 'cpu_ns' ? 1 : 1e9);
        return { name, color, show: hostUnit(key), value, key };
    }).filter(({ key }) => run.time.node.some((row) => row[key] > 0));
}

function hostPanel() {
    if (runs.every((run) => run.time.node.length === 0)) return;
    const section = panel('hosts', 'Hosts',
        'Counters of all hosts together, sampled when recorded calls end: everything that ran there.');
    eachRun(section, (run) => (run.time.node.length ? ''
        : 'No counters of hosts were sampled: mpirun … ioprof --node …'),
    (run) => counterPlot(section, 'Hosts', run, run.time.node, hostRows(run)));
}
