"""A cooperative grid of a whole device under the checker takes some times the time without, not a hundred times."""

import resource
import unittest

import program


def seconds_of(run):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = run()
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, done


class GridBarrier(unittest.TestCase):
    def test_takes_some_times_the_time(self):
        words = [program.FOLDER / "report_grid_barrier", "60"]
        # The best of some: other processes share the caches. 3.5 to 6 times on a busy machine; it was more than 100.
        plain, checked = [], []
        for _ in range(6):
            seconds, done = seconds_of(lambda: program.run([program.AISP, "sim", "--threads", "1", "--", *words]))
            self.assertEqual(done.returncode, 0, done.stderr)
            plain.append(seconds)
            seconds, done = seconds_of(lambda: program.run([program.AISP, "check", "--", *words]))
            self.assertEqual((done.returncode, done.stdout), (0, "nothing found in 1 run\n"), done.stderr)
            checked.append(seconds)
            if min(checked) < 6 * min(plain):
                return
        self.fail(f"{checked} s, without the checker {plain} s")
