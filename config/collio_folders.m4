dnl Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl Which folders are built. autogen.pl lists what is in the tree (COLLIO_CONFIGURE_FOLDERS).

dnl COLLIO_COMPONENT(framework, component): a component may decline in its configure.m4, which
dnl defines MCA_ompi_<framework>_<component>_CONFIG(if it can be built, if not).
AC_DEFUN([COLLIO_COMPONENT], [
    collio_build=yes
    m4_ifdef([MCA_ompi_$1_$2_CONFIG],
        [MCA_ompi_$1_$2_CONFIG([collio_build=yes], [collio_build=no])])
    m4_if([$1], [common], [],
        [AS_IF([test "x$collio_have_openmpi" = xno], [collio_build=no])])
    AS_IF([test "x$collio_build" = xyes], [
        COLLIO_SUBDIRS="$COLLIO_SUBDIRS ompi/mca/$1/$2"
        collio_components="$collio_components $1/$2"
    ])
    AC_CONFIG_FILES([ompi/mca/$1/$2/Makefile])
])

dnl COLLIO_FOLDER(folder): a folder of tests or programs. All but those of core/ need Open MPI.
AC_DEFUN([COLLIO_FOLDER], [
    m4_if([$1], [test/unit], [collio_build=$collio_have_check],
        [$1], [bench/scale], [collio_build=yes],
        [collio_build=$collio_have_openmpi])
    AS_IF([test "x$collio_build" = xyes], [COLLIO_SUBDIRS="$COLLIO_SUBDIRS $1"])
    AC_CONFIG_FILES([$1/Makefile])
])

dnl COLLIO_INSTALL_DIR: where components go. Programs and pages go to the prefix: without --prefix, that is
dnl ~/.local for a user who cannot write to /usr/local.
AC_DEFUN([COLLIO_INSTALL_DIR], [
    AC_ARG_WITH([component-dir],
        [AS_HELP_STRING([--with-component-dir=DIR],
            [install the components there (default: LIBDIR/openmpi if --prefix is given, else Open MPI's own
             directory if you may write to it, else ~/.openmpi/components)])],
        [], [with_component_dir=auto])
    AS_CASE([$with_component_dir],
        [/*], [ompilibdir=$with_component_dir],
        [auto], [
            AS_IF([test "x$prefix" != xNONE && test "x$prefix" != "x$collio_openmpi_prefix"],
                    [ompilibdir='${libdir}/openmpi'],
                [test -n "$COLLIO_OPENMPI_DIR" && test -w "$COLLIO_OPENMPI_DIR"],
                    [ompilibdir=$COLLIO_OPENMPI_DIR],
                [ompilibdir=$HOME/.openmpi/components])],
        [AC_MSG_ERROR([--with-component-dir needs an absolute path])])
    AS_IF([test "x$prefix" = xNONE && test ! -w "$ac_default_prefix"], [prefix=$HOME/.local])
    AC_SUBST([ompilibdir])
    AC_SUBST([COLLIO_SUBDIRS])
])

AC_DEFUN([COLLIO_SUMMARY], [
    collio_show_dir=$ompilibdir
    AS_IF([test "x$collio_show_dir" = 'x${libdir}/openmpi'], [collio_show_dir="$prefix/lib/openmpi"])
    collio_show_prefix=$prefix
    AS_IF([test "x$prefix" = xNONE], [collio_show_prefix=$ac_default_prefix])
    AS_IF([test "x$collio_have_check" = xyes], [collio_show_unit=yes],
        [collio_show_unit='no (Debian: apt-get install check)'])
    AC_MSG_NOTICE([
    collio $PACKAGE_VERSION
    ------------------------------------------------------------
    Open MPI           $collio_openmpi_shown
    headers            $collio_headers_shown
    components         ${collio_components:-none}
    installed to       $collio_show_dir
    programs to        $collio_show_prefix
    libaio             $collio_have_libaio
    liburing           $collio_have_liburing
    Lustre             $collio_have_lustre
    unit tests         $collio_show_unit
    compiler           $CC $CFLAGS
    sanitizers         $enable_sanitizers
    warnings as errors $enable_werror
    ------------------------------------------------------------
    Next: make, make check, make install])
])
