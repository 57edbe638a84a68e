/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Lists of pieces, as plain as can be: this is the oracle, it must be right by looking at it. */
#include "t_list.h"

#include "t_util.h"

#include <stdlib.h>
#include <string.h>

void t_list_free(t_list *list)
{
    free(list->v);
    memset(list, 0, sizeof(*list));
}

void t_list_add(t_list *list, int64_t off, int64_t len)
{
    if (0 == len) {
        return;
    }
    if (0 < list->n && list->v[list->n - 1].off + list->v[list->n - 1].len == off) {
        list->v[list->n - 1].len += len;
        return;
    }
    if (list->n == list->cap) {
        t_ext *bigger = t_alloc((2 * list->cap + 16) * sizeof(*bigger));

        if (0 < list->n) {
            memcpy(bigger, list->v, list->n * sizeof(*bigger));
        }
        free(list->v);
        list->v = bigger;
        list->cap = 2 * list->cap + 16;
    }
    list->v[list->n++] = (t_ext){off, len};
}

int64_t t_list_bytes(const t_list *list)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < list->n; i++) {
        bytes += list->v[i].len;
    }
    return bytes;
}

int64_t t_list_end(const t_list *list)
{
    int64_t end = 0;

    for (size_t i = 0; i < list->n; i++) {
        int64_t e = list->v[i].off + list->v[i].len;

        end = e > end ? e : end;
    }
    return end;
}

unsigned char *t_list_data(const t_list *list, int writer)
{
    unsigned char *data = t_alloc((size_t) t_list_bytes(list)), *to = data;

    for (size_t i = 0; i < list->n; i++) {
        for (int64_t at = list->v[i].off; at < list->v[i].off + list->v[i].len; at++) {
            *to++ = 0 > writer ? t_pre(at) : t_val(at, writer);
        }
    }
    return data;
}

void t_list_slice(const t_list *list, int64_t from, int64_t to, t_list *out)
{
    int64_t at = 0;

    for (size_t i = 0; i < list->n && at < to; i++) {
        int64_t begin = from > at ? from - at : 0;
        int64_t end = to - at < list->v[i].len ? to - at : list->v[i].len;

        if (begin < end) {
            t_list_add(out, list->v[i].off + begin, end - begin);
        }
        at += list->v[i].len;
    }
}

static int by_offset(const void *a, const void *b)
{
    const t_ext *x = a, *y = b;

    return (x->off > y->off) - (x->off < y->off);
}

void t_list_regions(const t_list *list, int64_t pad, t_list *out)
{
    t_ext *sorted = t_alloc((list->n + 1) * sizeof(*sorted));
    int64_t begin = 0, end = -1;

    if (0 < list->n) {
        memcpy(sorted, list->v, list->n * sizeof(*sorted));
        qsort(sorted, list->n, sizeof(*sorted), by_offset);
    }
    for (size_t i = 0; i < list->n; i++) {
        int64_t b = sorted[i].off > pad ? sorted[i].off - pad : 0;
        int64_t e = sorted[i].off + sorted[i].len + pad;

        if (b > end) {
            if (0 <= end) {
                t_list_add(out, begin, end - begin);
            }
            begin = b;
            end = e;
        } else if (e > end) {
            end = e;
        }
    }
    if (0 <= end) {
        t_list_add(out, begin, end - begin);
    }
    free(sorted);
}
