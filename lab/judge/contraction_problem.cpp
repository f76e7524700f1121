#include "lab/judge/contraction_problem.hpp"

#include <algorithm>
#include <cstring>

#include "base/parallel.hpp"
#include "base/refuse.hpp"
#include "lab/case/references.hpp"
#include "lab/judge/gemm_problem.hpp"
#include "lab/judge/tolerance.hpp"

namespace aisp::lab {
namespace {

using Offsets = std::vector<std::int64_t>;

Tensor tensor_of_modes(const char* name, std::vector<std::int64_t> shape) {
  return {.name = name, .dtype = Dtype::bf16, .shape = std::move(shape)};
}

bool holds(const std::string& modes, char mode) { return modes.find(mode) != std::string::npos; }

// Where the elements of `modes` begin in a dense tensor, the last mode fastest; 0 for modes that it
// lacks.
Offsets offsets(const ContractionShape& shape, const std::string& modes,
                const std::string& tensor) {
  Offsets all{0};
  for (const char mode : modes) {
    std::int64_t stride = 0;
    if (const auto place = tensor.find(mode); place != std::string::npos)
      stride = shape.count(tensor.substr(place + 1));
    Offsets next;
    next.reserve(all.size() * static_cast<std::size_t>(shape.extents.at(mode)));
    for (const std::int64_t first : all)
      for (std::int64_t i = 0; i < shape.extents.at(mode); ++i) next.push_back(first + i * stride);
    all = std::move(next);
  }
  return all;
}

// Rows `lines` of an operand with the sum's terms beside each other.
HostTensor gathered(const HostTensor& tensor, std::int64_t first, const std::int64_t* lines,
                    std::int64_t count, const Offsets& terms) {
  const auto length = static_cast<std::int64_t>(terms.size());
  HostTensor matrix{tensor_of_modes("matrix", {count, length}), {}};
  matrix.data.resize(static_cast<std::size_t>(matrix.what.bytes()));
  const auto from = tensor.as<std::uint16_t>();
  auto* to = reinterpret_cast<std::uint16_t*>(matrix.data.data());
  base::parallel_ranges(
      count,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
          for (std::int64_t k = 0; k < length; ++k)
            to[row * length + k] = from[static_cast<std::size_t>(
                first + lines[row] + terms[static_cast<std::size_t>(k)])];
      },
      64);
  return matrix;
}

// The blocked float64 product does the work, on as many rows at a time as 64 MiB of results hold.
void contraction_reference(const ContractionShape& shape, const Inputs& inputs,
                           std::vector<double>& d) {
  std::string batch, rows, columns;
  for (const char mode : shape.d)
    (holds(shape.a, mode) && holds(shape.b, mode) ? batch
     : holds(shape.a, mode)                       ? rows
                                                  : columns) += mode;
  const auto of = [&](const std::string& modes, const std::string& tensor) {
    return offsets(shape, modes, tensor);
  };
  const Offsets a_rows = of(rows, shape.a), d_rows = of(rows, shape.d);
  const Offsets b_columns = of(columns, shape.b), d_columns = of(columns, shape.d);
  const Offsets a_terms = of(shape.summed(), shape.a), b_terms = of(shape.summed(), shape.b);
  const Offsets a_batch = of(batch, shape.a), b_batch = of(batch, shape.b);
  const Offsets d_batch = of(batch, shape.d);
  const auto m = static_cast<std::int64_t>(a_rows.size());
  const auto n = static_cast<std::int64_t>(b_columns.size());
  const auto k = static_cast<std::int64_t>(a_terms.size());
  const std::int64_t at_once = std::max<std::int64_t>(256, (8 << 20) / n);
  std::vector<double> part;
  for (std::size_t one = 0; one < a_batch.size(); ++one) {
    const HostTensor b = gathered(inputs[1], b_batch[one], b_columns.data(), n, b_terms);
    for (std::int64_t first = 0; first < m; first += at_once) {
      const std::int64_t count = std::min(at_once, m - first);
      gemm_reference(gathered(inputs[0], a_batch[one], a_rows.data() + first, count, a_terms), b,
                     true, count, n, k, part);
      for (std::int64_t row = 0; row < count; ++row)
        for (std::int64_t column = 0; column < n; ++column)
          d[static_cast<std::size_t>(d_batch[one] + d_rows[static_cast<std::size_t>(first + row)] +
                                     d_columns[static_cast<std::size_t>(column)])] =
              part[static_cast<std::size_t>(row * n + column)];
    }
  }
}

}  // namespace

std::vector<std::int64_t> ContractionShape::shape_of(const std::string& modes) const {
  std::vector<std::int64_t> shape;
  for (const char mode : modes) shape.push_back(extents.at(mode));
  return shape;
}

std::int64_t ContractionShape::count(const std::string& modes) const {
  std::int64_t product = 1;
  for (const char mode : modes) product *= extents.at(mode);
  return product;
}

std::string ContractionShape::summed() const {
  std::string modes;
  for (const char mode : a)
    if (!holds(d, mode)) modes += mode;
  return modes;
}

ContractionShape contraction_shape(const std::string& expression, const std::string& letters,
                                   const Size& size) {
  const auto comma = expression.find(','), arrow = expression.find("->");
  ContractionShape shape{.a = expression.substr(0, comma),
                         .b = expression.substr(comma + 1, arrow - comma - 1),
                         .d = expression.substr(arrow + 2)};
  for (std::size_t i = 0; i < letters.size(); ++i) shape.extents[letters[i]] = size.dims.at(i);
  return shape;
}

Problem contraction_problem(const std::string& target, const Size& size,
                            const ContractionShape& shape) {
  constexpr std::int64_t most = 1 << 19;
  for (const auto& [mode, extent] : shape.extents)
    if (extent > most)
      base::refuse(base::Exit::usage, target, " takes extents up to ", most, ": ", mode, " is ",
                   extent);
  for (const std::string* modes : {&shape.a, &shape.b, &shape.d})
    if (const std::int64_t last = shape.extents.at(modes->back()); last % 8 != 0)
      base::refuse(base::Exit::usage, target, " needs ", modes->back(),
                   " divisible by 8 (16 bytes ", "of ", *modes, "): got ", last, "; pad to ",
                   (last + 7) / 8 * 8);
  const std::int64_t terms = shape.count(shape.summed());
  Problem problem;
  problem.size = size;
  problem.inputs = {tensor_of_modes("a", shape.shape_of(shape.a)),
                    tensor_of_modes("b", shape.shape_of(shape.b))};
  problem.outputs = {{.tensor = tensor_of_modes("d", shape.shape_of(shape.d)),
                      .tolerance = accumulation(Dtype::bf16, terms, 1.0 / 3, matrix_f32)}};
  problem.flops = 2.0 * static_cast<double>(shape.count(shape.d)) * static_cast<double>(terms);
  problem.bytes = bytes_once(problem);
  problem.unit = Unit::matrix_bf16;
  problem.reference = [shape](const Inputs& inputs, std::vector<std::vector<double>>& expected) {
    contraction_reference(shape, inputs, expected[0]);
  };
  return problem;
}

}  // namespace aisp::lab
