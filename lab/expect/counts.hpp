// Which counts of a simulated rung are judged, and how those of a row differ from the expected
// ones.
#pragma once

#include <string>
#include <vector>

#include "lab/expect/expectations.hpp"

namespace aisp::lab {

// How much larger a count may be before it is a regression; nothing where it is not judged. Of a
// judged count more is worse. Waits and overlap are not: they depend on the simulated schedule, and
// more of them is not always worse.
std::optional<double> count_tolerance(Count count);

// The judged counts of a row.
CountValues judged_counts(const RowRecord& row);

// Judged counts that differ from the expected ones by more than their tolerance, in the order of
// the enumeration. A count that the row lacks is worse than any (not a number). CountValues that
// are not expected, as in files of schema 1, are not compared.
std::vector<CountChange> compare_counts(const RowRecord& row, const ExpectedTime& expected);

// What an update stores: the row's counts, but the smaller one where a larger is tolerated. Where
// the host decides during the run what is launched (Rung::blocks_host), launches are not stored and
// so not judged: a controller that splits work by measured times launched 33 or 42 kernels.
CountValues updated_counts(const RowRecord& row, const ExpectedTime* before, bool host_decides);

// "instructions 1000 -> 1430 (+43.0 %)"
std::string text_of(const CountChange& change);

}  // namespace aisp::lab
