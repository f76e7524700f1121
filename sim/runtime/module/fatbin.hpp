// Which of the images of device code in a program a simulated device runs.
#pragma once

#include <vector>

#include "base/fatbin.hpp"
#include "sim/machine/device_model.hpp"

namespace aisp::sim {

using base::elf_magic, base::fatbin_magic, base::wrapper_magic;
using base::Image, base::plain_bytes, base::ptx_text, base::read_images;

// The image to run: PTX of exactly the device's `a` target, else the highest plain one that is not
// newer than the device. Null when there is none.
const Image* choose_ptx(const std::vector<Image>& images, const DeviceModel& model);

}  // namespace aisp::sim
