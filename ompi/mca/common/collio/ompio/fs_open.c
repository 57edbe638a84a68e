/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * An open that all ranks agree on. See fs_open.h.
 *
 *   all     own open | maximum of the error classes, of the successes and    one reduction,
 *           of the bytes in the hint file                                    none for one rank
 *   some have not found the file: once more
 *   differ: the lowest rank of the next node that failed                     reduction
 *           the name of that node                                            broadcast
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* statx */
#endif
#include "ompio/fs_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "help/help.h"
#include "settings/hint_file.h"

#include "ompi/mca/fs/base/base.h"
#include "ompi/mca/fs/fs.h"

enum { NODES_MAX = 4, NODE_BYTES = 64 };

/* Modules are const in effect and shared by files, so this thread opens the file by a copy. */
static _Thread_local mca_fs_base_module_1_0_0_t agreeing;
static _Thread_local mca_fs_base_module_1_0_0_t *original;

/* The fs component whose opens agree without this file. */
static const mca_base_component_t *agrees_itself;

void collio_fs_open_register(const mca_base_component_t *component)
{
    agrees_itself = component;
}

/* Adds the names of the first nodes with a rank that failed to a text: "n1, n2 and others". Returns
 * false if communication failed. Collective. */
static bool list_nodes(const ompio_file_t *fh, bool failed, char *text, size_t size)
{
    char host[NODE_BYTES] = "", node[NODE_BYTES];
    size_t used = 0;

    (void) gethostname(host, sizeof(host) - 1);
    for (int i = 0; i <= NODES_MAX; ++i) {
        int mine = failed ? fh->f_rank : fh->f_size, first = fh->f_size;

        if (OMPI_SUCCESS != collio_allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, fh->f_comm)) {
            return false;
        }
        if (first == fh->f_size) {
            return true;
        }
        if (NODES_MAX == i) {
            (void) snprintf(text + used, size - used, " and others");
            return true;
        }
        memcpy(node, host, sizeof(node));
        if (OMPI_SUCCESS != collio_bcast_from(first, node, NODE_BYTES, MPI_CHAR, fh->f_comm)) {
            return false;
        }
        used += (size_t) snprintf(text + used, size - used, "%s%s", 0 == i ? "" : ", ", node);
        failed = failed && 0 != strcmp(host, node);
    }
    return true;
}

/* Returns the error class of all ranks, or MPI_SUCCESS; *nowhere = no rank has the file open, or
 * the ranks could not agree: then they have no next operation in common. Collective. */
static int fs_open_agree(ompio_file_t *fh, int class, bool *nowhere)
{
    int mine[3] = {class, MPI_SUCCESS == class, (int) collio_hint_file_offer(fh)};
    int all[3] = {mine[0], mine[1], 0};

    *nowhere = true;
    if (1 < ompi_comm_size(fh->f_comm)
        && OMPI_SUCCESS != collio_allreduce(mine, all, 3, MPI_INT, MPI_MAX, fh->f_comm)) {
        return MPI_ERR_OTHER;
    }
    (void) collio_hint_file_settle(fh, all[2]);
    *nowhere = 0 == all[1];
    return all[0];
}

/* Prints on which nodes the file cannot be opened. `mine` is the class of this rank's open, `all`
 * that of all ranks. Collective. */
static void print_nodes(const ompio_file_t *fh, const char *name, int mine, int all)
{
    char nodes[(NODES_MAX + 1) * (NODE_BYTES + 2)] = "";

    if (list_nodes(fh, MPI_SUCCESS != mine, nodes, sizeof(nodes)) && OMPIO_ROOT == fh->f_rank) {
        collio_help("collio", name, COLLIO_HELP_NOT_SHARED, nodes, ompi_mpi_errnum_get_string(all));
    }
}

/* Returns the error class of this rank's open. Stock components return MPI_ERR_OTHER for values of
 * errno that they do not know, such as EPERM. errno is that of the open unless later communication
 * in the component changed it. */
static int fs_open_class(int rc)
{
    int class = collio_error_class(errno);

    if (OMPI_SUCCESS == rc) {
        return MPI_SUCCESS;
    }
    return MPI_ERR_OTHER == rc && MPI_SUCCESS != class && MPI_ERR_IO != class
               ? class
               : collio_error_class_of_mpi(rc);
}

/* Prepares another attempt where rank 0 has made the file and some nodes do not find it. NFS keeps
 * the answer that a name does not exist until the directory's attributes are 30 s old, so a rank
 * that has not found the file makes its node ask for them. Other ranks close the file. */
static void look_again(ompio_file_t *fh, const char *name, int class)
{
    const char *end = strrchr(name, '/');
    struct statx about;
    char *folder;

    if (MPI_SUCCESS == class) {
        (void) close(fh->fd);
        fh->fd = -1;
        return;
    }
    folder = NULL == end ? strdup(".") : strndup(name, (size_t) (end - name) + 1);
    if (NULL != folder) {
        (void) statx(AT_FDCWD, folder, AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, &about);
        free(folder);
    }
}

/* Tries again after MPI_ERR_FILE_EXISTS without MPI_MODE_EXCL (GlusterFS returns EEXIST while
 * another node creates the file), and once if only some ranks have found the file. */
static int open_agreed(struct ompi_communicator_t *comm, const char *name, int mode,
                       struct opal_info_t *info, ompio_file_t *fh)
{
    enum { TRIES = 100 };
    /* fs/ufs is a stock component, which only its name identifies */
    bool may_look = 0 == strcmp(fh->f_fs_component->mca_component_name, "ufs"), nowhere;
    int mine, all;

    fh->f_fs = original;
    for (int i = 0; i < TRIES; ++i) {
        errno = 0;
        mine = fs_open_class(original->fs_file_open(comm, name, mode, info, fh));
        all = fs_open_agree(fh, mine, &nowhere);
        if (MPI_ERR_NO_SUCH_FILE == all && !nowhere && may_look) {
            look_again(fh, name, mine);
            mode &= ~MPI_MODE_EXCL; /* rank 0 has made the file */
            may_look = false;
        } else if (MPI_ERR_FILE_EXISTS != all || !nowhere || 0 != (mode & MPI_MODE_EXCL)) {
            break;
        }
    }
    if (MPI_SUCCESS != all && !nowhere) {
        print_nodes(fh, name, mine, all);
    }
    return all;
}

void collio_fs_open_agree(ompio_file_t *fh)
{
    if (MPI_COMM_NULL == fh->f_comm || NULL == fh->f_fs || &agreeing == fh->f_fs
        || agrees_itself == fh->f_fs_component) {
        return;
    }
    original = fh->f_fs;
    agreeing = *original;
    agreeing.fs_file_open = open_agreed;
    fh->f_fs = &agreeing;
}
