"""Tests of explain.py on made-up survivors."""

import pathlib
import tempfile
import unittest

import explain

TEXT = """# a comment
bar.sync *;
  in one two
  at tile/ring.cuh meet();
  why because of this
    and that

fence.proxy.async;
  in one
  why nobody looks
"""


class Explain(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)
        (self.root / "tile").mkdir()
        (self.root / "tile/ring.cuh").write_text("void f() {\n  meet();\n  leave();\n}\n")
        self.file = self.root / "survivors.txt"
        self.file.write_text(TEXT)
        self.explanations = explain.read(self.file)

    def find(self, program, text, *source):
        return explain.find(self.explanations, program, {"text": text, "source": list(source)}, self.root)

    def test_an_explanation_goes_over_lines(self):
        self.assertEqual(self.find("one", "bar.sync 0;", "/usr/x.hpp:9", "tile/ring.cuh:2"), "because of this and that")

    def test_program_instruction_and_place_must_fit(self):
        self.assertIsNone(self.find("three", "bar.sync 0;", "tile/ring.cuh:2"))
        self.assertIsNone(self.find("one", "bar.arrive 0;", "tile/ring.cuh:2"))
        self.assertIsNone(self.find("one", "bar.sync 0;", "tile/ring.cuh:3"))
        self.assertIsNone(self.find("one", "bar.sync 0;", "tile/other.cuh:2", "tile/ring.cuh:99"))

    def test_what_explains_nothing_is_told_for_programs_that_took_part(self):
        self.find("one", "bar.sync 0;", "tile/ring.cuh:2")
        unused = list(explain.unused(self.explanations, {"one": [], "two": []}))
        self.assertEqual(unused, ["bar.sync *; in two", "fence.proxy.async; in one"])
        self.assertEqual(list(explain.unused(self.explanations, {"three": []})), [])

    def test_the_line_above_tells_equal_lines_apart(self):
        (self.root / "tile/ring.cuh").write_text("  meet();\n  store();\n  meet();\n")
        self.file.write_text("bar.sync 0;\n  in one\n  at tile/ring.cuh meet();\n  below store();\n  why x\n")
        self.explanations = explain.read(self.file)
        self.assertEqual(self.find("one", "bar.sync 0;", "tile/ring.cuh:3"), "x")
        self.assertIsNone(self.find("one", "bar.sync 0;", "tile/ring.cuh:1"))

    def test_a_mutant_may_be_a_correct_program(self):
        self.file.write_text("bar.sync 0;\n  in one\n  correct it waits\n    twice\nbar.sync 1;\n  in one\n  why x\n")
        self.explanations = explain.read(self.file)
        for number, correct, why in ((0, True, "it waits twice"), (1, False, "x")):
            found = explain.match(self.explanations, "one", {"text": f"bar.sync {number};", "source": []}, self.root)
            self.assertEqual((found.correct, found.why), (correct, why))

    def test_programs_may_be_patterns(self):
        self.file.write_text("bar.sync 0;\n  in ch10:matmul/* other\n  why x\n")
        self.explanations = explain.read(self.file)
        self.assertEqual(self.find("ch10:matmul/tma", "bar.sync 0;"), "x")
        self.assertIsNone(self.find("ch10:batch/tma", "bar.sync 0;"))
        results = {"ch10:matmul/tma": [], "ch10:matmul/wgmma": []}
        self.assertEqual(list(explain.unused(self.explanations, results)), [])
        self.assertEqual(list(explain.unused(self.explanations, {**results, "other": []})), ["bar.sync 0; in other"])

    def test_a_mutant_that_is_caught_needs_no_reason(self):
        caught = {"text": "fence.proxy.async;", "source": [], "by": "checker"}
        self.assertEqual(explain.find(self.explanations, "one", caught, self.root), "nobody looks")
        self.assertIn("fence.proxy.async; in one", list(explain.unused(self.explanations, {"one": []})))

    def test_a_file_without_reasons_is_refused(self):
        for text in ("bar.sync 0;\n  in one\n", "  in one\n", "bar.sync 0;\n  in one\n  because x\n"):
            self.file.write_text(text)
            with self.assertRaises(SystemExit):
                explain.read(self.file)


if __name__ == "__main__":
    unittest.main()
