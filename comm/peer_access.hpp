// Memory of other devices, from inside a kernel.
#pragma once

namespace aisp::comm {

// True where device `from` can reach memory of `to` without a stop on the host; lets it.
bool enable_peer_access(int from, int to);

}  // namespace aisp::comm
