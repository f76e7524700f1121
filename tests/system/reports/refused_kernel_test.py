"""A refused kernel is named as its author wrote it, short enough to read, and it is the one that has the instruction."""

import unittest

import program

SHORT = "device_kernel<Universal<...> >(Universal<...>::Params)"


class RefusedKernel(unittest.TestCase):
    def line(self, *arguments, options=()):
        done = program.run([program.AISP, "sim", "--quiet", *options, "--", program.FOLDER / "report_refused_kernel", *arguments])
        lines = program.said(done)
        self.assertEqual((done.returncode, done.stdout, len(lines)), (0, "cudaErrorInvalidPtx\n", 1), done.stderr)
        return lines[0]

    def test_the_kernel_that_was_asked_for_has_it(self):
        line = self.line("library")
        self.assertIn(f"kernel '{SHORT}': PTX for sm_90a refused: line", line)
        self.assertIn("vadd", line)

    def test_another_one_has_it(self):
        line = self.line()
        self.assertIn(f"kernel 'plain(int*)': PTX for sm_90a refused because of '{SHORT}' beside it: line", line)

    def test_whole_names(self):
        for words in (["--full-names"],):
            line = self.line("library", options=words)
            self.assertIn("Stage<3, float, double, long long, unsigned long>", line)
            self.assertIn("void device_kernel<", line)
