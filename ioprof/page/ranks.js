/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Ranks: what the program called, upwards, against what MPI-IO did with POSIX, downwards. */
const SERIES = ['collective', 'other', 'posix', 'inside'];

/** Rows of a run as objects with named values; time, calls and bytes have a value for each series. */
function rankRows(run) {
    return run.ranks.rows.map((row) => {
        const [host, rank, end, wall] = row;
        const [read, written, memory_peak, memory_io] = row.slice(16);
        return { host, rank, end, wall, time: row.slice(4, 8), calls: row.slice(8, 12),
            bytes: row.slice(12, 16), read, written, memory_peak, memory_io };
    });
}

function above(rank, metric) {
    return rank[metric][0] + rank[metric][1] + rank[metric][2];
}

function below(rank, metric) {
    return rank[metric][3];
}

const ORDERS = {
    rank: null,
    bytes: (a, b) => b.read + b.written - a.read - a.written || a.rank - b.rank,
    time: (a, b) => above(b, 'time') - above(a, 'time') || a.rank - b.rank,
};

class RankPlot extends Plot {
    constructor(parent, run, shared) {
        super(parent, 'Bars of ' + run.ranks.n + ' ranks. Arrow keys select a rank, + and - zoom.');
        this.run = run;
        this.shared = shared;
        this.rows = rankRows(run);
        this.sort('rank');
    }

    height(width) {
        return width < 560 ? 250 : 300;
    }

    sort(order) {
        this.order = order;
        this.sorted = ORDERS[order] ? [...this.rows].sort(ORDERS[order]) : this.rows;
        this.low = 0;
        this.high = this.rows.length;
    }

    max() {
        const metric = this.shared.metric;
        return this.rows.reduce((most, rank) => [Math.max(most[0], above(rank, metric)),
            Math.max(most[1], below(rank, metric))], [0, 0]);
    }

    zoom(factor) {
        const n = this.rows.length;
        const middle = this.selection === null ? (this.low + this.high) / 2 : this.selection;
        const size = Math.min(n, Math.max(Math.min(8, n), Math.round((this.high - this.low) * factor)));
        this.low = Math.max(0, Math.min(n - size, Math.round(middle - size / 2)));
        this.high = this.low + size;
        this.redraw();
    }

    key(key) {
        if (key === '+' || key === '=') this.zoom(0.5);
        else if (key === '-') this.zoom(2);
        else return false;
        return true;
    }

    /** Heights of the two halves: one scale, unless one half would hardly be seen. */
    layout(height) {
        const [up, down] = this.shared.max;
        this.split = up > 0 && down > 0 && (down < up / 6 || up < down / 6);
        const part = down === 0 ? 0.06 : (this.split ? (down < up ? 0.35 : 0.65) : down / (up + down));
        /* A line at the top for remarks. */
        const top = this.split || this.high - this.low < this.rows.length ? 22 : 8;
        const room = height - 22 - top;
        this.lower = up === 0 ? room * 0.94 : room * part;
        this.upper = room - this.lower;
        this.zero = top + this.upper;
    }

    bar(pen, x, width, rank) {
        const metric = this.shared.metric;
        const [up, down] = this.shared.max;
        let y = this.zero;
        for (let i = 0; i < 3 && up > 0; i++) {
            const height = this.upper * rank.up[metric][i] / up;
            if (height > 0) pen.box(x, y - height, width, height, SERIES[i]);
            y -= height;
        }
        const bytes = below(rank.down, metric);
        if (bytes > 0) {
            pen.box(x, this.zero + 1, width, Math.max(2, this.lower * bytes / down), 'inside');
        }
    }

    /** The ranks that stand for a column: those with most of each half. */
    column(from, to) {
        const metric = this.shared.metric;
        let up = this.sorted[from];
        let down = up;
        for (let i = from + 1; i < to; i++) {
            if (above(this.sorted[i], metric) > above(up, metric)) up = this.sorted[i];
            if (below(this.sorted[i], metric) > below(down, metric)) down = this.sorted[i];
        }
        return { up, down };
    }

    axis(pen, max, height, sign) {
        const show = UNITS[this.shared.metric];
        if (!(max > 0)) return;
        ticks(max, Math.max(1, height / 34), this.shared.metric).forEach((value) => {
            const y = this.zero + sign * height * value / max;
            if (value === 0 && sign > 0) return;
            pen.line(this.left, y, this.right, y, value === 0 ? 'soft' : 'grid');
            pen.text(show(value), this.left - 5, y, { align: 'right' });
        });
    }

    draw(pen) {
        const n = this.high - this.low;
        this.left = pen.narrow ? 56 : 68;
        this.right = pen.width - 6;
        this.layout(pen.height);
        this.axis(pen, this.shared.max[0], this.upper, -1);
        this.axis(pen, this.shared.max[1], this.lower, 1);
        this.step = (this.right - this.left) / n;
        const columns = Math.min(n, Math.floor(this.right - this.left));
        const width = (this.right - this.left) / columns;
        /* Bars of few ranks stand in the middle of their columns. */
        const bar = Math.min(width - (width > 5 ? Math.min(width * 0.25, 12) : 0), 90);
        for (let i = 0; i < columns; i++) {
            const from = this.low + Math.floor(i * n / columns);
            const to = this.low + Math.floor((i + 1) * n / columns);
            this.bar(pen, this.left + i * width + (width - bar) / 2, bar,
                this.column(from, Math.max(to, from + 1)));
        }
        this.labels(pen, n);
        this.mark(pen);
    }

    labels(pen, n) {
        const y = pen.height - 8;
        const group = this.run.ranks.group;
        if (this.order === 'rank') {
            const distance = ticks(n, Math.max(1, (this.right - this.left) / 70), 'calls')[1] || 1;
            const first = Math.ceil(this.low / distance) * distance;
            for (let i = first; i < this.high; i += distance) {
                const x = this.left + (i - this.low + 0.5) * this.step;
                const string = (i === first ? 'rank ' : '') + i * group;
                const half = pen.textWidth(string) / 2;
                pen.text(string, Math.max(half, Math.min(this.right - half, x)), y,
                    { align: 'center' });
            }
        } else {
            pen.text('ranks, ' + (this.order === 'bytes' ? 'most bytes' : 'most I/O time') + ' first',
                this.left, y);
        }
        const remarks = [];
        if (n < this.rows.length) {
            remarks.push(showCount(n) + ' of ' + showCount(this.rows.length) + ' ranks shown');
        }
        if (this.split) remarks.push('two scales: above and below differ');
        pen.text(remarks.join('; '), this.right, 9, { align: 'right', name: 'ink' });
    }

    mark(pen) {
        if (pen.selection === null || pen.selection < this.low || pen.selection >= this.high) return;
        const x = this.left + (pen.selection - this.low) * this.step;
        const width = Math.max(3, Math.min(this.step, 98));
        pen.frame(x + (this.step - width) / 2, this.zero - this.upper - 3, width,
            this.upper + this.lower + 6);
    }

    pick(x) {
        const n = this.high - this.low;
        const at = this.low + Math.floor((x - this.left) / this.step);
        if (x < this.left || at >= this.low + n) return null;
        if (this.step >= 1) return at;
        /* Several ranks in a pixel: the one that is drawn. */
        const to = Math.min(this.high, at + Math.ceil(1 / this.step));
        const { up, down } = this.column(at, to);
        return this.sorted.indexOf(below(down, this.shared.metric) > 0 ? down : up, at);
    }

    move(selection, key) {
        const n = this.rows.length;
        /* Up and down: the next aggregator (of 6,000 ranks they are far apart); where there is none,
           the next rank that accesses files. */
        const aggregators = this.rows.some((rank) => rank.bytes[3] > 0);
        const busy = (rank) => (aggregators ? rank.bytes[3] : rank.read + rank.written) > 0;
        const at = selection === null ? this.low
            : moveTo(selection, key, n, Math.max(1, Math.round((this.high - this.low) / 10)),
                (i) => busy(this.sorted[i]));
        if (at < this.low || at >= this.high) {
            const size = this.high - this.low;
            this.low = Math.max(0, Math.min(n - size, at - Math.floor(size / 2)));
            this.high = this.low + size;
        }
        return at;
    }

    text(selection) {
        const rank = this.sorted[selection];
        const group = this.run.ranks.group;
        const name = group > 1 ? 'Ranks ' + rank.rank + ' to '
            + Math.min(this.run.ranks.n - 1, rank.rank + group - 1) + ' (greatest values)'
            : 'Rank ' + rank.rank;
        const names = ['collective', 'other MPI-IO', 'POSIX', '< POSIX'];
        const parts = SERIES.map((series, i) => (rank.calls[i] === 0 ? null
            : names[i] + ' ' + showTime(rank.time[i]) + ' in ' + showCount(rank.calls[i])
            + ' calls' + (rank.bytes[i] ? ', ' + showBytes(rank.bytes[i]) : '')));
        return name + ' on ' + rank.host + ', run ' + showTime(rank.wall)
            + ['', ', exit without MPI_Finalize', ', MPI_Abort', ', ended by a signal'][rank.end]
            + ': ' + (parts.filter((part) => part).join('; ') || 'no I/O')
            + '. Files: ' + showBytes(rank.read) + ' read, ' + showBytes(rank.written)
            + ' written.' + (rank.memory_peak ? ' Memory: peak ' + showBytes(rank.memory_peak)
            + (rank.memory_io ? ', ' + showBytes(rank.memory_io) + ' added by MPI-IO' : '') + '.' : '');
    }
}

function spread(parent, rows) {
    const columns = [['I/O time', (r) => above(r, 'time'), showTime],
        ['collective', (r) => r.time[0], showTime], ['< POSIX', (r) => r.time[3], showTime],
        ['read', (r) => r.read, showBytes], ['written', (r) => r.written, showBytes],
        ['peak memory', (r) => r.memory_peak, showBytes]];
    const n = rows.length;
    const line = ([name, value, show]) => {
        const sorted = rows.map(value).sort((a, b) => a - b);
        return element('tr', {}, element('th', { scope: 'row' }, name),
            ...[0, Math.floor(n / 2), n - 1].map((i) => element('td', {}, show(sorted[i]))));
    };
    parent.append(element('table', {},
        element('thead', {}, element('tr', {},
            ...['of a rank', 'least', 'median', 'most'].map((name) => element('th', {}, name)))),
        element('tbody', {}, ...columns.map(line))));
}

function rankPanel() {
    const section = panel('ranks', 'Ranks',
        'Above the line: calls of the program. Below: what MPI-IO did with POSIX calls (<). Ranks '
        + 'with long bars below access the files: the aggregators.');
    const controls = controlsOf(section);
    const shared = { metric: 'time', max: [0, 0] };
    const plots = [];
    const update = () => {
        shared.max = plots.map((p) => p.max()).reduce((a, b) =>
            [Math.max(a[0], b[0]), Math.max(a[1], b[1])], [0, 0]);
        plots.forEach((p) => p.redraw());
    };
    chooser(controls, 'Show', [['time', 'time'], ['bytes', 'bytes'], ['calls', 'calls']],
        (value) => { shared.metric = value; update(); });
    chooser(controls, 'Order', [['rank', 'rank'], ['bytes', 'most bytes in files'],
        ['time', 'most I/O time']], (value) => plots.forEach((p) => { p.sort(value); p.select(null); }));
    [['Zoom in', 0.5], ['Zoom out', 2]].forEach(([text, factor]) => {
        const button = element('button', { type: 'button' }, text);
        button.addEventListener('click', () => plots.forEach((p) => p.zoom(factor)));
        controls.append(button);
    });
    legend(section, [['collective', 'collective MPI-IO'], ['other', 'other MPI-IO'],
        ['posix', 'POSIX of the program'], ['inside', '< POSIX inside MPI-IO']]);
    eachRun(section, (run) => (run.ranks.n ? '' : 'This profile has no ranks.'), (run) => {
        const plot = new RankPlot(section, run, shared);
        plots.push(plot);
        if (run.ranks.n > 1) spread(section, plot.rows);
    });
    update();
}
