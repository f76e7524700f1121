// Who is at the other end of a channel, as the kernel says it: nothing that the other side tells.
#pragma once

#include <sys/types.h>

#include <optional>

#include "comm/process/channel.hpp"

namespace aisp::comm {

struct Peer {
  uid_t user = 0;
  pid_t process = 0;  // that made the connection, or that listens
};

// Nothing for a channel whose other side cannot be told.
std::optional<Peer> peer_of(const Channel& channel);

// 0 where there is no such process.
pid_t parent_of(pid_t process);

// Whether it is that process or was started by it, directly or not.
bool descends_from(pid_t process, pid_t ancestor);

// Can be read from when the process has ended, whoever has started it; -1 where there is none.
Descriptor life_of(pid_t process);

}  // namespace aisp::comm
