"""Each run of a checked program reads what standard input holds, and the caller's place stays where it was."""

import os
import pty
import tempfile
import unittest

import program

EXPLORE = ("--explore", "2", "--keep-going")


class ReadsInput(unittest.TestCase):
    def setUp(self):
        self.program = program.FOLDER / "report_reads_input"
        self.file = tempfile.NamedTemporaryFile("w+", suffix=".txt")
        self.file.write("a\nb\nc\n")
        self.file.flush()
        self.addCleanup(self.file.close)

    def shell(self, line, **options):
        return program.run(["bash", "-c", line], **options)

    def command(self, *options, arguments=""):
        return f"{program.AISP} check {' '.join(options)} -- {self.program} {arguments}"

    def test_a_loop_over_a_file_ends(self):
        line = f"while read x; do echo got $x; {self.command()}; done < {self.file.name}"
        done = self.shell(line)
        self.assertEqual([one for one in done.stdout.splitlines() if one.startswith("got")], ["got a", "got b", "got c"])
        self.assertEqual([one for one in done.stderr.splitlines() if one.startswith("read")],
                         ["read b,c,", "read c,", "read "])

    def runs(self, done):
        return [one for one in done.stderr.splitlines() if one.startswith("read")]

    def test_every_run_reads_the_whole_file(self):
        # What later runs print is shown when they fail.
        check = f"{program.AISP} check {' '.join(EXPLORE)} -- bash -c '{self.program}; exit 7'"
        done = self.shell(f"{check} < {self.file.name}")
        self.assertEqual(self.runs(done), ["read a,b,c,"] * 4, done.stderr)

    def test_every_run_reads_the_whole_pipe(self):
        check = f"{program.AISP} check {' '.join(EXPLORE)} -- bash -c '{self.program}; exit 7'"
        done = self.shell(f"printf 'a\\nb\\nc\\n' | {check}")
        self.assertEqual(self.runs(done), ["read a,b,c,"] * 4, done.stderr)

    def test_a_pipe_larger_than_a_pipe_holds(self):
        count = 60_000
        check = f"{program.AISP} check {' '.join(EXPLORE)} -- bash -c 'test $({self.program} | tr -cd , | wc -c) -eq {count} || exit 7'"
        done = self.shell(f"seq {count} | {check}")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_pipe_that_nobody_closes_is_no_reason_to_wait(self):
        reading, writing = os.pipe()
        try:
            os.write(writing, b"a\nb\n")
            for options in ((), EXPLORE):
                done = program.run([program.AISP, "check", *options, "--", self.program, "1"], stdin=reading)
                self.assertEqual((self.runs(done), done.returncode), (["read a,"], 0), done.stderr)
                os.write(writing, b"a\nb\n")
        finally:
            os.close(reading)
            os.close(writing)

    def test_one_run_leaves_the_rest_of_a_pipe_alone(self):
        done = self.shell(f"printf 'a\\nb\\n' | while read x; do echo got $x; {self.command(arguments='0')}; done")
        self.assertEqual([one for one in done.stdout.splitlines() if one.startswith("got")], ["got a", "got b"])

    def test_devices_and_terminals(self):
        self.assertEqual(self.runs(self.shell(f"{self.command(*EXPLORE)} < /dev/null")), ["read "])
        leader, follower = pty.openpty()
        try:
            done = program.run([program.AISP, "check", "--", self.program], stdin=follower)
            self.assertEqual(self.runs(done), ["read "])
        finally:
            os.close(leader)
            os.close(follower)
