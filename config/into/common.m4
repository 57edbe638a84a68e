dnl Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl @MARK@; do not edit.

dnl What configure finds goes into collio_config.h of this folder, not into Open MPI's own header.
m4_define([COLLIO_DEFINE], [
    $1=$2
])

@LIBRARIES@

dnl COLLIO_IN_TREE_COMPONENT(framework, component): a component inside libmpi cannot use a library
dnl that is installed beside it.
AC_DEFUN([COLLIO_IN_TREE_COMPONENT], [
    MCA_COMPONENT_COMPILE_MODE([ompi], [$1], [$2], [collio_component_mode])
    AS_IF([test "$collio_component_mode" = static && test "$collio_mode" = dso], [AC_MSG_ERROR([
    $1/$2 is to be a part of libmpi, but common/collio, which it uses, a DSO.
    Build both in the same way (--enable-mca-dso, --enable-mca-static).])])
])

AC_DEFUN([MCA_ompi_common_collio_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/common/collio/Makefile])
    AC_CONFIG_FILES([ompi/mca/common/collio/collio_config.h])

    MCA_COMPONENT_COMPILE_MODE([ompi], [common], [collio], [collio_mode])
    MCA_COMPONENT_COMPILE_MODE([ompi], [common], [ompio], [collio_ompio_mode])
    COLLIO_LIBRARIES
    COLLIO_VERSION='"@VERSION@"'
    COLLIO_MAJOR=@MAJOR@
    COLLIO_MINOR=@MINOR@
    COLLIO_RELEASE=@RELEASE@
    COLLIO_OPENMPI_VERSION="\"$OMPI_VERSION\""
    COLLIO_LUSTREAPI_FOLDER="\"$collio_lustre_folder\""

    m4_foreach_w([macro], [@MACROS@], [AC_SUBST(macro)])

    # In 4.1 common/ompio is a library of its own; inside libmpi it must not be linked once more.
    COLLIO_IN_TREE_OMPIO=
    AS_IF([test "$collio_ompio_mode" = dso],
        [COLLIO_IN_TREE_OMPIO='$(top_builddir)/ompi/mca/common/ompio/libmca_common_ompio.la'])
    COLLIO_IN_TREE_LIBS=$COLLIO_IN_TREE_OMPIO
    AS_IF([test "$collio_mode" = dso],
        [COLLIO_IN_TREE_LIBS="\$(top_builddir)/ompi/mca/common/collio/libmca_common_collio.la $COLLIO_IN_TREE_OMPIO"])
    COLLIO_IN_TREE_CPPFLAGS='-include $(top_builddir)/ompi/mca/common/collio/collio_config.h -I$(top_srcdir)/ompi/mca/common/collio -I$(top_builddir)/ompi/mca/common/collio'
    common_collio_WRAPPER_EXTRA_LIBS="$LIBAIO_LIBS $LIBURING_LIBS"
    AC_SUBST([COLLIO_IN_TREE_CPPFLAGS])
    AC_SUBST([COLLIO_IN_TREE_LIBS])
    AC_SUBST([COLLIO_IN_TREE_OMPIO])

    AS_IF([test "$enable_io_ompio" != no], [$1], [$2])
])
