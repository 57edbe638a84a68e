/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The page of two runs. */
#include "report/compare.h"
#include "page/page.h"
#include "profile/printable.h"

static void put_changes(const struct ioprof_page *page, FILE *out)
{
    char **texts;
    int n = ioprof_changes(page->runs[0], page->runs[1], &texts);

    fputs("<h3>What changed from A to B</h3>\n<ul class=\"changes\">\n", out);
    for (int i = 0; i < n; i++) {
        fputs("<li>", out);
        ioprof_html_text(out, texts[i]);
        fputs("</li>\n", out);
    }
    fputs("</ul>\n", out);
    ioprof_changes_free(texts, n < 0 ? 0 : n);
}

static void put_pairs(const struct ioprof_page *page, FILE *out)
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
        ioprof_html_text(out, pairs[i].name + (part ? 2 : 0));
        fprintf(out, "</th><td>%s</td>", ioprof_show_pair(&pairs[i], pairs[i].a));
        fprintf(out, "<td>%s</td><td>%s</td></tr>\n", ioprof_show_pair(&pairs[i], pairs[i].b),
                ioprof_show_change(&pairs[i]));
    }
    fputs("</tbody></table></div>\n", out);
}

static void summarize_pair(const struct ioprof_page *page, FILE *out)
{
    put_changes(page, out);
    put_pairs(page, out);
    for (int i = 0; i < 2; i++) {
        fprintf(out, "<details><summary>Answers and findings of run %c</summary>\n", 'A' + i);
        ioprof_html_answers(page->runs[i], out);
        fputs("</details>\n", out);
    }
}

int ioprof_compare_html(struct ioprof_profile *a, struct ioprof_profile *b, FILE *out)
{
    char title[512];
    struct ioprof_page page = {
        .title = title, .runs = {a, b}, .nruns = 2, .summary = summarize_pair};

    if (ioprof_make_printable(a) < 0 || ioprof_make_printable(b) < 0) {
        return -1;
    }
    snprintf(title, sizeof(title), "%s: A and B", ioprof_fact(a, "program"));
    return ioprof_page_write(&page, out);
}
