"""Findings say what mends them, name those who did it, and come once per cause."""

import unittest

import program


class Wording(unittest.TestCase):
    def only(self, case, rule):
        found, _ = program.findings("wording", case)
        self.assertEqual([one["rule"] for one in found], [rule], [one["message"] for one in found])
        return found[0]

    def test_the_widest_barrier_is_suggested(self):
        for case in ("missing_block_barrier", "missing_block_barrier_in_one"):
            with self.subTest(case):
                found = self.only(case, "shared-race")
                self.assertIn("__syncthreads()", found["fix"])
                self.assertNotIn("__syncwarp", found["fix"])
                self.assertNotEqual(found["places"][0]["warp"], found["places"][1]["warp"])

    def test_a_warps_barrier_is_enough_within_a_warp(self):
        self.assertIn("__syncwarp()", self.only("missing_warp_barrier", "shared-race")["fix"])

    def test_the_lane_that_did_it_is_named(self):
        found = self.only("exchange", "shared-race")
        did = {(place["what"].split()[0], place["lane"]) for place in found["places"]}
        self.assertIn("shared offset 0 ", found["message"] + " ")
        self.assertEqual(did, {("read", 8), ("write", 0)})

    def test_a_slot_that_is_refilled_needs_its_empty_barrier(self):
        found, _ = program.findings("wording", "refill")
        found = [one for one in found if one["rule"] == "bulk-wait"]
        self.assertEqual(len(found), 1)
        self.assertIn("'empty'", found[0]["fix"])
        self.assertNotIn("mbarrier.try_wait for that phase", found[0]["fix"])

    def test_too_many_bytes_are_said_as_such(self):
        done = program.sim("wording", "too_many_bytes")
        self.assertIn("128 bytes too many", done.stderr)
        self.assertNotIn("-128", done.stderr)
        found = self.only("too_many_bytes", "mbarrier-transactions")
        self.assertIn("128 bytes too many", " ".join(found["graph"]))

    def test_a_deadlock_is_told_once(self):
        done = program.check("wording", "never_arrives")
        self.assertEqual((done.stdout + done.stderr).count("nothing can"), 1, done.stdout + done.stderr)
        self.assertEqual((done.stdout + done.stderr).count("at barrier 1 for"), 1, done.stdout)
        self.assertIn("warps 0, 1, 2 of block (0,0,0) wait at barrier 1", done.stdout)
        self.assertIn("deadlock", program.sim("wording", "never_arrives").stderr)

    def test_one_cause_is_one_finding(self):
        found = self.only("unrolled", "proxy-fence")
        self.assertEqual((found["pairs"], found["count"]), (16, 2048))

    def test_two_causes_are_two_findings(self):
        found, _ = program.findings("wording", "two_causes")
        self.assertEqual([one["rule"] for one in found], ["shared-race"] * 2)

    def test_one_cause_is_one_finding_over_many_schedules(self):
        found, _ = program.findings("wording", "missing_block_barrier", options=["--explore", "6", "--keep-going"])
        self.assertEqual(len(found), 1, [one["message"] for one in found])

    def test_equal_bulk_stores_are_no_error(self):
        for order in ("earliest", "latest", "random"):
            options = ["--order", order]
            self.assertEqual(program.findings("wording", "same_store", options=options), ([], 0))
            found, code = program.findings("wording", "other_store", options=options)
            self.assertEqual(([one["rule"] for one in found], code), (["bulk-wait"], 3))
