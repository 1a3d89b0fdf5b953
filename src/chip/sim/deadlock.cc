// Explains a deadlock: no event is left and cores are not done. When servers of the network wait for one
// another in a circle, the message shows it. Otherwise the chain of waits is followed from the first
// unfinished core until it repeats or ends at something that never comes, and the message shows the chain.
#include <algorithm>

#include "base/error.h"
#include "chip/sim/machine.h"

namespace lento::chip {
namespace {

// Returns "link0-1 -> link1-2 -> link0-1" when segments wait for one another's buffers in a circle, else "".
std::string circle(const Network& network) {
  for (uint32_t start = 0; start < network.server_count(); ++start) {
    if (!network.waits(start))
      continue;
    std::vector<uint32_t> chain;
    for (uint32_t s = start; s != kNone && network.waits(s); s = network.blocked_by(s)) {
      const auto seen = std::ranges::find(chain, s);
      if (seen == chain.end()) {
        chain.push_back(s);
        continue;
      }
      std::string text;
      for (auto it = seen; it != chain.end(); ++it)
        text += network.server_name(*it) + " -> ";
      return text + network.server_name(s);
    }
  }
  return "";
}

}  // namespace

// Describes the wait of the oldest unfinished instruction of a core. `next_core` receives the core that must
// act to end the wait, or -1.
std::string Machine::waits_of(uint32_t core, int& next_core) {
  const Program& program = model_.program;
  const Entry& e = entry(core, cores_[core].head);
  const Instruction& instruction = at(e.instruction);
  const std::string who = model_.grid.core_name(int(core)) + " waits ";
  next_core = -1;
  switch (instruction.action) {
    case Action::Receive:
      next_core = int(program.channels[instruction.target].from);
      return who + "for a message from " + model_.grid.core_name(next_core);
    case Action::Send:
      next_core = int(program.channels[instruction.target].to);
      return who + "for room at " + model_.grid.core_name(next_core);
    case Action::Read: {
      if (instruction.target == Program::kNoWait)
        return who + "for DRAM";
      const uint32_t layer = program.waits[instruction.target].layer;
      for (uint32_t other = 0; other < cores_.size() && next_core < 0; ++other) {
        if (cores_[other].section == kNone || cores_[other].head == cores_[other].tail)
          continue;
        if (at(entry(other, cores_[other].head).instruction).layer == layer)
          next_core = int(other);
      }
      return who + "for layer " + std::to_string(program.layers[layer].id) + " in DRAM";
    }
    case Action::Write:
      return who + "to write to DRAM";
    case Action::Compute:
      return who + "for its own inputs";
  }
  return who;
}

// Throws base::Error that names the circle of waiting cores or buffers.
void Machine::deadlock() {
  std::string text = circle(network_);
  if (text.empty()) {
    uint32_t core = 0;
    while (core < cores_.size() && cores_[core].head == cores_[core].tail)
      ++core;
    std::vector<int> seen;
    for (int at_core = int(core); at_core >= 0 && at_core < int(cores_.size());) {
      if (std::ranges::find(seen, at_core) != seen.end())
        break;
      if (cores_[at_core].head == cores_[at_core].tail)
        break;
      seen.push_back(at_core);
      int next = -1;
      text += (text.empty() ? "" : ", ") + waits_of(uint32_t(at_core), next);
      at_core = next;
    }
  }
  throw base::Error(
      {},
      "deadlock at cycle " + std::to_string(now_) + ": " + text,
      "the mapping, or too few buffers, makes these wait for one another");
}

}  // namespace lento::chip
