#include "comm/rank_device.hpp"

#include <cstdlib>

#include "base/text.hpp"
#include "comm/cuda.hpp"

namespace aisp::comm {

int device_of_rank(int rank) {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"})
    if (const char* text = std::getenv(variable); text != nullptr)
      rank = static_cast<int>(base::parse_integer(text).value_or(rank));
  return rank % device_count();
}

}  // namespace aisp::comm
