#include "sim/exec/matrix/tcgen05/scales.hpp"

#include "base/refuse.hpp"
#include "sim/exec/memory/address_slots.hpp"

namespace aisp::sim {

std::vector<std::uint8_t> read_scales(Block& block, std::uint32_t address, int quarter, int first,
                                      int rows, int byte, int count) {
  const TensorAddress base = TensorAddress::of(address);
  if (base.lane != 0)
    misuse(base::say("tcgen05.mma: scales at lane ", base.lane, ": they begin at lane 0"), address);
  const auto columns = static_cast<std::uint32_t>((first + rows + quarter_rows - 1) / quarter_rows);
  require_columns(block.tensor, base.column, columns, "tcgen05.mma: scales");
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(rows * count));
  for (int i = 0; i < rows; ++i) {
    const int row = first + i;
    const auto lane = static_cast<std::uint32_t>(row % quarter_rows + quarter_rows * quarter);
    const std::uint32_t word = block.tensor.memory->row(lane)[base.column + row / quarter_rows];
    for (int at = 0; at < count; ++at)
      codes[static_cast<std::size_t>(i * count + at)] =
          static_cast<std::uint8_t>(word >> 8 * (byte + at));
  }
  return codes;
}

}  // namespace aisp::sim
