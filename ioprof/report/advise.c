/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Settings from findings: a hint file of collio (docs/settings.md), in which all that is not a hint
 * is a comment. */
#include "profile/printable.h"
#include "report/report.h"
#include "report/text.h"

#include <string.h>

/** The pattern of a file: its name without directories, with * in place of escaped characters. */
static void put_pattern(const char *path, FILE *out)
{
    const char *slash = strrchr(path, '/');

    fputc('[', out);
    for (const char *at = NULL == slash ? path : slash + 1; '\0' != *at; at++) {
        if ('\\' != *at) {
            fputc(*at, out);
            continue;
        }
        fputc('*', out);
        at += strnlen(at + 1, 'x' == at[1] ? 3 : 1);
    }
    fputs("]\n", out);
}

/** The command that gives the directory of a file the stripes of the hint. */
static void put_setstripe(const struct ioprof_finding *finding, FILE *out)
{
    const char *path = finding->file->path, *slash = strrchr(path, '/');
    const char *count = strchr(finding->hints, ' ');
    int directory = NULL == slash || slash == path ? 1 : (int) (slash - path);

    if (0 != (finding->components & IOPROF_USE_LUSTRE)) {
        fprintf(out, "# the same for all new files of the directory: lfs setstripe -c %.*s %.*s\n",
                (int) strcspn(count + 1, "\n"), count + 1, directory, path);
    }
}

static void put_finding(const struct ioprof_finding *finding, FILE *out)
{
    fputc('\n', out);
    ioprof_text_paragraph(out, finding->text, "# ");
    if (NULL != finding->file) {
        put_pattern(finding->file->path, out);
    }
    fputs(finding->hints, out);
    if (NULL != finding->file) {
        put_setstripe(finding, out);
    }
}

static void put_command(unsigned components, FILE *out)
{
    fprintf(out, "# mpirun --mca io ompio --mca fcoll overlap");
    if (0 != (components & IOPROF_USE_MTPWRITE)) {
        fprintf(out, " --mca fbtl mtpwrite");
    }
    if (0 != (components & (IOPROF_USE_LUSTRE | IOPROF_USE_BEEGFS))) {
        fprintf(out, " --mca fs %s%s%sufs",
                0 != (components & IOPROF_USE_LUSTRE) ? "lustre_lla," : "",
                0 != (components & IOPROF_USE_BEEGFS) ? "beegfs" : "",
                0 != (components & IOPROF_USE_BEEGFS) ? "," : "");
    }
    fprintf(out, " --mca common_collio_hints THIS_FILE ...\n");
}

/** Hints for all files come first, because a pattern is for all lines below it. */
static void put_settings(const struct ioprof_finding *findings, int n, FILE *out)
{
    for (int of_files = 0; of_files < 2; of_files++) {
        for (int i = 0; i < n; i++) {
            if (NULL != findings[i].hints && of_files == (NULL != findings[i].file)) {
                put_finding(&findings[i], out);
            }
        }
    }
}

int ioprof_advise(struct ioprof_profile *profile, FILE *out)
{
    struct ioprof_finding *findings;
    unsigned components = 0;
    int n, settings = 0;

    if (ioprof_make_printable(profile) < 0 || (n = ioprof_findings(profile, &findings)) < 0) {
        return -1;
    }
    for (int i = 0; i < n; i++) {
        if (NULL != findings[i].hints) {
            components |= findings[i].components;
            settings++;
        }
    }
    fprintf(out, "# ioprof advise: %s, job %s\n", ioprof_fact(profile, "program"),
            ioprof_fact(profile, "job"));
    if (0 == settings) {
        fprintf(out, "# No finding suggests a setting.\n");
    } else {
        put_command(components, out);
        put_settings(findings, n, out);
    }
    if (n > settings) {
        fprintf(out, "\n# Findings that need a change of the program: %d. See ioprof report.\n",
                n - settings);
    }
    ioprof_findings_free(findings, n);
    if (ferror(out)) {
        return -1;
    }
    return 0;
}
