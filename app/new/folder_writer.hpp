// Files that appear together or not at all.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/new/skeleton.hpp"

namespace aisp::app {

// Writes into a temporary folder and moves it to `destination`, which is missing or an empty
// folder. Ctrl-C, a full disk or any other failure leaves nothing behind and is a Refusal.
// `finish` may change the files before they are moved.
void write_folder(
    const std::filesystem::path& destination, const std::vector<NewFile>& files,
    const std::function<void(const std::vector<std::filesystem::path>&)>& finish = [](auto&) {});

}  // namespace aisp::app
