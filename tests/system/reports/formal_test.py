"""What is formal is a line per rule and kernel and no failure, unless --strict asks."""

import unittest

import program


class Formal(unittest.TestCase):
    def test_a_line_for_each_rule_and_kernel(self):
        done = program.check("formal", "all")
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = done.stdout.splitlines()
        self.assertEqual(len(lines), 5, done.stdout)
        self.assertEqual(sorted(line.split()[0] for line in lines[:3]),
                         ["formal[mbarrier-init-fence]", "formal[mbarrier-init-fence]", "formal[store-at-exit]"])
        for line in lines[:3]:
            self.assertIn("formal.cu:", line)
        self.assertIn("aisp check --explain ", lines[3])
        self.assertEqual(lines[4], "nothing found, 3 formal in 1 run")

    def test_strict_makes_it_an_error(self):
        done = program.check("formal", "init", options=["--strict"])
        self.assertEqual(done.returncode, 3)
        self.assertTrue(done.stdout.startswith("error[mbarrier-init-fence]"), done.stdout)
        self.assertIn("replay: aisp check --order earliest --strict --", done.stdout)

    def test_programs_are_told_the_level(self):
        found, code = program.findings("formal", "store")
        self.assertEqual(([one["severity"] for one in found], code), (["formal"], 0))
        found, code = program.findings("formal", "store", options=["--strict"])
        self.assertEqual(([one["severity"] for one in found], code), (["error"], 3))

    def test_exploring_goes_on_past_it(self):
        self.assertIn("nothing found, 1 formal in 4 runs", program.check("formal", "store", options=["--explore", "2"]).stdout)
