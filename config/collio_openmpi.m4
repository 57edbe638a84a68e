dnl Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl COLLIO_OPENMPI: finds Open MPI, its development headers, and what its libraries export.
dnl
dnl Gives COLLIO_CPPFLAGS, COLLIO_MODULE_LDFLAGS, COLLIO_COMPONENT_LIBS (components), MPI_CPPFLAGS,
dnl MPI_LIBS, MPICC, MPIRUN (programs), COLLIO_OPENMPI_DIR (Open MPI's own component folder).

AC_DEFUN([COLLIO_OPENMPI], [
    AC_ARG_WITH([openmpi],
        [AS_HELP_STRING([--with-openmpi=PREFIX],
            [build for the Open MPI installed there (default: the mpicc in PATH, or pkg-config's).
             --without-openmpi builds the core and its unit tests only])],
        [], [with_openmpi=yes])
    AC_ARG_WITH([openmpi-source],
        [AS_HELP_STRING([--with-openmpi-source=DIR],
            [Open MPI's source tree of the same version, for headers that its installation lacks])],
        [], [with_openmpi_source=no])
    collio_have_openmpi=no
    collio_openmpi_shown='none (core and unit tests only)'
    collio_headers_shown='-'
    COLLIO_CPPFLAGS='-I$(top_srcdir) -I$(top_srcdir)/ompi/mca/common/collio -I$(top_builddir)/config'
    # nodelete: Open MPI 5.0 closes a component before it gives up its string parameters, and then
    # frees strings through pointers that live in the component.
    COLLIO_LIBRARY_LDFLAGS="-avoid-version -shared -Wl,-z,nodelete -Wl,-Bsymbolic-functions -Wl,--as-needed -Wl,--enable-new-dtags -Wl,-rpath,'\$\$ORIGIN'"
    COLLIO_MODULE_LDFLAGS="-module $COLLIO_LIBRARY_LDFLAGS"
    COLLIO_COMPONENT_LIBS='$(top_builddir)/ompi/mca/common/collio/libmca_common_collio.la $(COLLIO_OMPI_LIBS)'
    AS_IF([test "x$with_openmpi" != xno], [
        COLLIO_OPENMPI_FIND
        COLLIO_OPENMPI_HEADERS
        COLLIO_OPENMPI_LINK
        collio_have_openmpi=yes
    ])
    COLLIO_DEFINE([COLLIO_VERSION], ["$PACKAGE_VERSION"], [this package])
    for number in 1 2 3; do
        collio_number=`echo "$PACKAGE_VERSION" | cut -d. -f$number | sed 's/@<:@^0-9@:>@.*//'`
        eval "collio_number_$number=\${collio_number:-0}"
    done
    COLLIO_DEFINE([COLLIO_MAJOR], [$collio_number_1], [its numbers])
    COLLIO_DEFINE([COLLIO_MINOR], [$collio_number_2], [its numbers])
    COLLIO_DEFINE([COLLIO_RELEASE], [$collio_number_3], [its numbers])
    COLLIO_DEFINE([COLLIO_OPENMPI_VERSION], ["$collio_openmpi_version"], [Open MPI])
    AM_CONDITIONAL([COLLIO_HAVE_OPENMPI], [test "x$collio_have_openmpi" = xyes])
    AC_SUBST([COLLIO_CPPFLAGS])
    AC_SUBST([COLLIO_COMPONENT_LIBS])
    AC_SUBST([COLLIO_LIBRARY_LDFLAGS])
    AC_SUBST([COLLIO_MODULE_LDFLAGS])
    AC_SUBST([COLLIO_OMPI_LIBS])
    AC_SUBST([COLLIO_OPENMPI_DIR])
    AC_SUBST([COLLIO_OPENMPI_VERSION], [$collio_openmpi_version])
    AC_SUBST([MPI_CPPFLAGS])
    AC_SUBST([MPI_LIBS])
])

dnl mpicc tells everything else. Without one, pkg-config's ompi-c names the prefix.
AC_DEFUN([COLLIO_OPENMPI_FIND], [
    collio_openmpi_path=$PATH
    AS_CASE([$with_openmpi],
        [/*], [collio_openmpi_path=$with_openmpi/bin],
        [yes], [],
        [AC_MSG_ERROR([--with-openmpi needs an absolute path: the prefix Open MPI is installed in])])
    AC_PATH_PROGS([MPICC], [mpicc.openmpi mpicc], [], [$collio_openmpi_path])
    AS_IF([test -z "$MPICC" && test "x$with_openmpi" = xyes && test -n "$PKG_CONFIG"], [
        collio_pc_prefix=`$PKG_CONFIG --variable=prefix ompi-c 2>/dev/null`
        AS_IF([test -n "$collio_pc_prefix"], [
            collio_openmpi_path=$collio_pc_prefix/bin
            AC_PATH_PROGS([MPICC], [mpicc.openmpi mpicc], [], [$collio_openmpi_path])])
    ])
    AS_IF([test -z "$MPICC"], [AC_MSG_ERROR([
    No Open MPI was found (no mpicc in $collio_openmpi_path).
    Install it (Debian: apt-get install openmpi-bin libopenmpi-dev), name another one with
    --with-openmpi=PREFIX, or build the core and its unit tests alone with --without-openmpi.])])
    AC_MSG_CHECKING([whether $MPICC is Open MPI's])
    collio_openmpi_version=`$MPICC --showme:version 2>/dev/null | sed -n 's/.*Open MPI \(@<:@^ @:>@*\).*/\1/p'`
    AS_IF([test -z "$collio_openmpi_version"], [
        AC_MSG_RESULT([no])
        AC_MSG_ERROR([
    $MPICC belongs to another MPI. Name an Open MPI with --with-openmpi=PREFIX.])])
    AC_MSG_RESULT([$collio_openmpi_version])

    collio_openmpi_bin=`dirname "$MPICC"`
    collio_openmpi_prefix=`dirname "$collio_openmpi_bin"`
    AC_PATH_PROGS([OMPI_INFO], [ompi_info.openmpi ompi_info], [], [$collio_openmpi_bin$PATH_SEPARATOR$collio_openmpi_path])
    AC_PATH_PROGS([MPIRUN], [mpirun.openmpi mpirun], [], [$collio_openmpi_bin$PATH_SEPARATOR$collio_openmpi_path])
    AS_IF([test -z "$OMPI_INFO"], [AC_MSG_ERROR([
    ompi_info, which belongs to $MPICC, was not found: it names Open MPI's component directory.
    On Debian: apt-get install openmpi-bin])])
    COLLIO_OPENMPI_DIR=`OMPI_MCA_mca_base_component_path= $OMPI_INFO --parsable --path pkglibdir | sed -n 's/^path:pkglibdir://p'`
    MPI_CPPFLAGS=`$MPICC --showme:compile`
    MPI_LIBS=`$MPICC --showme:link`
    collio_openmpi_libdir=`$MPICC --showme:libdirs`
    collio_openmpi_shown="$collio_openmpi_version ($MPICC)"
])

dnl The headers of the frameworks we plug into are development headers. Since 5.0 even a complete set
dnl of them lacks opal/mca/threads/pthreads/*.h: they come from a source tree if one is given, else
dnl from our own stand-ins. PMIx and hwloc may be outside of the compiler's default folders, too.
AC_DEFUN([COLLIO_OPENMPI_HEADERS], [
    collio_inc=
    for dir in `$MPICC --showme:incdirs`; do
        collio_inc="$collio_inc -isystem $dir"
        AS_IF([test -d "$dir/openmpi"], [collio_inc="$collio_inc -isystem $dir/openmpi"])
    done
    for package in pmix hwloc libevent; do
        collio_pc=`$PKG_CONFIG --cflags-only-I $package 2>/dev/null | sed 's/-I/-isystem /g'`
        collio_inc="$collio_inc $collio_pc"
    done
    collio_headers_shown=installed
    AS_IF([test "x$with_openmpi_source" != xno], [
        AS_IF([test ! -f "$with_openmpi_source/opal/mca/mca.h"], [AC_MSG_ERROR([
    --with-openmpi-source=$with_openmpi_source: that is not a source tree of Open MPI.])])
        collio_inc="$collio_inc -isystem $with_openmpi_source -isystem $with_openmpi_source/opal/include -isystem $with_openmpi_source/ompi/include"
        collio_headers_shown="installed, and $with_openmpi_source"
    ])
    COLLIO_OPENMPI_TRY_HEADERS
    AS_IF([test "x$collio_headers_work" = xno], [
        collio_own=`cd "$srcdir/config/compat-headers" && pwd`
        collio_inc="$collio_inc -isystem $collio_own"
        collio_headers_shown="$collio_headers_shown, and config/compat-headers"
        COLLIO_OPENMPI_TRY_HEADERS
    ])
    AS_IF([test "x$collio_headers_work" = xno], [AC_MSG_ERROR([
    The development headers of Open MPI $collio_openmpi_version do not compile (see config.log).
    They come with   configure --with-devel-headers   of Open MPI, or with a distribution's package
    (Debian: apt-get install libopenmpi-dev libhwloc-dev libpmix-dev libevent-dev).
    What an installation lacks is taken from its source tree: --with-openmpi-source=DIR])])
    COLLIO_CPPFLAGS="$COLLIO_CPPFLAGS $collio_inc"
])

AC_DEFUN([COLLIO_OPENMPI_TRY_HEADERS], [
    collio_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $collio_inc"
    AC_MSG_CHECKING([for Open MPI's development headers])
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM([[
#include "ompi_config.h"
#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/file/file.h"
#include "ompi/mca/common/ompio/common_ompio.h"
#include "ompi/mca/fbtl/fbtl.h"
#include "ompi/mca/fcoll/fcoll.h"
#include "ompi/mca/fs/fs.h"
#include "ompi/mca/io/io.h"
]])], [collio_headers_work=yes], [collio_headers_work=no])
    AC_MSG_RESULT([$collio_headers_work])
    CPPFLAGS=$collio_save_CPPFLAGS
])

dnl OMPIO is a library of its own in 4.1, part of libmpi in 5.0, and of libopen_mpi in 6.0.
AC_DEFUN([COLLIO_OPENMPI_LINK], [
    collio_libdirs=
    for dir in $collio_openmpi_libdir; do
        collio_libdirs="$collio_libdirs -L$dir"
    done
    AS_CASE([$collio_openmpi_version],
        [4.*], [collio_libs='-lmca_common_ompio -lmpi -lopen-pal'],
        [5.*], [collio_libs='-lmpi -lopen-pal'],
        [collio_libs='-lopen_mpi -lopen-pal'])
    COLLIO_OMPI_LIBS="$collio_libdirs $collio_libs"
    COLLIO_SYMBOL([mca_common_ompio_set_view], [collio_links=yes], [collio_links=no])
    # A 4.1 that was built with its components inside libmpi has OMPIO there, too.
    AS_CASE([$collio_links-$collio_openmpi_version], [no-4.*], [
        COLLIO_OMPI_LIBS="$collio_libdirs -lmpi -lopen-pal"
        COLLIO_SYMBOL([mca_common_ompio_set_view], [collio_links=yes], [])])
    AS_IF([test "x$collio_links" = xno], [AC_MSG_ERROR([
    Cannot link with $COLLIO_OMPI_LIBS (config.log has the linker's words).
    Is $collio_openmpi_libdir of the same Open MPI as its headers?])])
])

dnl COLLIO_SYMBOL(name, if exported, if not)
AC_DEFUN([COLLIO_SYMBOL], [
    collio_save_LIBS=$LIBS
    LIBS="$COLLIO_OMPI_LIBS $LIBS"
    AC_MSG_CHECKING([whether Open MPI exports $1])
    AC_LINK_IFELSE([AC_LANG_SOURCE([[extern char $1[]; int main(void) { return 0 == (long) &$1[0]; }]])],
        [AC_MSG_RESULT([yes])
         $2], [AC_MSG_RESULT([no])
         $3])
    LIBS=$collio_save_LIBS
])
