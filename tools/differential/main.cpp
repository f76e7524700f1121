// Runs every instruction test and every chapter kernel on the GPU and on the simulator, with the
// same inputs, and compares what comes out bit by bit.
//   differential FOLDER TARGETS REPORT
//   differential tests/sim/instructions ch09,ch10,ch11 docs/differential_h200.md
// It starts itself again as `differential --run OUT FROM FOLDER TARGETS`, once per device and again
// behind each item that costs the device.
#include <cuda_runtime.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <set>

#include "base/refuse.hpp"
#include "lab/device/device.hpp"
#include "lab/device/simulator.hpp"
#include "tools/differential/work.hpp"

using namespace aisp;

namespace aisp::differential {
namespace {

constexpr int device_lost = 9;

std::vector<Item> all_items(const std::string& folder, const std::string& targets) {
  auto items = instruction_items(folder);
  for (auto& item : chapter_items(targets)) items.push_back(std::move(item));
  return items;
}

struct Outcome {
  bool ran = false;
  std::vector<std::byte> out;
  std::string failure;
};

// One record: number, flag, length, bytes.
void append(std::FILE* file, std::uint64_t number, const Outcome& outcome) {
  const std::uint64_t ran = outcome.ran ? 1 : 0;
  const std::uint64_t length = outcome.ran ? outcome.out.size() : outcome.failure.size();
  const void* bytes = outcome.ran ? static_cast<const void*>(outcome.out.data())
                                  : static_cast<const void*>(outcome.failure.data());
  std::fwrite(&number, 8, 1, file);
  std::fwrite(&ran, 8, 1, file);
  std::fwrite(&length, 8, 1, file);
  std::fwrite(bytes, 1, length, file);
  std::fflush(file);
}

std::map<std::uint64_t, Outcome> read_outcomes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::map<std::uint64_t, Outcome> outcomes;
  std::uint64_t head[3];
  while (file.read(reinterpret_cast<char*>(head), sizeof head)) {
    std::string bytes(head[2], '\0');
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    Outcome& outcome = outcomes[head[0]];
    outcome.ran = head[1] != 0;
    if (outcome.ran) {
      outcome.out.resize(bytes.size());
      std::memcpy(outcome.out.data(), bytes.data(), bytes.size());
    } else {
      outcome.failure = bytes;
    }
  }
  return outcomes;
}

int run_items(const std::string& out, std::size_t from, const std::vector<Item>& items) {
  const auto device = lab::cuda_device_info();
  std::FILE* file = std::fopen(out.c_str(), "ab");
  if (file == nullptr) base::refuse(base::Exit::environment, "cannot write ", out);
  for (std::size_t i = from; i < items.size(); ++i) {
    Outcome outcome;
    if (items[i].architecture > device.major * 10 + device.minor) {
      outcome.failure = "needs another architecture";
    } else {
      try {
        outcome.out = items[i].run();
        outcome.ran = true;
      } catch (const std::exception& error) {
        outcome.failure = error.what();
      }
    }
    append(file, i, outcome);
    cudaGetLastError();
    if (cudaDeviceSynchronize() != cudaSuccess) return device_lost;
  }
  std::fclose(file);
  return 0;
}

void run_on(bool simulator, const std::string& out, const std::string& folder,
            const std::string& targets, std::size_t count) {
  std::remove(out.c_str());
  for (std::size_t from = 0; from < count;) {
    const pid_t child = fork();
    if (child == 0) {
      if (simulator) lab::put_simulator_in_front({});
      lab::become({"/proc/self/exe", "--run", out, std::to_string(from), folder, targets});
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    const auto done = read_outcomes(out);
    const std::size_t next = done.empty() ? from : done.rbegin()->first + 1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != device_lost) {
      std::FILE* file = std::fopen(out.c_str(), "ab");
      append(file, next,
             {.ran = false, .out = {}, .failure = base::say("the process ended, status ", status)});
      std::fclose(file);
    }
    from = WIFEXITED(status) && WEXITSTATUS(status) == device_lost ? next : next + 1;
  }
}

struct Tally {
  int same = 0, different = 0, failed = 0, skipped = 0;
};

struct Report {
  std::string device, command;
  std::map<std::string, Tally> groups{};
  std::map<std::string, std::set<std::string>> inexact{};  // why -> groups
  std::vector<std::string> complaints{};
};

void write_report(const std::string& path, const Report& report) {
  const auto& [device, command, groups, inexact, complaints] = report;
  std::ofstream file(path);
  Tally all;
  for (const auto& [group, tally] : groups) {
    all.same += tally.same;
    all.different += tally.different;
    all.failed += tally.failed;
    all.skipped += tally.skipped;
  }
  file << "# The simulator against the " << device << "\n\n"
       << "Every instruction test and every chapter kernel at its quick sizes, run on the GPU and "
          "on the\n"
          "simulator with the same inputs. Outputs are compared bit by bit; approximate functions "
          "within the\n"
          "`ulp` of their form, and the targets named below within their tolerance. Made by\n"
          "`"
       << command << "`.\n\n"
       << all.same << " the same, " << all.different << " different, " << all.failed
       << " failed on one side, " << all.skipped
       << " not comparable: another architecture, or a vendor's library.\n\n"
       << "| group | same | different | failed | skipped |\n|---|---|---|---|---|\n";
  for (const auto& [group, tally] : groups)
    file << "| " << group << " | " << tally.same << " | " << tally.different << " | "
         << tally.failed << " | " << tally.skipped << " |\n";
  if (!inexact.empty())
    file << "\n## Compared within the tolerance of the case\n\n"
            "Two results agree here when they are within the case's tolerance of each other, or "
            "neighbours in their type.\n\n";
  for (const auto& [why, names] : inexact) {
    file << "- " << why << ":";
    for (const auto& name : names) file << (name == *names.begin() ? " " : ", ") << name;
    file << "\n";
  }
  if (!complaints.empty()) file << "\n## Differences\n\n";
  for (const auto& complaint : complaints) file << "- " << complaint << "\n";
}

int compare_all(const std::string& folder, const std::string& targets, const std::string& path) {
  const auto items = all_items(folder, targets);
  const std::string gpu_file = path + ".gpu", simulator_file = path + ".sim";
  if (const auto why = lab::why_no_cuda_device(); !why.empty())
    base::refuse(base::Exit::environment, "no GPU to compare with: ", why);
  Report report{.device = lab::cuda_device_info().name,
                .command = base::say("build/bin/differential ", folder, " ", targets, " ", path)};
  run_on(false, gpu_file, folder, targets, items.size());
  run_on(true, simulator_file, folder, targets, items.size());
  const auto gpu = read_outcomes(gpu_file), simulated = read_outcomes(simulator_file);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Item& item = items[i];
    Tally& tally = report.groups[item.group];
    const auto a = gpu.find(i), b = simulated.find(i);
    const auto failure = [&](const auto& found, const auto& all) {
      return found == all.end() ? std::string("not run") : found->second.failure;
    };
    const bool ran_a = a != gpu.end() && a->second.ran,
               ran_b = b != simulated.end() && b->second.ran;
    const bool vendor = !ran_b && failure(b, simulated).find("needs a GPU") != std::string::npos;
    if (vendor || (!ran_a && failure(a, gpu) == "needs another architecture")) {
      ++tally.skipped;
    } else if (!ran_a || !ran_b) {
      ++tally.failed;
      report.complaints.push_back(base::say(item.name, ": ",
                                            ran_a ? "" : "GPU: " + failure(a, gpu) + " ",
                                            ran_b ? "" : "simulator: " + failure(b, simulated)));
    } else {
      const auto found = item.compare(a->second.out, b->second.out);
      found.empty() ? ++tally.same : ++tally.different;
      if (!item.inexact.empty()) report.inexact[item.inexact].insert(item.group);
      for (const auto& complaint : found) report.complaints.push_back(item.name + ": " + complaint);
    }
  }
  write_report(path, report);
  std::printf("%zu items, %zu complaints; %s\n", items.size(), report.complaints.size(),
              path.c_str());
  return report.complaints.empty() ? 0 : static_cast<int>(base::Exit::wrong);
}

}  // namespace
}  // namespace aisp::differential

int main(int count, char** words) try {
  const std::vector<std::string> arguments(words + 1, words + count);
  if (arguments.size() == 5 && arguments[0] == "--run")
    return differential::run_items(arguments[1], std::stoul(arguments[2]),
                                   differential::all_items(arguments[3], arguments[4]));
  if (arguments.size() != 3)
    base::refuse(base::Exit::usage,
                 "differential FOLDER TARGETS REPORT, such as tests/sim/instructions "
                 "ch09,ch10,ch11 page.md");
  return differential::compare_all(arguments[0], arguments[1], arguments[2]);
} catch (const base::Refusal& refusal) {
  std::fprintf(stderr, "differential: %s\n", refusal.what());
  return static_cast<int>(refusal.exit());
} catch (const std::exception& error) {
  std::fprintf(stderr, "differential: %s\n", error.what());
  return 4;
}
