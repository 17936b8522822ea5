"""Random conversions against independent writers and readers of each format."""
import concurrent.futures
import os
import shlex
import sys

from . import case


def one(arguments):
    return arguments[1], case.run(*arguments)


def search(program, scratch, first, cases, jobs):
    """Runs the cases from seed `first` on; gives how many commands were run and the failures."""
    program = os.path.abspath(program)
    work = ((program, seed, scratch) for seed in range(first, first + cases))
    commands, failures = 0, []
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for seed, (wrong, ran) in pool.map(one, work, chunksize=16):
            commands += len(ran)
            if wrong:
                failures.append((seed, wrong, ran))
    return commands, failures


def checks(t, cases, first, jobs):
    """Runs so many cases, and prints a line for each that fails."""
    commands, failures = search(t.program, t.folder, first, cases, jobs)
    for seed, wrong, ran in failures:
        with t.check("random: seed %d" % seed):
            shown = "\n".join("spr-convert " + shlex.join(args) for args in ran)
            raise AssertionError("%s\n%s" % (wrong, shown))
    with t.check("random: %d cases from seed %d on, %d commands, %d mismatches" % (cases, first, commands, len(failures))):
        assert not failures, "repeat one with --only random --seed SEED --cases 1"
    sys.stdout.flush()
