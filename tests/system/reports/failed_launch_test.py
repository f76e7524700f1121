"""A launch that failed and whose error nobody read is said at the end, with the limit that it broke."""

import unittest

import program

# case: what the line must hold besides the kernel's name
UNREAD = {
    "threads": ("scale<float>", "cudaErrorInvalidValue", "2048", "1024"),
    "shared": ("scale<int>", "cudaErrorInvalidValue", "100000", "49152", "232448"),
    "bounds": ("bounded(int*)", "cudaErrorInvalidValue", "256", "128"),
    "grid": ("bounded(int*)", "cudaErrorInvalidValue", "(0,1,1)"),
    "cluster": ("paired(int*)", "cudaErrorInvalidClusterSize", "(3,1,1)", "(2,1,1)"),
    "thrice": ("scale<float>", "3 times"),
    "then_good": ("scale<float>", "2048"),
    "read_before": ("scale<float>", "2048"),
    "other_thread": ("scale<float>", "2048"),
}
READ = ("read", "peeked", "returned", "nothing")


class FailedLaunch(unittest.TestCase):
    def test_sim_says_one_line(self):
        for case, parts in UNREAD.items():
            with self.subTest(case):
                done = program.sim("failed_launch", case)
                lines = program.said(done)
                self.assertEqual((done.returncode, done.stdout, len(lines)), (0, "done\n", 1), done.stderr)
                for part in parts:
                    self.assertIn(part, lines[0])

    def test_check_finds_it(self):
        for case, parts in UNREAD.items():
            with self.subTest(case):
                found, code = program.findings("failed_launch", case)
                self.assertEqual(([one["rule"] for one in found], code), (["launch-error"], 3))
                for part in parts:
                    self.assertIn(part, found[0]["kernel"] + ": " + found[0]["message"])
                self.assertEqual(program.said(program.check("failed_launch", case)), [], "said twice")

    def test_what_was_read_is_not_said(self):
        for case in READ:
            with self.subTest(case):
                self.assertEqual(program.said(program.sim("failed_launch", case)), [])
                self.assertEqual(program.findings("failed_launch", case), ([], 0))
