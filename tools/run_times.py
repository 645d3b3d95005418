#!/usr/bin/env python3
"""Compares what `voxelastic run FILE` takes with two programs, everything that it does counted, all defaults.

Usage: run_times.py [-n TIMES] OLD NEW FILE... [-- OPTION...]
Every file is run with both programs in turn, TIMES times (5), each in an empty folder. Prints the least processor time
of each in seconds, file by file, and their sums; files that one of them cannot run are named and left out. Options are
given to both."""
import argparse
import os
import resource
import subprocess
import sys
import tempfile


def seconds(program, path, options):
    """Processor time of one run; None if it failed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([program, "run", *options, path], cwd=folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        return None
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def least(programs, path, options, times):
    """The least of each program, or None."""
    best = [None] * len(programs)
    for _ in range(times):
        for i, program in enumerate(programs):
            now = seconds(program, path, options)
            if now is None:
                return None
            best[i] = now if best[i] is None else min(best[i], now)
    return best


def main():
    given = sys.argv[1:]
    options = given[given.index("--") + 1:] if "--" in given else []
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].splitlines()[0])
    parser.add_argument("-n", type=int, default=5)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args(given[: given.index("--")] if "--" in given else given)
    programs = [os.path.abspath(arguments.old), os.path.abspath(arguments.new)]
    sums = [0.0, 0.0]
    for path in arguments.files:
        best = least(programs, os.path.abspath(path), options, arguments.n)
        if best is None:
            print(f"{path}: does not run with both")
            continue
        sums = [a + b for a, b in zip(sums, best)]
        print(f"{path}: {best[0]:.3f} {best[1]:.3f}, {best[0] / best[1]:.2f} times", flush=True)
    if sums[1] > 0:
        print(f"together: {sums[0]:.3f} {sums[1]:.3f}, {sums[0] / sums[1]:.2f} times")


if __name__ == "__main__":
    main()
