/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What all panels use: units, colours, elements, and Plot, a canvas with a selection. */
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const runs = data.runs;
const KINDS = ['open', 'close', 'read', 'write', 'sync', 'meta', 'seek', 'wait'];
const CLASSES = ['collective', 'independent', 'completion', 'posix', 'inside'];
const CLASS_NAMES = {
    collective: 'collective MPI-IO', independent: 'individual MPI-IO',
    completion: 'completion (wait, test)', posix: 'POSIX of the program',
    inside: '< POSIX inside MPI-IO',
};

/* ---- values as text ---- */
function showTime(ns) {
    const size = Math.abs(ns);
    if (ns === 0) return '0 s';
    if (size < 1e3) return Math.round(ns) + ' ns';
    if (size < 1e6) return digits(ns / 1e3) + ' µs';
    if (size < 1e9) return digits(ns / 1e6) + ' ms';
    return digits(ns / 1e9) + ' s';
}

function showBytes(bytes) {
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
    let unit = 0;
    while (bytes >= 1024 && unit < 5) {
        bytes /= 1024;
        unit++;
    }
    return (unit === 0 ? Math.round(bytes) : digits(bytes)) + ' ' + units[unit];
}

function showCount(n) {
    return Math.round(n).toLocaleString('en-US');
}

/** Short, for labels in pictures: 950, 12k, 3.4M. */
function showShort(n) {
    const units = ['', 'k', 'M', 'G', 'T'];
    let unit = 0;
    while (n >= 1000 && unit < 4) {
        n /= 1000;
        unit++;
    }
    return (n >= 100 || unit === 0 ? Math.round(n) : +n.toFixed(1)) + units[unit];
}

function digits(x) {
    const size = Math.abs(x);
    return String(size >= 100 ? Math.round(x) : +x.toFixed(size >= 10 ? 1 : 2));
}

function percent(part, whole) {
    if (!whole) return '0%';
    const value = 100 * part / whole;
    if (value > 0 && value < 0.1) return '<0.1%';
    return (value >= 10 || value === 0 ? Math.round(value) : value.toFixed(1)) + '%';
}

const UNITS = { time: showTime, bytes: showBytes, calls: showCount, short: showShort };

/** Round values from 0 to max for an axis, about n of them. */
function ticks(max, n, unit) {
    if (!(max > 0)) return [0];
    const rough = max / Math.max(1, n);
    let step;
    if (unit === 'bytes') {
        step = 2 ** Math.max(0, Math.ceil(Math.log2(rough)));
    } else {
        const power = 10 ** Math.floor(Math.log10(rough));
        step = [1, 2, 5, 10].find((m) => m * power >= rough * 0.999) * power;
        if (unit === 'calls') step = Math.max(1, step);
    }
    const list = [];
    for (let i = 0; i * step <= max * 1.0001; i++) list.push(i * step);
    return list;
}

/* ---- elements ---- */
function element(name, properties, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(properties || {})) {
        if (key in node && key !== 'list') node[key] = value;
        else node.setAttribute(key, value);
    }
    node.append(...children);
    return node;
}

/** A section of the page, with its entry in the list at the top. */
function panel(id, title, lead, half) {
    const section = element('section', { id, className: half ? 'panel half' : 'panel' },
        element('h2', {}, title));
    if (lead) section.append(element('p', { className: 'lead' }, lead));
    document.getElementById('main').append(section);
    document.getElementById('nav').append(element('a', { href: '#' + id }, title));
    return section;
}

/** A sentence in place of a picture or a table. Tab reaches it as it would reach those. */
function note(parent, text) {
    parent.append(element('p', { tabIndex: 0 }, text));
}

/** Shows each run; where two are compared, a line names it. empty(run) is a sentence for a run that has
 *  nothing to show, or ''. */
function eachRun(section, empty, show) {
    runs.forEach((run, i) => {
        if (runs.length > 1) section.append(element('p', { className: 'run' }, runName(i)));
        const text = empty(run);
        if (text) note(section, text);
        else show(run);
    });
}

/** A choice; `entries` are [value, text]. */
function chooser(parent, text, entries, change) {
    const select = element('select', {},
        ...entries.map(([value, label]) => element('option', { value }, label)));
    select.addEventListener('change', () => change(select.value));
    parent.append(element('label', {}, text, select));
    return select;
}

/** A line of controls above a picture. */
function controlsOf(section) {
    const box = element('div', { className: 'controls' });
    section.append(box);
    return box;
}

function legend(parent, entries) {
    parent.append(element('ul', { className: 'legend' }, ...entries.map(([color, text]) => {
        const mark = element('i', {});
        mark.style.background = 'var(--' + color + ')';
        return element('li', {}, mark, text);
    })));
}

function runName(index) {
    return 'AB'[index] + ': ' + (runs[index].facts.command || runs[index].facts.program || '?');
}

/* ---- theme ---- */
let colors = {};
function color(name) {
    if (!colors[name]) {
        colors[name] = getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
    }
    return colors[name];
}

const theme = {
    system: window.matchMedia('(prefers-color-scheme: dark)'),
    choice: 'system',
    apply() {
        const dark = this.choice === 'system' ? this.system.matches : this.choice === 'dark';
        document.documentElement.dataset.theme = dark ? 'dark' : 'light';
        document.getElementById('theme').textContent = 'Theme: ' + this.choice;
        colors = {};
        Plot.all.forEach((plot) => plot.redraw());
    },
    start() {
        try {
            this.choice = localStorage.getItem('ioprof-theme') || 'system';
        } catch (error) {
            this.choice = 'system'; /* a file:// page may have no storage */
        }
        this.system.addEventListener('change', () => this.apply());
        document.getElementById('theme').addEventListener('click', () => {
            const order = ['system', 'light', 'dark'];
            this.choice = order[(order.indexOf(this.choice) + 1) % 3];
            try {
                localStorage.setItem('ioprof-theme', this.choice);
            } catch (error) {
                /* the choice lasts as long as the page */
            }
            this.apply();
        });
        this.apply();
    },
};

/* ---- Plot ---- */
const IDLE = 'Point at it, tap it, or press the arrow keys for values.';

const KEYS = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];

/** What a key makes of a number from 0 to n - 1; `page` of them for PageUp and PageDown. Up and down
 *  go to the next one that `wanted` names. */
function moveTo(selection, key, n, page, wanted) {
    const steps = { ArrowLeft: -1, ArrowRight: 1, PageUp: -page, PageDown: page, Home: -n, End: n };
    if (key in steps) return Math.max(0, Math.min(n - 1, selection + steps[key]));
    const step = key === 'ArrowDown' ? 1 : -1;
    for (let i = selection + step; i >= 0 && i < n; i += step) {
        if (wanted(i)) return i;
    }
    return selection;
}

/**
 * A canvas that can be selected in by pointer and keyboard. A kind of picture has
 *   height(width)       in CSS pixels
 *   draw(pen)           pen: context, width, height, selection, helpers
 *   pick(x, y)          selection at a place, or null
 *   move(selection, key) selection after a key; selection is null at the first one
 *   text(selection)     its values, a sentence
 *   key(key)            other keys; true if it was one
 */
class Plot {
    /** The label is for screen readers. */
    constructor(parent, label) {
        this.selection = null;
        this.canvas = element('canvas', {});
        this.box = element('div', {
            className: 'plot', tabIndex: 0, role: 'application', 'aria-label': label,
        }, this.canvas);
        this.readout = element('p', { className: 'readout idle', 'aria-live': 'polite' }, IDLE);
        parent.append(this.box, this.readout);
        this.box.addEventListener('pointermove', (event) => this.point(event));
        this.box.addEventListener('pointerdown', (event) => this.point(event));
        this.box.addEventListener('keydown', (event) => this.press(event));
        new ResizeObserver(() => this.redraw()).observe(this.box);
        Plot.all.push(this);
    }

    point(event) {
        const place = this.canvas.getBoundingClientRect();
        const found = this.pick(event.clientX - place.left, event.clientY - place.top);
        if (found !== null) this.select(found);
    }

    press(event) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (KEYS.includes(event.key)) {
            const found = this.move(this.selection, event.key);
            if (found !== null) this.select(found);
        } else if (event.key === 'Escape') {
            this.select(null);
        } else if (!this.key(event.key)) {
            return;
        }
        event.preventDefault();
    }

    key() {
        return false;
    }

    select(selection) {
        this.selection = selection;
        this.readout.textContent = selection === null ? IDLE : this.text(selection);
        this.readout.classList.toggle('idle', selection === null);
        this.redraw();
    }

    redraw() {
        const width = Math.floor(this.box.clientWidth);
        if (width <= 0) return;
        const height = this.height(width);
        const scale = window.devicePixelRatio || 1;
        this.canvas.width = Math.round(width * scale);
        this.canvas.height = Math.round(height * scale);
        this.canvas.style.height = height + 'px';
        const context = this.canvas.getContext('2d');
        context.scale(scale, scale);
        context.clearRect(0, 0, width, height);
        this.draw(new Pen(context, width, height, this.selection));
    }
}
Plot.all = [];

/** Helpers of drawing. */
class Pen {
    constructor(context, width, height, selection) {
        Object.assign(this, { context, width, height, selection });
        this.narrow = width < 560;
    }

    box(x, y, width, height, name) {
        this.context.fillStyle = color(name);
        this.context.fillRect(x, y, width, height);
    }

    frame(x, y, width, height, name) {
        this.context.strokeStyle = color(name || 'select');
        this.context.lineWidth = 2;
        this.context.strokeRect(x, y, width, height);
    }

    line(x1, y1, x2, y2, name) {
        this.context.strokeStyle = color(name);
        this.context.lineWidth = 1;
        this.context.beginPath();
        this.context.moveTo(Math.round(x1) + 0.5, Math.round(y1) + 0.5);
        this.context.lineTo(Math.round(x2) + 0.5, Math.round(y2) + 0.5);
        this.context.stroke();
    }

    text(string, x, y, { align = 'left', name = 'soft', baseline = 'middle', bold = false } = {}) {
        this.context.font = (bold ? '600 ' : '') + '11.5px system-ui, "DejaVu Sans", sans-serif';
        this.context.fillStyle = color(name);
        this.context.textAlign = align;
        this.context.textBaseline = baseline;
        this.context.fillText(string, x, y);
    }

    textWidth(string) {
        this.context.font = '11.5px system-ui, "DejaVu Sans", sans-serif';
        return this.context.measureText(string).width;
    }

    /** Marks of time below a picture that shows the times `from` to `to`. */
    timeAxis(left, right, y, from, to) {
        const step = ticks(to - from, Math.max(2, (right - left) / 90), 'time')[1] || to;
        for (let ns = Math.ceil(from / step) * step; ns <= to; ns += step) {
            const x = left + (right - left) * (ns - from) / (to - from);
            const string = showTime(ns);
            const half = this.textWidth(string) / 2;
            this.line(x, y, x, y + 4, 'soft');
            this.text(string, Math.min(right - half, Math.max(half, x)), y + 12,
                { align: 'center' });
        }
        this.line(left, y, right, y, 'line');
    }
}
