// Keeps what was tuned: the file of this device gets one more line, and loses none.
#pragma once

#include <filesystem>

#include "tile/device/gemm/tuned.hpp"

namespace aisp::app {

// Reads the file again, adds or replaces the choice for `key`, and puts the new file in its place
// whole. Two tuners may do this at the same time.
void keep_tuned(const std::filesystem::path& path, const tile::device::TunedDevice& device,
                const tile::device::GemmKey& key, const tile::device::TunedChoice& choice);

}  // namespace aisp::app
