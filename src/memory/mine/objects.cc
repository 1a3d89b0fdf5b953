// Sums lines and blocks by the object that holds them. Named data is grouped by variable or allocation site.
// Data without a name is grouped into regions by distance. Misses of an object are tested for a power-of-two
// stride, which points to conflicts in one cache set.
#include "memory/mine/objects.h"

#include <algorithm>
#include <map>

namespace lento::memory {
namespace {

// The key under which addresses are summed.
struct Group {
  std::string name;
  uint64_t instance = 0;  // start of a variable; 0 for heap blocks, which are grouped by site
  bool operator<(const Group& o) const {
    if (name != o.name)
      return name < o.name;
    return instance < o.instance;
  }
};

// Returns the object that contains an address. Heap blocks from the same allocation site form one object.
Group group_of(const ContentionNames& names, uint16_t process, uint64_t address) {
  program::DataObject object;
  if (!names.space().object_at(process, address, object))
    return {};
  if (!object.site.empty())
    return {object.name + " from " + object.site, 0};
  return {object.name, object.low};
}

uint64_t costliest_address(const Line& line) {
  const Use* best = &line.uses.front();
  for (const Use& use : line.uses) {
    if (use.excess > best->excess)
      best = &use;
  }
  return line.address + best->offset;
}

// Adds the costs of a line to its object.
void add_line(const Line& line, Object& object) {
  object.process = line.process;
  object.low = std::min(object.low, line.address);
  object.high = std::max(object.high, line.address);
  object.cycles += line.excess;
  object.accesses += line.accesses;
  object.high_accesses += line.high;
  object.slow_accesses += line.slow;
  object.peers += line.peers;
  object.remote_peers += line.remote_peers;
  object.conflicts += line.conflicts;
  object.overlapping += line.overlap * line.conflicts;
  object.atomics += line.atomics;
  object.cpus |= line.cpus;
  object.lines.push_back(&line);
}

void sort_by_cost(std::vector<Object>& objects) {
  std::ranges::sort(objects, [](const Object& a, const Object& b) {
    if (a.cycles != b.cycles)
      return a.cycles > b.cycles;
    if (a.process != b.process)
      return a.process < b.process;
    return a.low < b.low;
  });
}

Object fresh(const std::string& name, Cause cause) {
  Object object;
  object.name = name;
  object.cause = cause;
  object.low = UINT64_MAX;
  return object;
}

// Groups lines without a name in the order of their addresses, and starts a new region where the distance is
// too large.
void add_regions(std::vector<const Line*> lines, std::vector<Object>& out) {
  std::ranges::sort(lines, [](const Line* a, const Line* b) {
    if (a->cause != b->cause)
      return a->cause < b->cause;
    if (a->process != b->process)
      return a->process < b->process;
    return a->address < b->address;
  });
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = *lines[i];
    const bool joins = i > 0 && lines[i - 1]->cause == line.cause && lines[i - 1]->process == line.process &&
                       line.address - lines[i - 1]->address <= tuning::kRegionGap;
    if (!joins)
      out.push_back(fresh("", line.cause));
    add_line(line, out.back());
  }
}

// Finds the largest power of two such that nearly all misses lie on one residue of it.
void find_stride(const std::vector<std::pair<uint64_t, uint64_t>>& misses, Object& object) {
  constexpr uint64_t kWidest = 4096;  // lines
  for (uint64_t step = 2; step <= kWidest; step *= 2) {
    std::vector<uint64_t> by_residue(step);
    uint64_t all = 0;
    for (const auto& [address, count] : misses) {
      by_residue[address / tuning::kLineSizes[0] % step] += count;
      all += count;
    }
    const auto most = std::ranges::max_element(by_residue);
    if (all == 0 || double(*most) < tuning::kConcentrated * double(all))
      return;
    object.stride = step * tuning::kLineSizes[0];
    object.residue = uint64_t(most - by_residue.begin()) * tuning::kLineSizes[0];
  }
}

}  // namespace

std::vector<Object> shared_objects(const std::vector<Line>& lines, const ContentionNames& names) {
  std::map<std::pair<Group, Cause>, Object> named;
  std::vector<const Line*> nameless;
  for (const Line& line : lines) {
    if (line.cause == Cause::None || line.excess == 0)
      continue;
    const Group group = group_of(names, line.process, costliest_address(line));
    if (group.name.empty()) {
      nameless.push_back(&line);
      continue;
    }
    const auto [at, is_new] = named.try_emplace({group, line.cause}, Object{});
    if (is_new)
      at->second = fresh(group.name, line.cause);
    add_line(line, at->second);
  }
  std::vector<Object> out;
  for (auto& [key, object] : named)
    out.push_back(std::move(object));
  add_regions(std::move(nameless), out);
  for (Object& object : out) {
    std::ranges::sort(object.lines, [](const Line* a, const Line* b) {
      if (a->excess != b->excess)
        return a->excess > b->excess;
      return a->address < b->address;
    });
  }
  sort_by_cost(out);
  return out;
}

std::vector<Object>
block_objects(const Scan& scan, Loss loss, const ContentionNames& names, const std::vector<BlockKey>& taken) {
  std::vector<std::pair<BlockKey, const BlockCost*>> blocks;
  for (const auto& [key, cost] : scan.blocks) {
    if (cost.cycles[size_t(loss)] == 0)
      continue;
    if (std::binary_search(taken.begin(), taken.end(), key))
      continue;
    blocks.emplace_back(key, &cost);
  }
  std::ranges::sort(blocks, [](const auto& a, const auto& b) {
    return a.first < b.first;
  });
  std::map<Group, size_t> named;
  std::vector<Object> out;
  std::vector<std::vector<std::pair<uint64_t, uint64_t>>> misses;  // address, count; by object
  const auto start = [&](const std::string& name) {
    out.push_back(fresh(name, Cause::None));
    misses.emplace_back();
    return out.size() - 1;
  };
  // Regions without a name may have wide strides, so blocks within 16 MiB of one another form one region.
  constexpr uint64_t kGap = uint64_t{16} << 20;
  size_t region = SIZE_MAX;
  for (const auto& [key, cost] : blocks) {
    const Group group = group_of(names, key.process, cost->address);
    size_t at = 0;
    if (!group.name.empty()) {
      const auto [found, is_new] = named.try_emplace(group, out.size());
      at = is_new ? start(group.name) : found->second;
    } else {
      const bool joins = region != SIZE_MAX && out[region].process == key.process &&
                         cost->address - std::min(cost->address, out[region].high) <= kGap;
      if (!joins)
        region = start("");
      at = region;
    }
    Object& object = out[at];
    object.process = key.process;
    object.low = std::min(object.low, cost->address);
    object.high = std::max(object.high, cost->address);
    object.cycles += cost->cycles[size_t(loss)];
    object.accesses += cost->accesses;
    object.misses += cost->misses;
    object.jumps += cost->jumps;
    ++object.fetched_lines;
    object.makers = std::max<uint64_t>(object.makers, uint64_t(std::popcount(cost->cpus)));
    misses[at].emplace_back(cost->address, std::max<uint64_t>(1, cost->misses));
  }
  for (size_t i = 0; i < out.size(); ++i)
    find_stride(misses[i], out[i]);
  sort_by_cost(out);
  return out;
}

}  // namespace lento::memory
