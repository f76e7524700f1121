"""A program that has the CUDA runtime linked into it runs past the simulator, and is told so."""

import sys
import tempfile
import unittest

import program


class OwnRuntime(unittest.TestCase):
    def test_sim_says_so_in_one_line(self):
        lines = program.said(program.sim("own_runtime", "nothing"))
        self.assertEqual(len(lines), 1, lines)
        self.assertIn("report_own_runtime", lines[0])
        self.assertIn("-cudart shared", lines[0])

    def test_sim_says_so_in_one_line_when_it_calls_cuda(self):
        """Its runtime finds the simulator's driver, asks it for every function there is, and gives up."""
        lines = program.said(program.sim("own_runtime", "read"))
        self.assertEqual(len(lines), 1, lines)
        for words in ("report_own_runtime", "static cudart", "cuGetExportTable", "-cudart shared"):
            self.assertIn(words, lines[0])

    def test_check_refuses_then_too(self):
        done = program.check("own_runtime", "read")
        self.assertEqual(done.returncode, 4)
        self.assertIn("no CUDA call of", done.stderr)

    def test_sim_says_so_of_a_library(self):
        library = program.FOLDER / "libreport_own_runtime_library.so"
        load = f"import ctypes; ctypes.CDLL({str(library)!r})"
        lines = program.said(program.run([program.AISP, "sim", "--quiet", "--", sys.executable, "-c", load]))
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(library.name, lines[0])

    def test_check_still_refuses(self):
        done = program.check("own_runtime", "nothing")
        self.assertEqual(done.returncode, 4)
        self.assertIn("no CUDA call of", done.stderr)

    def test_a_program_that_hands_calls_on_is_left_alone(self):
        """aisp itself finds the runtime when it starts; seen from outside it looks like a static one."""
        with tempfile.TemporaryDirectory() as folder:
            done = program.run([program.AISP, "bench", "run", "--validate", "--quick", "--targets", "ch09:memory_bound",
                                "--device", "sim", "--out", folder])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("linked into it", done.stderr)

    def test_others_are_left_alone(self):
        self.assertEqual(program.sim("failed_launch", "nothing").stderr, "")
        self.assertEqual(program.run([program.AISP, "sim", "--quiet", "--", "sh", "-c", "true"]).stderr, "")
