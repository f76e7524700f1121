#include "chapters/ch10/gpudirect_storage/input_file.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <span>
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

// Every step is one-to-one in the eight bytes that it takes: a change of one element always shows.
std::uint64_t mixed(std::uint64_t digest, std::span<const char> bytes) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::uint64_t word = 0;
  std::size_t at = 0;
  for (; at + sizeof word <= bytes.size(); at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    digest = (digest ^ word) * odd;
    digest ^= digest >> 32;
  }
  for (word = 0; at < bytes.size(); ++at) word = word << 8 | static_cast<unsigned char>(bytes[at]);
  return (digest ^ word) * odd;
}

}  // namespace

InputFile::InputFile(std::int64_t bytes) : bytes_(bytes) {
  const std::string folder = storage_folder();
  require_room(folder, bytes);
  file_ = make_nameless(folder);
  direct_ = open_direct(file_, why_not_direct_);
}

void InputFile::for_each_part(const lab::Launch& launch, const TakePart& take) const {
  const PinnedMemory staging(std::min(bytes_, staging_bytes));
  for (std::int64_t at = 0; at < bytes_; at += staging_bytes) {
    const std::int64_t part = std::min(staging_bytes, bytes_ - at);
    lab::check_cuda(
        cudaMemcpyAsync(staging.get(), launch.in<char>(0) + at, static_cast<std::size_t>(part),
                        cudaMemcpyDeviceToHost, launch.stream),
        "cudaMemcpyAsync of the input");
    lab::check_cuda(cudaStreamSynchronize(launch.stream), "cudaStreamSynchronize");
    take(staging.get(), part, at);
  }
}

void InputFile::match(const lab::Launch& launch) {
  std::vector<char> page;
  std::uint64_t digest = 0;
  for_each_part(launch, [&](const char* data, std::int64_t bytes, std::int64_t at) {
    if (at == 0) page.assign(data, data + std::min(bytes, page_bytes));
    digest = mixed(digest, {data, static_cast<std::size_t>(bytes)});
  });
  const bool changed = page != first_page_ || digest != digest_;
  if (changed) {
    first_page_.clear();  // what a write that fails leaves is nobody's input
    for_each_part(launch, [&](const char* data, std::int64_t bytes, std::int64_t at) {
      file_.write(data, bytes, at, bytes_);
    });
    push_to_disk(file_);
    first_page_ = std::move(page);
    digest_ = digest;
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
