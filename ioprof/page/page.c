/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "page/page.h"
#include "profile/printable.h"
#include "report/compare.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

/** A page in progress. */
struct page {
    const char *title;
    const struct ioprof_profile *runs[2];
    int nruns;
    /** Writes what is readable without scripts. */
    void (*summary)(const struct page *page, FILE *out);
};

/** Text with the characters that HTML gives a meaning escaped. */
static void html_text(FILE *out, const char *text)
{
    for (; NULL != text && '\0' != *text; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*text, out);
        }
    }
}

static void put_element(FILE *out, const char *name, const char *text)
{
    fprintf(out, "<%s>", name);
    html_text(out, text);
    fprintf(out, "</%s>\n", name);
}

static void html_answers(const struct ioprof_profile *run, FILE *out)
{
    struct ioprof_finding *findings = NULL;
    int n = ioprof_findings(run, &findings);

    fputs("<dl class=\"answers\">\n", out);
    for (int i = 0; i < IOPROF_QUESTIONS; i++) {
        char *text = ioprof_answer(run, i);

        fputs("<div>", out);
        put_element(out, "dt", ioprof_questions[i]);
        put_element(out, "dd", NULL == text ? "?" : text);
        fputs("</div>\n", out);
        free(text);
    }
    fputs("</dl>\n<h3>Findings</h3>\n", out);
    if (n <= 0) {
        put_element(out, "p", "Nothing that would be worth a change.");
    } else {
        fputs("<ol class=\"findings\">\n", out);
        for (int i = 0; i < n; i++) {
            fputs("<li>", out);
            put_element(out, "p", findings[i].text);
            fputs("<p class=\"advice\">", out);
            html_text(out, findings[i].advice);
            fputs("</p></li>\n", out);
        }
        fputs("</ol>\n", out);
    }
    ioprof_findings_free(findings, n);
}

static void put_data(const struct page *page, FILE *out)
{
    struct ioprof_sink json = ioprof_json_sink(out);

    ioprof_json_open(&json, NULL, '{');
    ioprof_json_open(&json, "runs", '[');
    for (int i = 0; i < page->nruns; i++) {
        ioprof_page_run(&json, page->runs[i]);
    }
    ioprof_json_close(&json, ']');
    ioprof_json_close(&json, '}');
}

/** Writes the part that stands for @@name@@; unknown names are kept as text. */
static void put_part(const struct page *page, const char *name, size_t length, FILE *out)
{
    if (5 == length && 0 == strncmp(name, "title", 5)) {
        html_text(out, page->title);
    } else if (7 == length && 0 == strncmp(name, "summary", 7)) {
        page->summary(page, out);
    } else if (4 == length && 0 == strncmp(name, "data", 4)) {
        put_data(page, out);
    } else {
        fprintf(out, "@@%.*s@@", (int) length, name);
    }
}

static int page_write(const struct page *page, FILE *out)
{
    const char *at = ioprof_page_template, *mark;

    while (NULL != (mark = strstr(at, "@@"))) {
        const char *end = strstr(mark + 2, "@@");

        if (NULL == end) {
            break;
        }
        fwrite(at, 1, (size_t) (mark - at), out);
        put_part(page, mark + 2, (size_t) (end - mark - 2), out);
        at = end + 2;
    }
    fputs(at, out);
    if (ferror(out)) {
        return -1;
    }
    return 0;
}

static void summarize_run(const struct page *page, FILE *out)
{
    html_answers(page->runs[0], out);
}

int ioprof_report_html(struct ioprof_profile *profile, FILE *out)
{
    struct page page = {.runs = {profile}, .nruns = 1, .summary = summarize_run};

    if (ioprof_make_printable(profile) < 0) {
        return -1;
    }
    page.title = ioprof_fact(profile, "program");
    return page_write(&page, out);
}

static void put_changes(const struct page *page, FILE *out)
{
    char **texts;
    int n = ioprof_changes(page->runs[0], page->runs[1], &texts);

    fputs("<h3>What changed from A to B</h3>\n<ul class=\"changes\">\n", out);
    for (int i = 0; i < n; i++) {
        fputs("<li>", out);
        html_text(out, texts[i]);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    ioprof_changes_free(texts, n);
}

static void put_pairs(const struct page *page, FILE *out)
{
    struct ioprof_pair pairs[IOPROF_PAIRS];
    int n = ioprof_pairs(page->runs[0], page->runs[1], pairs);

    fputs("<div class=\"scroll whole\" tabindex=\"0\" role=\"region\" aria-label=\"Figures of A "
          "and B\">"
          "<table class=\"pairs\"><thead><tr><th></th><th>A</th><th>B</th><th>change</th></tr>"
          "</thead><tbody>\n",
          out);
    for (int i = 0; i < n; i++) {
        int part = ' ' == pairs[i].name[0];

        fprintf(out, "<tr><th scope=\"row\"%s>", part ? " class=\"part\"" : "");
        html_text(out, pairs[i].name + (part ? 2 : 0));
        fprintf(out, "</th><td>%s</td>", ioprof_show_pair(&pairs[i], pairs[i].a));
        fprintf(out, "<td>%s</td><td>%s</td></tr>\n", ioprof_show_pair(&pairs[i], pairs[i].b),
                ioprof_show_change(&pairs[i]));
    }
    fputs("</tbody></table></div>\n", out);
}

static void summarize_pair(const struct page *page, FILE *out)
{
    put_changes(page, out);
    put_pairs(page, out);
    for (int i = 0; i < 2; i++) {
        fprintf(out, "<details><summary>Answers and findings of run %c</summary>\n", 'A' + i);
        html_answers(page->runs[i], out);
        fputs("</details>\n", out);
    }
}

int ioprof_compare_html(struct ioprof_profile *a, struct ioprof_profile *b, FILE *out)
{
    char title[512];
    struct page page = {.title = title, .runs = {a, b}, .nruns = 2, .summary = summarize_pair};

    if (ioprof_make_printable(a) < 0 || ioprof_make_printable(b) < 0) {
        return -1;
    }
    snprintf(title, sizeof(title), "%s: A and B", ioprof_fact(a, "program"));
    return page_write(&page, out);
}
