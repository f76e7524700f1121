// Many small products that could be fewer large ones, for size.dims = {rows, n, k, groups}: a
// two-layer perceptron over micro-batches, and rows that belong to groups with weights of their
// own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lab/case/case.hpp"

namespace aisp::lab {

// y (rows, k) = max(0, x (rows, k) * w1 (n, k)') * w2 (k, n)', all bf16; the hidden layer of n is
// rounded to bf16 between the products. The function does not depend on `groups`, the number of
// micro-batches in which a rung may take the rows; it divides rows, else Exit::usage.
Problem mlp_problem(const std::string& target, const Size& size);

// y (rows, n) with row r = x (rows, k) row r times w (groups, n, k) of its group transposed, all
// bf16. Rows of a group are neighbours.
Problem grouped_problem(const std::string& target, const Size& size);

// groups + 1 numbers: group g has the rows [starts[g], starts[g + 1]). As uneven as the experts of
// a router: sizes in proportion to squares of uniform numbers, any number of rows from 0 on. The
// same for every seed.
std::vector<std::int64_t> group_starts(std::int64_t rows, std::int64_t groups);

}  // namespace aisp::lab
