#include "sim/runtime/module/fatbin.hpp"

namespace aisp::sim {

const Image* choose_ptx(const std::vector<Image>& images, const DeviceModel& model) {
  const int device = model.major * 10 + model.minor;
  const Image* best = nullptr;
  const auto rank = [&](const Image& image) {  // -1: cannot run here
    if (image.kind != Image::Kind::ptx || image.architecture > device) return -1;
    if (image.suffix == 'a')
      return image.architecture == device && model.arch_specific ? 1000000 : -1;
    if (image.suffix == 'f')
      return image.architecture / 10 == model.major ? 10 * image.architecture + 1 : -1;
    return 10 * image.architecture;
  };
  for (const Image& image : images)
    if (rank(image) >= 0 && (best == nullptr || rank(image) > rank(*best))) best = &image;
  return best;
}

}  // namespace aisp::sim
