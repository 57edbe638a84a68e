/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Opens and closes the library.
 */
#include "ompio/open.h"

#include <stdio.h>
#include <string.h>

#include "core/naming.h"
#include "core/version.h"

#include "access/pool.h"
#include "call/op.h"
#include "file/file.h"
#include "help/help.h"
#include "hook/handle.h"
#include "ompio/individual.h"
#include "open/set.h"
#include "settings/hint_file.h"
#include "settings/setting.h"

static int users;
static bool inherit_binding;

/* True if the priority of a component is above its default. The component is not loaded, so its
 * parameter is registered only for this question. */
static bool is_raised(const char *framework, const char *component)
{
    int priority = COLLIO_PRIORITY_DEFAULT;
    int index = mca_base_var_register("ompi", framework, component, "priority", NULL,
                                      MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3,
                                      MCA_BASE_VAR_SCOPE_READONLY, &priority);

    if (0 <= index) {
        (void) mca_base_var_deregister(index);
    }
    return COLLIO_PRIORITY_DEFAULT < priority;
}

/* Returns what follows for a user if "fcoll/overlap" is not loaded; NULL: nothing, because nobody
 * requests it. Open MPI fails if it does not find a component that is named, even in a list. Uses
 * functions of Open MPI only, because its structs may differ from those of the build. */
static const char *consequence(const char *name)
{
    char framework[32] = "";
    const char *component = strchr(name, '/') + 1, *const *list = NULL;
    int index;

    (void) snprintf(framework, sizeof(framework), "%.*s", (int) (component - 1 - name), name);
    index = mca_base_var_find("ompi", framework, NULL, NULL);
    if (0 <= index && OPAL_SUCCESS == mca_base_var_get_value(index, &list, NULL, NULL)
        && NULL != list && 0 < collio_naming_place(*list, component)) {
        return "MPI_File_open returns an error.";
    }
    return is_raised(framework, component) ? "Using the stock components." : NULL;
}

/* Keeps a help text, if a user misses the component. */
#define REFUSE(name, text, ...)                            \
    do {                                                   \
        const char *follows = consequence(name);           \
                                                           \
        if (NULL != follows) {                             \
            collio_help_later(text, __VA_ARGS__, follows); \
        }                                                  \
    } while (0)

/* True if the running Open MPI fits the build. The help text names no component, because the result
 * is the same for all. */
static bool release_fits(const char *name)
{
    collio_version_t built, running;
    bool known = collio_version_parse(opal_version_string, &running);

    (void) collio_version_parse(COLLIO_OPENMPI_VERSION, &built);
    if (known && collio_version_fits(&built, &running)) {
        return true;
    }
    REFUSE(name, COLLIO_HELP_OPENMPI_VERSION, COLLIO_OPENMPI_VERSION, running.major, running.minor,
           running.release, running.suffix);
    return false;
}

#define A_CLASS(type)                        \
    {                                        \
#        type, sizeof(type), OBJ_CLASS(type) \
    }

/* True if Open MPI's structs have the sizes of the build. Two builds of one release can differ:
 * --enable-debug makes every object larger. Open MPI's libraries contain the size of each of their
 * classes. ompio_file_t and the io table are not classes, and the class of ompi_file_t is hidden,
 * so only the release number covers them. */
static bool structs_fit(const char *name)
{
    static const struct {
        const char *name;            /* name of the struct */
        size_t built;                /* bytes in the headers of the build */
        const opal_class_t *running; /* class in the loaded libraries */
    } classes[] = {
        A_CLASS(opal_object_t),       A_CLASS(opal_info_t),    A_CLASS(opal_convertor_t),
        A_CLASS(ompi_datatype_t),     A_CLASS(ompi_request_t), A_CLASS(ompi_group_t),
        A_CLASS(ompi_communicator_t), A_CLASS(ompi_win_t),
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i) {
        if (classes[i].built != classes[i].running->cls_sizeof) {
            REFUSE(name, COLLIO_HELP_OPENMPI_STRUCTS, COLLIO_OPENMPI_VERSION, classes[i].name,
                   classes[i].running->cls_sizeof, classes[i].built);
            return false;
        }
    }
    return true;
}

static void register_threads(void)
{
    static const mca_base_component_t library = {
        .mca_project_name = "ompi", .mca_type_name = "common", .mca_component_name = "collio"};
    static const collio_setting_t rows[] = {
        {"inherit_binding", COLLIO_SWITCH, 0, NULL, 0, 5, COLLIO_SETTING_NO_HINT, NULL,
         "Threads run on the cores to which mpirun has bound their rank. false: also on cores of "
         "the job on this node to which no other rank is bound (docs/mtpwrite.md)"}};
    static collio_settings_set_t set = {.prefix = "common_collio",
                                        .rows = rows,
                                        .count = 1,
                                        .parameters = &inherit_binding,
                                        .bytes = sizeof(inherit_binding)};

    (void) collio_settings_set_register(&set, &library);
}

int collio_fits(const char *name, const char *version, uint64_t abi)
{
    bool fits = release_fits(name) && structs_fit(name);

    if (fits && abi != collio_abi()) {
        REFUSE(name, COLLIO_HELP_TWO_BUILDS, name, version, (unsigned) abi, COLLIO_VERSION,
               (unsigned) collio_abi(), COLLIO_OPENMPI_VERSION);
        fits = false;
    }
    if (fits) {
        collio_hang_register();
        register_threads();
        collio_hint_file_register();
    } else {
        collio_help_flush(); /* ranks will not synchronize in an open */
    }
    return fits ? OMPI_SUCCESS : OMPI_ERR_NOT_AVAILABLE;
}

int collio_open(void)
{
    ++users;
    collio_hang_open();
    collio_pool_set_inherit(inherit_binding || !collio_bound_by_mpirun());
    collio_spare_fill();
    return OMPI_SUCCESS;
}

int collio_close(void)
{
    if (users > 0 && 0 == --users) {
        collio_set_free_all();
        collio_mpi_request_finalize();
        collio_individual_finalize();
        collio_access_finalize();
        collio_flat_finalize();
        collio_spare_drop();
        collio_hang_fini();
        collio_help_fini();
    }
    return OMPI_SUCCESS;
}

int collio_init_query(bool progress_threads, bool mpi_threads)
{
    (void) progress_threads;
    (void) mpi_threads;
    return OMPI_SUCCESS;
}
