// Which device a rank takes that is a process of its own.
#pragma once

namespace aisp::comm {

// The rank's number on its machine, as a launcher says it, modulo the number of devices.
int device_of_rank(int rank);

}  // namespace aisp::comm
