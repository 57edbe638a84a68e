/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "page/page.h"
#include "profile/printable.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

void ioprof_html_text(FILE *out, const char *text)
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
    ioprof_html_text(out, text);
    fprintf(out, "</%s>\n", name);
}

void ioprof_html_answers(const struct ioprof_profile *run, FILE *out)
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
            ioprof_html_text(out, findings[i].advice);
            fputs("</p></li>\n", out);
        }
        fputs("</ol>\n", out);
    }
    ioprof_findings_free(findings, n < 0 ? 0 : n);
}

static void put_data(const struct ioprof_page *page, FILE *out)
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
static void put_part(const struct ioprof_page *page, const char *name, size_t length, FILE *out)
{
    if (5 == length && 0 == strncmp(name, "title", 5)) {
        ioprof_html_text(out, page->title);
    } else if (7 == length && 0 == strncmp(name, "summary", 7)) {
        page->summary(page, out);
    } else if (4 == length && 0 == strncmp(name, "data", 4)) {
        put_data(page, out);
    } else {
        fprintf(out, "@@%.*s@@", (int) length, name);
    }
}

int ioprof_page_write(const struct ioprof_page *page, FILE *out)
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
    return ferror(out) ? -1 : 0;
}

static void summarize_run(const struct ioprof_page *page, FILE *out)
{
    ioprof_html_answers(page->runs[0], out);
}

int ioprof_report_html(struct ioprof_profile *profile, FILE *out)
{
    struct ioprof_page page = {.runs = {profile}, .nruns = 1, .summary = summarize_run};

    if (ioprof_make_printable(profile) < 0) {
        return -1;
    }
    page.title = ioprof_fact(profile, "program");
    return ioprof_page_write(&page, out);
}
