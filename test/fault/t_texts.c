/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Help texts that name a file, without a job: two processes of a node print one for each of 1,000
 * files. Each text is printed once, and the launcher's directory gets one file.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "help/help.h"

enum { FILES = 1000 };

static void print_texts(const char *output)
{
    int fd = open(output, O_CREAT | O_WRONLY | O_APPEND, 0600);
    char name[64];

    dup2(fd, STDERR_FILENO);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof(name), "file-%d", i);
        collio_help("t_texts", name, COLLIO_HELP_SHARED_POINTER, "a file", "no reason");
        collio_help("t_texts", name, COLLIO_HELP_SHARED_POINTER, "a file", "no reason");
    }
    exit(0);
}

/* Returns the number of lines that the file has with these words. */
static int count_lines(const char *path, const char *words)
{
    FILE *file = fopen(path, "r");
    char line[2048];
    int count = 0;

    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        count += NULL != strstr(line, words);
    }
    if (NULL != file) {
        fclose(file);
    }
    return count;
}

static int count_entries(const char *directory)
{
    DIR *open = opendir(directory);
    int count = 0;

    for (struct dirent *entry; NULL != open && NULL != (entry = readdir(open));) {
        count += '.' != entry->d_name[0];
    }
    if (NULL != open) {
        closedir(open);
    }
    return count;
}

int main(int argc, char **argv)
{
    char directory[512], output[520];
    int lines, entries;

    snprintf(directory, sizeof(directory), "%s/texts.%d", argc > 1 ? argv[1] : "/tmp", getpid());
    snprintf(output, sizeof(output), "%s.printed", directory);
    mkdir(directory, 0700);
    setenv("PMIX_SERVER_TMPDIR", directory, 1);
    setenv("PMIX_NAMESPACE", "job", 1);
    for (int i = 0; i < 2; i++) {
        if (0 == fork()) {
            print_texts(output);
        }
    }
    while (0 < wait(NULL)) {
    }
    lines = count_lines(output, "t_texts: file-");
    entries = count_entries(directory);
    printf("# %d lines, %d entries\n", lines, entries);
    printf("%s each text is printed once\n", FILES == lines ? "ok" : "not ok");
    printf("%s the launcher's directory gets one file\n", 1 == entries ? "ok" : "not ok");
    return FILES != lines || 1 != entries;
}
