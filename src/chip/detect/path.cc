// Lists the servers of a transfer with their cycles per byte. Without other traffic its first segment takes
// the sum over the servers, and each further segment the time of the slowest server.
#include "chip/detect/path.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

namespace lento::chip {

std::string name_of(const Component& c, const Grid& grid) {
  switch (c.part) {
    case Part::Core:
      return grid.core_name(c.index);
    case Part::Link:
      return grid.link_name(grid.link_between(c.index, c.other));
    case Part::Router:
      return grid.router_name(c.index);
    case Part::MemoryUnit:
      return grid.memory_unit_name(c.index);
    case Part::DramPort:
      return grid.port_name(c.index);
  }
  return {};
}

Component component_of(const Fault& fault) {
  if (fault.part != Part::Link)
    return {fault.part, fault.index, -1};
  return {fault.part, std::min(fault.index, fault.other), std::max(fault.index, fault.other)};
}

Fault fault_of(const Component& component, const Grid& grid) {
  Fault fault;
  fault.part = component.part;
  fault.index = component.index;
  fault.other = component.other;
  fault.name = name_of(component, grid);
  return fault;
}

Component link_component(const Grid& grid, int link) {
  const Grid::Link& l = grid.link(link);
  return {Part::Link, std::min(l.from, l.to), std::max(l.from, l.to)};
}

std::vector<Grid::Hop> route_of(const Grid& grid, const Pattern& pattern, int core) {
  if (pattern.kind == ProbeKind::Message)
    return grid.route(pattern.subject, core);
  const auto port = int(pattern.subject);
  return pattern.kind == ProbeKind::Read ? grid.read_route(port, core) : grid.write_route(core, port);
}

Path::Path(const spec::Chip& chip, const Grid& grid, const Pattern& pattern, int core)
    : segment_bytes_(double(chip.network.segment_bytes)),
      noise_(chip.network.transit_cv / std::numbers::ln2) {
  const double core_port = 1 / chip.core.scratchpad_bytes_per_cycle;
  const Stage memory_unit{{Part::MemoryUnit, core}, 1 / chip.memory_unit.bytes_per_cycle};
  const Stage local{{Part::Core, -1}, core_port};
  const auto port = int(pattern.subject);
  const Stage dram{{Part::DramPort, port}, 1 / chip.dram.port_bytes_per_cycle};
  if (pattern.kind == ProbeKind::Message) {
    stages_.push_back(local);
  } else if (pattern.kind == ProbeKind::Read) {
    stages_.push_back(dram);
  } else {
    stages_.push_back(memory_unit);
    stages_.push_back(local);
  }
  for (const Grid::Hop& hop : route_of(grid, pattern, core)) {
    const Grid::Link& link = grid.link(hop.link);
    const Passage pass = passage(chip, link);
    stages_.push_back({link_component(grid, hop.link), 1 / pass.bytes_per_cycle, link.from, link.to});
    links_.push_back(hop.link);
    hop_cycles_ += pass.cycles;
  }
  if (pattern.kind == ProbeKind::Message)
    stages_.push_back(local);
  if (pattern.kind == ProbeKind::Read)
    stages_.push_back(memory_unit);
  if (pattern.kind == ProbeKind::Write)
    stages_.push_back(dram);
  all_ = share_of({}).others;
}

bool Path::belongs(const Stage& stage, const Component& component) {
  if (component.part == Part::Router)
    return stage.from == component.index || stage.to == component.index;
  return stage.component == component;
}

std::vector<Component> Path::components() const {
  std::vector<Component> out;
  for (const Stage& stage : stages_) {
    if (stage.component.index >= 0)
      out.push_back(stage.component);
    for (const int router : {stage.from, stage.to}) {
      if (router >= 0)
        out.push_back({Part::Router, router});
    }
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

bool Path::crosses(const Component& component) const {
  if (component.index < 0)
    return false;
  return std::ranges::any_of(stages_, [&](const Stage& stage) {
    return belongs(stage, component);
  });
}

Path::Share Path::share_of(const Component& component) const {
  Share out;
  for (const Stage& stage : stages_) {
    Pace& pace = component.index >= 0 && belongs(stage, component) ? out.own : out.others;
    pace.sum += stage.cycles_per_byte;
    pace.slowest = std::max(pace.slowest, stage.cycles_per_byte);
  }
  return out;
}

double Path::cycles(double bytes, const Share& share, double factor) const {
  const double segment = std::min(bytes, segment_bytes_);
  const auto& [own, others] = share;
  return (own.sum * factor + others.sum) * segment +
         std::max(own.slowest * factor, others.slowest) * std::max(0.0, bytes - segment) + hop_cycles_;
}

// Inverts cycles(). While another stage sets the pace, a slower component delays only the first segment. Once
// it is the slowest stage, it delays every segment.
double Path::factor(double bytes, const Component& component, double cycles) const {
  const double segment = std::min(bytes, segment_bytes_);
  const double rest = std::max(0.0, bytes - segment);
  const auto [own, others] = share_of(component);
  const double left = cycles - hop_cycles_ - others.sum * segment;
  const double mild = (left - others.slowest * rest) / (own.sum * segment);
  return own.slowest * mild <= others.slowest ? mild : left / (own.sum * segment + own.slowest * rest);
}

std::map<Component, std::vector<size_t>> by_component(const std::vector<Path>& paths) {
  std::map<Component, std::vector<size_t>> out;
  for (size_t i = 0; i < paths.size(); ++i)
    for (const Component& c : paths[i].components())
      out[c].push_back(i);
  return out;
}

namespace {

// Sets kind, work, layer, core and peer of the record that an instruction writes. Returns false when it
// writes none.
bool record_of(
    const Program& program,
    const Grid& grid,
    size_t core,
    const Instruction& instruction,
    ProbeRecord& r) {
  r.work = instruction.amount;
  r.layer = uint32_t(program.layers[instruction.layer].id);
  r.core = uint16_t(core);
  r.peer = uint16_t(grid.port_of(int(core)));
  switch (instruction.action) {
    case Action::Compute:
      r.kind = ProbeKind::Compute;
      return instruction.amount > 0;
    case Action::Read:
      r.kind = ProbeKind::Read;
      return true;
    case Action::Write:
      r.kind = ProbeKind::Write;
      return true;
    case Action::Receive:
      r.kind = ProbeKind::Message;
      r.peer = uint16_t(program.channels[instruction.target].from);
      return true;
    case Action::Send:
      break;
  }
  return false;  // a message is recorded where it is received
}

}  // namespace

void for_each_record(const Program& program, const Grid& grid, const RecordVisit& visit) {
  const auto cores = size_t(grid.core_count());
  for (size_t core = 0; core < cores && core + 1 < program.first_section.size(); ++core) {
    for (uint32_t s = program.first_section[core]; s < program.first_section[core + 1]; ++s) {
      const Program::Section& section = program.sections[s];
      for (uint32_t i = section.begin; i < section.end; ++i) {
        ProbeRecord r;
        if (record_of(program, grid, core, program.instructions[i], r))
          visit(core, r, section.repeats);
      }
    }
  }
}

std::vector<PatternCount> count_patterns(const Program& program, const spec::Chip& chip) {
  const Grid grid(chip);
  const auto cores = size_t(grid.core_count());
  std::vector<std::set<uint32_t>> computes(cores);
  std::vector<std::set<uint32_t>> transfers(cores);
  std::vector<std::set<uint32_t>> coarse(cores);
  for_each_record(program, grid, [&](size_t core, const ProbeRecord& r, uint64_t) {
    if (r.kind == ProbeKind::Compute) {
      computes[core].insert(pattern_of(r).packed());
    } else {
      transfers[core].insert(pattern_of(r).packed());
      coarse[core].insert(pattern_of(r, kCoarseOctaves).packed());
    }
  });
  std::vector<PatternCount> out(cores);
  for (size_t core = 0; core < cores; ++core)
    out[core] = {
        uint32_t(computes[core].size()),
        uint32_t(transfers[core].size()),
        uint32_t(coarse[core].size())};
  return out;
}

}  // namespace lento::chip
