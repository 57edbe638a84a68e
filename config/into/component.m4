dnl Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
dnl
dnl @MARK@; do not edit.

AC_DEFUN([MCA_ompi_@FRAMEWORK@_@COMPONENT@_CONFIG], [
    AC_CONFIG_FILES([ompi/mca/@FRAMEWORK@/@COMPONENT@/Makefile])
    COLLIO_IN_TREE_COMPONENT([@FRAMEWORK@], [@COMPONENT@])
    AS_IF([test "$enable_io_ompio" != no], [$1], [$2])
])
