#!/usr/bin/env perl
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# Makes `configure` from what is in the tree.
#
# A folder is in the build because it exists: every ompi/mca/<framework>/<component>, test/<suite>,
# info, ioprof, bench and bench/<program> with a Makefile.am is found here, and in a component
# every .c and .h file, also in its sub-folders, is a source. From that come
#
#   config/autogen_dirs.m4    which Makefiles configure writes, which components it asks
#   config/autogen_dirs.am    the folders of a source package
#   <folder>/sources.am       the source lists of a component
#
# and then autoreconf runs. With --if-needed nothing is done when nothing has changed since the
# last run: the inputs' checksum is kept in config/autogen.stamp. With --into=DIR the components are
# placed in a source tree of Open MPI instead, see config/into/place.pm.

use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::MD5 qw(md5_hex);
use File::Basename qw(dirname);
use File::Find qw(find);

my $stamp = 'config/autogen.stamp';
my $if_needed = 0;
my $into;
for my $arg (@ARGV) {
    if ($arg eq '--if-needed') {
        $if_needed = 1;
    } elsif ($arg =~ /^--into=(.+)$/) {
        $into = abs_path($1) // $1;
    } else {
        print "usage: ./autogen.pl [--if-needed | --into=OPENMPI_SOURCE_TREE]\n";
        exit($arg eq '--help' ? 0 : 1);
    }
}
chdir(dirname(abs_path($0))) or die "autogen.pl: cannot enter its directory: $!\n";

sub slurp {
    my ($path) = @_;
    open(my $in, '<', $path) or return '';
    local $/ = undef;
    return <$in> // '';
}

# An unchanged file keeps its time stamp, so that nothing is made again for it.
sub write_if_changed {
    my ($path, $text) = @_;
    return if slurp($path) eq $text;
    open(my $out, '>', $path) or die "autogen.pl: cannot write $path: $!\n";
    print $out $text;
    close($out) or die "autogen.pl: cannot write $path: $!\n";
}

sub list_variable {
    my ($name, @items) = @_;
    return "$name =" . join('', map { " \\\n    $_" } @items) . "\n";
}

# Names of the .c and .h files in the component $from and its folders, relative to it.
sub sources_of {
    my ($from) = @_;
    my @found;
    find({no_chdir => 1, wanted => sub { push(@found, $_) if -f && /\.[ch]$/ }}, $from);
    s{^\Q$from\E/}{} for @found;
    return sort(@found);
}

if (defined $into) {
    require './config/into/place.pm';
    my @folders = map { dirname($_) } glob('ompi/mca/*/*/Makefile.am');
    place::run($into, {map { $_ => [sources_of($_)] } @folders});
    exit 0;
}

my $made = "# Made by autogen.pl; do not edit.\n";

# Components: those without any source yet are left alone. common/* come first, others link to it.
sub components {
    my (@first, @rest);
    for my $makefile (sort glob('ompi/mca/*/*/Makefile.am')) {
        my $dir = dirname($makefile);
        my @all = sources_of($dir);
        my @core = grep { m{^core/} } @all;
        my @own = grep { !m{^core/} } @all;
        next unless grep { /\.c$/ } @all;
        my $text = $made . list_variable('sources', @own);
        $text .= list_variable('core_sources', @core) if -d "$dir/core";
        write_if_changed("$dir/sources.am", $text);
        if ($dir =~ m{^ompi/mca/common/}) { push(@first, $dir) } else { push(@rest, $dir) }
    }
    return (@first, @rest);
}

sub write_m4 {
    my ($components, $others) = @_;
    my $text = "dnl Made by autogen.pl; do not edit.\n";
    for my $dir (@$components) {
        $text .= "m4_include([$dir/configure.m4])\n" if -f "$dir/configure.m4";
    }
    $text .= "AC_DEFUN([COLLIO_CONFIGURE_FOLDERS], [\n";
    for my $dir (@$components) {
        my (undef, undef, $framework, $component) = split(m{/}, $dir);
        $text .= "    COLLIO_COMPONENT([$framework], [$component])\n";
    }
    $text .= "    COLLIO_FOLDER([$_])\n" for @$others;
    $text .= "])\n";
    write_if_changed('config/autogen_dirs.m4', $text);
}

my @components = components();
my @others = map { dirname($_) } sort(glob('test/*/Makefile.am'), glob('{info,ioprof}/Makefile.am'));
push(@others, map { dirname($_) } sort(glob('bench/Makefile.am'), glob('bench/*/Makefile.am')));
write_m4(\@components, \@others);
write_if_changed('config/autogen_dirs.am',
                 $made . list_variable('all_folders', @components, @others));

my @inputs = ('configure.ac', 'Makefile.am', 'VERSION', 'autogen.pl',
              sort(glob('config/collio_*.m4'), glob('config/autogen_dirs.*')),
              map { ("$_/Makefile.am", "$_/configure.m4", "$_/sources.am") } @components, @others);
my $sum = md5_hex(join("\0", map { ($_, slurp($_)) } @inputs)) . "\n";
exit 0 if $if_needed && -f 'configure' && slurp($stamp) eq $sum;

unlink($stamp);
# The template of our configuration header is written by hand: autoheader must leave it alone.
$ENV{AUTOHEADER} = 'true';
system('autoreconf', '--install', '--warnings=all,no-portability,no-obsolete') == 0
    or die "autogen.pl: autoreconf failed (it needs autoconf, automake, libtool and pkg-config)\n";
write_if_changed($stamp, $sum);
