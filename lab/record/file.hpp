// Files that must not be lost: whole writes, atomic replacement, and refusals that say which file,
// why, and what to do instead.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/file.hpp"

namespace aisp::lab {

using base::FileDescriptor;

// Goes on after a signal or a short write. Refuses (Exit::environment) with the path, the system's
// reason and `way_out` when the bytes do not all go in.
void write_whole(int fd, std::string_view bytes, const std::filesystem::path& path,
                 std::string_view way_out);

// base::replace_file, refusing (Exit::environment) with the path, the reason and `way_out`.
void replace_file(const std::filesystem::path& path, std::string_view text,
                  std::string_view way_out);

// Refuses a file that cannot be read (Exit::environment), that is not a regular one, or that has
// more than base::most_file_bytes.
std::string read_whole(const std::filesystem::path& path);

// The same of a file that is open, whatever has its name now.
std::string read_whole(int fd, const std::filesystem::path& path);

// "cannot <what> <path>: <reason of errno>; <way out>", Exit::environment.
[[noreturn]] void refuse_file(std::string_view what, const std::filesystem::path& path,
                              std::string_view way_out);

}  // namespace aisp::lab
