# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""How old a measured build is: commits to ompi/ since."""

import os
import subprocess

STEPS = (10, 30, 100, 300, 1000)  # so that not every commit changes a text


def passed(commits):
    """The last step that is passed, or None."""
    return max((step for step in STEPS if commits > step), default=None)


def _since(source, commit):
    """None: not an ancestor of HEAD."""
    base = commit.rstrip("*").partition("+")[0]  # record.commit()

    def git(*words):
        return subprocess.run(["git", "-C", source, *words], text=True, check=False, capture_output=True)

    if git("merge-base", "--is-ancestor", base, "HEAD").returncode != 0:
        return None
    return int(git("rev-list", "--count", f"{base}..HEAD", "--", "ompi").stdout)


def of_commits(source, rows):
    """The age of each commit that rows name; {} without git."""
    if not os.path.exists(os.path.join(source, ".git")):
        return {}
    return {commit: _since(source, commit)
            for commit in sorted({row["commit"] for row in rows if row.get("commit")})}


def words(ages):
    """Of the oldest; "" without git."""
    if not ages:
        return ""
    commits = max((age for age in ages.values() if age is not None), default=0)
    step = passed(commits)
    return f"more than {step} commits to `ompi/` ago" if step else f"at most {STEPS[0]} commits to `ompi/` ago"
