"""`aisp draw sync` on programs as nvcc compiles them: the graph, the choice of a kernel, what it refuses and how it ends."""

import pathlib
import re
import tempfile
import unittest

import program


def draw(name, *arguments, options=()):
    return program.run([program.AISP, "draw", "sync", *options, "--", program.FOLDER / f"report_{name}", *arguments])


def dot(name, *arguments, options=()):
    return draw(name, *arguments, options=["--format", "dot", *options])


# Lines of sources move: what is asked is which wrapper was inlined where.
def without_lines(text):
    return re.sub(r"(\.cuh?):\d+", r"\1:#", text)


RING = """digraph sync {
  rankdir=LR;
  label="(anonymous namespace)::ring(int const*, int*, int)\\ngrid 3, 96 threads; counts of one block";
  labelloc=t;
  node [fontname="monospace"];
  edge [fontname="monospace"];
  role0 [shape=box, style=bold, label="warp 0\\nbulk loads"];
  role1 [shape=box, style=bold, label="warps 1-2\\nglobal stores"];
  barrier0 [shape=box, style=rounded, label="full x2 stages\\ncount 1, 5 phases", tooltip="init at CHAIN"];
  barrier1 [shape=box, style=rounded, label="empty x2 stages\\ncount 64, 5 phases", tooltip="init at CHAIN"];
  barrier2 [shape=hexagon, label="__syncthreads\\n96 threads, 1 phase"];
  role0 -> barrier0 [label="arrive x5\\nexpect 5 x 256 B", tooltip="mbarrier.arrive.expect_tx.shared::cta.b64 at CHAIN"];
  role0 -> barrier0 [label="bulk load 5 x 256 B", tooltip="cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes at CHAIN", style=dashed];
  barrier0 -> role1 [label="wait x5", tooltip="WAIT at CHAIN"];
  role1 -> barrier1 [label="arrive x320", tooltip="mbarrier.arrive.shared::cta.b64 at CHAIN"];
  barrier1 -> role0 [label="wait x5", tooltip="WAIT at CHAIN"];
  role0 -> barrier2 [label="sync x1", tooltip="bar.sync at sync_ring.cu:#", dir=both];
  role1 -> barrier2 [label="sync x1", tooltip="bar.sync at sync_ring.cu:#", dir=both];
}
""".replace("CHAIN", "sync_ring.cu:# < sync_ring.cu:#").replace("WAIT", "mbarrier.try_wait.parity.shared::cta.b64")


class DrawSync(unittest.TestCase):
    maxDiff = None

    def refused(self, done, code, part):
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(part, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_ring(self):
        done = dot("sync_ring")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.splitlines()[-1], "kernels: 1 plain, 2 ring (drawn); --kernel chooses")
        self.assertEqual(without_lines(done.stdout), RING)

    def test_same_for_every_schedule(self):
        first = dot("sync_ring").stdout
        for options in (["--order", "latest"], ["--order", "random", "--seed", "3"], ["--device", "sim:h200,sms=1"]):
            self.assertEqual(dot("sync_ring", options=options).stdout, first, options)

    def test_svg_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "ring.svg"
            done = draw("sync_ring", options=["--kernel", "ring", "--out", file])
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            # The program's own output is in a file: two lines, whatever it printed.
            self.assertTrue(done.stderr.startswith(f"{file}: the synchronisation of ring in "), done.stderr)
            self.assertEqual(done.stderr.count("\n"), 2, done.stderr)
            text = file.read_text()
        self.assertTrue(text.startswith("<svg ") and text.endswith("</svg>\n"))
        for words in ("full x2 stages", "bulk load 5 x 256 B", "arrive x320", "warps 1-2"):
            self.assertIn(f">{words}<", text)

    def draw_chatty(self, folder, *words):
        """`aisp draw sync WORDS` in a folder with ./program, which prints its arguments and 400 lines."""
        script = pathlib.Path(folder) / "program"
        script.write_text("#!/bin/sh\nprintf '[%s]' \"$@\" > arguments\n"
                          "for i in $(seq 200); do echo to-out $i; echo to-err $i >&2; done\n"
                          f"exec {program.FOLDER / 'report_sync_ring'}\n")
        script.chmod(0o755)
        done = program.run([program.AISP, "draw", "sync", *words], cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done, (pathlib.Path(folder) / "arguments").read_text()

    def test_options_behind_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            done, arguments = self.draw_chatty(folder, "./program", "--out", "f.svg")
            self.assertEqual((done.stdout, arguments), ("", "[]"))
            lines = done.stderr.splitlines()
            self.assertEqual(len(lines), 2, done.stderr)
            self.assertIn("f.svg: the synchronisation of ring in ./program; its output of 400 lines is in f.svg.log",
                          lines[0])
            self.assertTrue((pathlib.Path(folder) / "f.svg").read_text().endswith("</svg>\n"))
            log = (pathlib.Path(folder) / "f.svg.log").read_text()
            self.assertTrue("to-out 200\n" in log and "to-err 200\n" in log)

    def test_arguments_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            done, arguments = self.draw_chatty(folder, "./program", "--own", "3", "--format=dot", "--size=4", "-x",
                                               "--out=f.dot", "--", "--out", "own.txt")
            self.assertEqual((done.stdout, arguments), ("", "[--own][3][--size=4][-x][--out][own.txt]"))
            self.assertTrue((pathlib.Path(folder) / "f.dot").read_text().startswith("digraph sync {"))
            _, arguments = self.draw_chatty(folder, "--out", "g.svg", "--", "./program", "--seed", "7", "--", "y")
            self.assertEqual(arguments, "[--seed][7][--][y]")

    def test_a_kernel_that_hangs_is_drawn_and_exits_3(self):
        done = dot("sync_ring", "hang")
        self.assertEqual(done.returncode, 3)
        self.assertIn("ended with a fault of the kernel: the graph shows what it did until then", done.stderr)
        self.assertIn("count 1, 0 phases", done.stdout)
        self.assertIn("expect 2 x 512 B", done.stdout)
        self.assertIn("bulk load 2 x 256 B", done.stdout)

    def test_grid_barrier(self):
        done = dot("grid_barrier", "3", options=["--device", "sim:h200,sms=2"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('label="grid barrier"', done.stdout)
        self.assertIn('[label="sync x3"', done.stdout)

    def test_refusals(self):
        self.refused(dot("sync_ring", "nothing"), 4, "launched no kernel, it ended with exit code 0")
        self.refused(dot("sync_ring", "plain"), 4, "plain of ")
        self.refused(dot("sync_ring", options=["--kernel", "3"]), 2, "--kernel 3 is none of them: 1 plain, 2 ring")
        self.refused(dot("sync_ring", options=["--kernel", "rung"]), 2, "--kernel rung is none of them")
        done = dot("own_runtime")  # of which the simulator has said a line of its own
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertIn("reached the simulator", done.stderr.splitlines()[-1])
        self.refused(program.run([program.AISP, "draw", "sync", "./no_such_program"]), 4,
                     "cannot start ./no_such_program: No such file")
        self.refused(program.run([program.AISP, "draw", "sync", "./program", "--out"]), 2, "--out needs a value after it")
        self.refused(program.run([program.AISP, "draw", "sync", "report_sync_ring"], cwd=program.FOLDER), 2,
                     "write the program as aisp draw sync ./report_sync_ring")
        self.refused(program.run([program.AISP, "draw", "sync"]), 2, "needs a rung or a program")
        self.refused(dot("sync_ring", options=["--device", "gpu"]), 2, "--device is sim or sim:NAME")
        self.refused(dot("sync_ring", options=["--device", "sim:h201"]), 2, "knows no device 'h201'")
        self.refused(dot("sync_ring", options=["--formt", "dot"]), 2, "did you mean --format?")
        self.refused(dot("sync_ring", options=["--format", "png"]), 2, "one of svg, dot, not 'png'")
        self.refused(dot("sync_ring", options=["--order", "random", "--seed", "x"]), 2, "--seed is a whole number")
        self.refused(dot("sync_ring", options=["--out", "/nowhere/x.dot"]), 4, "/nowhere/x.dot")
