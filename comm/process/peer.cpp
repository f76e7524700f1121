#include "comm/process/peer.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "base/refuse.hpp"

namespace aisp::comm {

std::optional<Peer> peer_of(const Channel& channel) {
  ucred credentials{};
  socklen_t length = sizeof credentials;
  if (getsockopt(channel.descriptor(), SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0 ||
      credentials.pid <= 0)
    return std::nullopt;
  return Peer{credentials.uid, credentials.pid};
}

pid_t parent_of(pid_t process) {
  std::ifstream file(base::say("/proc/", process, "/stat"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  // "123 (a name with ) in it) S 122 …": the parent is the second word behind the name.
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos) return 0;
  return static_cast<pid_t>(std::strtol(text.c_str() + name_end + 3, nullptr, 10));
}

bool descends_from(pid_t process, pid_t ancestor) {
  constexpr int deepest = 64;  // a process that ends meanwhile may give its number to another
  for (int depth = 0; process > 1 && depth < deepest; ++depth, process = parent_of(process))
    if (process == ancestor) return true;
  return false;
}

// glibc 2.36 declares pidfd_open() for C alone.
Descriptor life_of(pid_t process) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

}  // namespace aisp::comm
