"""A finding in a library's header shows the calls that lead to it, up to the user's line."""

import pathlib
import tempfile
import unittest

import program

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = (HERE / "inlined.cu").read_text().splitlines()


def line_with(text):
    return next(number for number, line in enumerate(SOURCE, 1) if text in line)


class Inlined(unittest.TestCase):
    def places(self, found):
        return {place["what"].split()[0]: place for place in found["places"]}

    def test_the_calls_lead_to_the_users_line(self):
        found, _ = program.findings("inlined")
        self.assertEqual([one["rule"] for one in found], ["shared-race"] * 2)
        lines = []
        for one in found:
            for what, depth in (("write", 2), ("read", 1)):
                place = self.places(one)[what]
                self.assertTrue(place["file"].endswith("library.cuh"))
                self.assertEqual(len(place["inlined"]), depth, place)
                self.assertTrue(place["inlined"][-1]["file"].endswith("inlined.cu"))
                lines.append(place["inlined"][-1]["line"])
        wanted = ("the first call", "is read without a barrier", "the second call", "is read without one, too")
        self.assertEqual(lines, [line_with(text) for text in wanted])

    def test_text_shows_them(self):
        done = program.check("inlined")
        self.assertRegex(done.stdout, rf"inlined at \S*library.cuh:\d+, at \S*inlined.cu:{line_with('the first call')}\n")
        self.assertRegex(done.stdout, r"\| tile.set\(t, 1\); +// the first call\n")

    def test_a_suppression_may_name_the_users_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(f"shared-race * inlined.cu:{line_with('the first call')}  # known\n")
            file.flush()
            found, code = program.findings("inlined", options=["--suppressions", file.name])
        # The other one is left, and not both as one.
        self.assertEqual((len(found), code), (1, 3))
        self.assertEqual([one["line"] for one in self.places(found[0])["write"]["inlined"]][-1:],
                         [line_with("the second call")])
