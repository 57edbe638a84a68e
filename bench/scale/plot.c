/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results as a picture: data messages at the busiest aggregator, and the estimated time, both
 * against the number of ranks, all axes logarithmic. Dashed: two-phase; solid: TAM.
 */
#include <math.h>
#include <string.h>

#include "scale.h"

enum { WIDTH = 420, HEIGHT = 320, LEFT = 70, TOP = 40, GAP = 110 };

static const char *const colours[] = {"#1b6ca8", "#c8553d", "#3a7d44", "#7b4fa0"};

/* One of the two panels. */
typedef struct plot_panel_t {
    FILE *out;
    double left;
    double lo[2]; /* log10 of the axes' ends: x, y */
    double hi[2];
    double (*value)(const scale_result_t *result);
} panel_t;

static double messages_of(const scale_result_t *result)
{
    return result->worst > 1 ? (double) result->worst : 1;
}

static double seconds_of(const scale_result_t *result)
{
    double sum = 0;

    for (int part = 0; part < SCALE_PARTS; ++part) {
        sum += result->seconds[part];
    }
    return sum > 1e-6 ? sum : 1e-6;
}

static double x_of(const panel_t *panel, double value)
{
    return panel->left + WIDTH * (log10(value) - panel->lo[0]) / (panel->hi[0] - panel->lo[0]);
}

static double y_of(const panel_t *panel, double value)
{
    return TOP + HEIGHT * (panel->hi[1] - log10(value)) / (panel->hi[1] - panel->lo[1]);
}

static void grow(panel_t *panel, int axis, double value)
{
    panel->lo[axis] = fmin(panel->lo[axis], floor(log10(value)));
    panel->hi[axis] = fmax(panel->hi[axis], fmax(panel->lo[axis] + 1, ceil(log10(value) - 1e-9)));
}

static void text(const panel_t *panel, double x, double y, const char *anchor, const char *what)
{
    fprintf(panel->out, "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
            what);
}

/* 0.01, 1, 100, 10k, 1M */
static void write_power(char label[32], double power)
{
    int thousands = (int) fmin(fmax(floor(power / 3), 0), 4);

    (void) snprintf(label, 32, "%g%.*s", pow(10, power - 3 * thousands), 0 < thousands,
                    &"kMGT"[0 < thousands ? thousands - 1 : 0]);
}

static void axes(const panel_t *panel, const char *title)
{
    char label[32];

    text(panel, panel->left + WIDTH / 2.0, TOP - 15, "middle", title);
    text(panel, panel->left + WIDTH / 2.0, TOP + HEIGHT + 38, "middle", "ranks");
    for (int axis = 0; axis < 2; ++axis) {
        for (double power = panel->lo[axis]; power <= panel->hi[axis]; power += 1) {
            double at = pow(10, power);
            double x = 0 == axis ? x_of(panel, at) : panel->left;
            double y = 0 == axis ? TOP : y_of(panel, at);

            fprintf(panel->out,
                    "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", x,
                    y, 0 == axis ? x : panel->left + WIDTH, 0 == axis ? TOP + HEIGHT : y);
            write_power(label, power);
            text(panel, 0 == axis ? x : panel->left - 6, 0 == axis ? TOP + HEIGHT + 18 : y + 4,
                 0 == axis ? "middle" : "end", label);
        }
    }
}

/* One line: results of one pattern and way, in the order they come. */
static void curve(const panel_t *panel, const scale_result_t *results, size_t count,
                  const char *pattern, int way, const char *colour)
{
    fprintf(panel->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\"%s points=\"",
            colour, SCALE_TWO_PHASE == way ? " stroke-dasharray=\"6 4\"" : "");
    for (size_t i = 0; i < count; ++i) {
        if (way == results[i].way && 0 == strcmp(pattern, results[i].pattern)) {
            fprintf(panel->out, "%.1f,%.1f ", x_of(panel, results[i].ranks),
                    y_of(panel, panel->value(&results[i])));
        }
    }
    fprintf(panel->out, "\"/>\n");
}

static void draw(panel_t *panel, const scale_result_t *results, size_t count, const char *title)
{
    size_t patterns = 0;

    for (size_t i = 0; i < count; ++i) {
        grow(panel, 0, results[i].ranks);
        grow(panel, 1, panel->value(&results[i]));
    }
    axes(panel, title);
    for (size_t i = 0; i < count; ++i) {
        const char *colour = colours[patterns % 4];

        if (0 < i && 0 == strcmp(results[i].pattern, results[i - 1].pattern)) {
            continue;
        }
        curve(panel, results, count, results[i].pattern, SCALE_TWO_PHASE, colour);
        curve(panel, results, count, results[i].pattern, SCALE_TAM, colour);
        fprintf(panel->out, "<g fill=\"%s\">", colour);
        text(panel, panel->left + 10, TOP + 18 + 16 * (double) patterns, "start",
             results[i].pattern);
        fprintf(panel->out, "</g>\n");
        ++patterns;
    }
}

void scale_plot(FILE *out, const scale_result_t *results, size_t count)
{
    panel_t messages = {out, LEFT, {99, 99}, {-99, -99}, messages_of};
    panel_t seconds = {out, LEFT + WIDTH + GAP, {99, 99}, {-99, -99}, seconds_of};

    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
            "font-family=\"sans-serif\" font-size=\"12\">\n"
            "<style>svg { fill: #333 } .page { fill: #fff }\n"
            "@media (prefers-color-scheme: dark) { svg { fill: #ddd } .page { fill: #14171a } "
            "line { stroke: #3a3a3a } }</style>\n"
            "<rect width=\"100%%\" height=\"100%%\" class=\"page\"/>\n",
            2 * (LEFT + WIDTH) + GAP, TOP + HEIGHT + 70);
    if (0 < count) {
        draw(&messages, results, count, "data messages to the busiest aggregator in a call");
        draw(&seconds, results, count, "estimated exchange, seconds a step");
        text(&messages, LEFT + WIDTH + GAP / 2.0, TOP + HEIGHT + 60, "middle",
             "dashed: two-phase, solid: TAM");
    }
    fprintf(out, "</svg>\n");
}
