#include "lab/case/elsewhere.hpp"

#include <algorithm>

namespace aisp::lab {
namespace {

std::vector<Elsewhere*>& announced() {
  static std::vector<Elsewhere*> all;
  return all;
}

StartProcessTrace* starts_trace = nullptr;

}  // namespace

Elsewhere::Elsewhere() { announced().push_back(this); }
Elsewhere::~Elsewhere() { std::erase(announced(), this); }
std::vector<Elsewhere*> all_elsewhere() { return announced(); }

void set_process_trace(StartProcessTrace* start) { starts_trace = start; }
std::unique_ptr<ProcessTrace> start_process_trace(bool everything) {
  return starts_trace == nullptr ? nullptr : starts_trace(everything);
}

}  // namespace aisp::lab
