#include "lab/run/plan/peer_choice.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/library.hpp"

namespace aisp::lab {
namespace {

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The libraries of the peers in the plan, by the name of the peer.
std::map<std::string, std::string> libraries_in(const RunHeader& header) {
  std::map<std::string, std::string> libraries;
  for (const auto& target : all_targets())
    for (const auto& entry : header.plan)
      if (entry.target == target.id())
        for (const auto& rung : rungs_of(target))
          if (!rung.library.empty() && holds(entry.rungs, rung.name))
            libraries[rung.name] = rung.library;
  return libraries;
}

}  // namespace

bool wants_peer(const Rung& peer, const RunOptions& options) {
  if (const auto choice = value_named<PeerChoice>(options.peers))
    return *choice == PeerChoice::all ||
           (*choice == PeerChoice::automatic &&
            (peer.library.empty() || holds(options.rungs, peer.name)));
  const auto words = base::split(options.peers, ',');
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return peer.name.starts_with(word); });
}

void refuse_unknown_peers(const std::vector<Selection>& selected, const RunOptions& options) {
  if (value_named<PeerChoice>(options.peers)) return;
  std::set<std::string> known;
  for (const auto& selection : selected)
    for (const auto& rung : rungs_of(*selection.target))
      if (rung.peer) known.insert(rung.name);
  const std::vector<std::string> names(known.begin(), known.end());
  for (const auto& word : base::split(options.peers, ',')) {
    const auto begins = [&](const std::string& name) { return name.starts_with(word); };
    if (!word.empty() && std::any_of(names.begin(), names.end(), begins)) continue;
    const auto near = base::nearest(word, names);
    base::refuse(base::Exit::usage, "unknown peer '", word, "' in --peers",
                 near            ? "; did you mean '" + *near + "'?"
                 : names.empty() ? "; these targets have none"
                                 : "; these targets have " + base::join(names, ", "));
  }
}

std::vector<std::string> leave_out_absent_peers(RunHeader& header) {
  std::vector<std::string> lines, absent;
  for (const auto& [peer, library] : libraries_in(header)) {
    const LibraryState& state = library_state(library);
    if (state.missing.empty()) continue;
    absent.push_back(peer);
    lines.push_back(base::say("peer ", peer, " is left out: ", state.missing,
                              state.remedy.empty() ? "" : "; " + state.remedy));
  }
  for (auto& entry : header.plan)
    std::erase_if(entry.rungs, [&](const std::string& rung) { return holds(absent, rung); });
  std::erase_if(header.plan, [](const EntryPlan& entry) { return entry.rungs.empty(); });
  if (header.plan.empty())
    base::refuse(base::Exit::environment, "nothing to run: ", base::join(lines, "; "));
  return lines;
}

}  // namespace aisp::lab
