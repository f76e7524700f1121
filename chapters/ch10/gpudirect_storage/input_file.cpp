#include "chapters/ch10/gpudirect_storage/input_file.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <stdexcept>

#include "base/refuse.hpp"

namespace aisp::ch10 {
namespace {

constexpr std::int64_t staging_bytes = 8 << 20;

std::string with_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", value);
  return text;
}

}  // namespace

InputFile::InputFile(std::int64_t bytes) : bytes_(bytes) {
  const std::string folder = storage_folder();
  require_room(folder, bytes);
  file_ = make_nameless(folder);
  direct_ = open_direct(file_, why_not_direct_);
}

std::vector<char> InputFile::first_page_of(const lab::Launch& launch) const {
  std::vector<char> page(static_cast<std::size_t>(std::min(bytes_, page_bytes)));
  lab::check_cuda(cudaMemcpyAsync(page.data(), launch.inputs.at(0), page.size(),
                                  cudaMemcpyDeviceToHost, launch.stream),
                  "cudaMemcpyAsync of the input's first page");
  lab::check_cuda(cudaStreamSynchronize(launch.stream), "cudaStreamSynchronize");
  return page;
}

void InputFile::write(const lab::Launch& launch) {
  const PinnedMemory staging(std::min(bytes_, staging_bytes));
  for (std::int64_t at = 0; at < bytes_; at += staging_bytes) {
    const std::int64_t part = std::min(staging_bytes, bytes_ - at);
    lab::check_cuda(
        cudaMemcpyAsync(staging.get(), launch.in<char>(0) + at, static_cast<std::size_t>(part),
                        cudaMemcpyDeviceToHost, launch.stream),
        "cudaMemcpyAsync of the input");
    lab::check_cuda(cudaStreamSynchronize(launch.stream), "cudaStreamSynchronize");
    file_.write(staging.get(), part, at, bytes_);
  }
  push_to_disk(file_);
}

void InputFile::match(const lab::Launch& launch) {
  // A new draw changes every element, so that the first page tells it from the old one.
  std::vector<char> page = first_page_of(launch);
  const bool changed = page != first_page_;
  if (changed) {
    first_page_.clear();  // what a write that fails leaves is nobody's input
    write(launch);
    first_page_ = std::move(page);
  }
  forget_cached(file_);
  if (changed) still_cached_ = cached_share(file_, bytes_);
}

std::string InputFile::warning() const {
  if (still_cached_ < 0.01) return "";
  return base::say("the page cache keeps ", static_cast<int>(100 * still_cached_ + 0.5),
                   " % of the file, so that reads need not go to a disk");
}

std::shared_ptr<InputFile> input_file(const lab::Launch& launch) {
  static std::mutex guard;
  static std::map<std::pair<const void*, std::int64_t>, std::weak_ptr<InputFile>> known;
  const std::int64_t bytes = launch.problem.inputs.at(0).bytes();
  const std::lock_guard lock(guard);
  auto& place = known[{launch.inputs.at(0), bytes}];
  auto file = place.lock();
  if (!file) place = file = std::make_shared<InputFile>(bytes);
  return file;
}

std::string dd_figure(const InputFile& file) {
  static std::mutex guard;
  static std::map<std::int64_t, double> rates;  // by size, in GB/s
  const std::lock_guard lock(guard);
  auto [at, first] = rates.try_emplace(file.bytes(), 0.0);
  if (first) {
    std::vector<double> seconds(3);
    for (double& one : seconds) {
      forget_cached(file.cached());
      one = read_like_dd(file.cached(), file.bytes());
    }
    forget_cached(file.cached());
    std::sort(seconds.begin(), seconds.end());
    at->second = static_cast<double>(file.bytes()) / seconds[1] / 1e9;
  }
  return "dd-style reading gives " + with_decimals(at->second) + " GB/s";
}

void RungFiles::before_run(const lab::Launch& launch, lab::Setup& setup, const Path& path) {
  auto& file = files_[launch.inputs.at(0)];
  if (!file) file = input_file(launch);
  file->match(launch);
  if (noted_) return;
  noted_ = true;
  std::string note = "path: " + path(*file);
  if (!setup.simulated()) note += "; " + dd_figure(*file);
  if (const std::string warning = file->warning(); !warning.empty()) note += "; " + warning;
  setup.note(note);
}

InputFile& RungFiles::of(const lab::Launch& launch) {
  const auto at = files_.find(launch.inputs.at(0));
  if (at == files_.end() || !at->second)
    throw std::logic_error("the input of this launch was not written to a file before the run");
  return *at->second;
}

}  // namespace aisp::ch10
