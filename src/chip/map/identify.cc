// Finds the components that a mapping uses, and the links that no latency can distinguish. A flow is a
// communicating pair of cores, or a core and its DRAM port in one direction. The matrix has a row for each
// pair and a column for each directed link, one where the pair's route takes the link. Its rank is computed
// modulo the prime 2^31 - 1: it can only be lower than the true rank, and then by chance below 10^-6.
#include "chip/map/identify.h"

#include <algorithm>
#include <map>
#include <set>

namespace lento::chip {
namespace {

constexpr size_t kListed = 40;  // most names in one note

constexpr uint64_t kPrime = (uint64_t{1} << 31) - 1;

// Returns the inverse modulo the prime kPrime.
uint64_t inverse(uint64_t a) {
  uint64_t result = 1;
  for (uint64_t e = kPrime - 2; e > 0; e >>= 1, a = a * a % kPrime) {
    if (e & 1)
      result = result * a % kPrime;
  }
  return result;
}

// Returns the rank of rows given as lists of columns that hold one. Each row is reduced by the pivots found
// so far.
int rank_of(const std::set<std::vector<int>>& rows, int columns) {
  std::map<int, std::vector<uint64_t>> pivots;  // by leading column
  for (const auto& row : rows) {
    std::vector<uint64_t> v(columns, 0);
    for (const int c : row)
      v[c] = 1;
    for (int c = 0; c < columns; ++c) {
      if (v[c] == 0)
        continue;
      const auto pivot = pivots.find(c);
      if (pivot == pivots.end()) {
        const uint64_t scale = inverse(v[c]);
        for (int k = c; k < columns; ++k)
          v[k] = v[k] * scale % kPrime;
        pivots[c] = v;
        break;
      }
      const uint64_t factor = kPrime - v[c];
      for (int k = c; k < columns; ++k)
        v[k] = (v[k] + factor * pivot->second[k]) % kPrime;
    }
    if (int(pivots.size()) == columns)
      break;
  }
  return int(pivots.size());
}

// Joins the first names, and says how many follow.
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < kListed; ++i)
    text += (i ? ", " : "") + names[i];
  if (names.size() > kListed)
    text += " and " + std::to_string(names.size() - kListed) + " more";
  return text;
}

class Tally {
 public:
  Tally(const Program& program, const Grid& grid)
      : program_(program),
        grid_(grid) {
  }

  // Determines what recordings of this mapping can show about each component.
  Identifiability run(LinkRank rank) {
    out_.core_operations.resize(grid_.core_count());
    out_.unit_bytes.resize(grid_.core_count());
    out_.port_bytes.resize(grid_.port_count());
    out_.message_bytes.resize(grid_.link_count());
    out_.dram_bytes.resize(grid_.link_count());
    out_.transfers.resize(grid_.link_count());
    flows_of_.resize(grid_.link_count());
    for (int core = 0; core < grid_.core_count(); ++core) {
      for (uint32_t s = program_.first_section[core]; s < program_.first_section[core + 1]; ++s)
        section(core, program_.sections[s]);
    }
    count_links();
    if (rank == LinkRank::Compute)
      rank_links();
    group_links();
    return std::move(out_);
  }

 private:
  // Adds the bytes of a transfer to all links of its route.
  void carry(uint32_t route, uint64_t bytes, uint64_t repeats, uint64_t flow, std::vector<uint64_t>& load) {
    const Program::Route& r = program_.routes[route];
    for (uint32_t h = r.begin; h < r.end; ++h) {
      load[program_.hops[h].link] += bytes;
      out_.transfers[program_.hops[h].link] += repeats;
      flows_of_[program_.hops[h].link].insert(flow);
    }
  }

  // Adds the work of a section of one core's program.
  void section(int core, const Program::Section& section) {
    const uint64_t id = uint64_t(core);
    for (uint32_t i = section.begin; i < section.end; ++i) {
      const Instruction& x = program_.instructions[i];
      const uint64_t amount = x.amount * section.repeats;
      switch (x.action) {
        case Action::Compute:
          out_.core_operations[core] += amount;
          break;
        case Action::Read:
        case Action::Write:
          out_.unit_bytes[core] += amount;
          out_.port_bytes[grid_.port_of(core)] += amount;
          carry(
              x.action == Action::Read ? program_.from_port[core] : program_.to_port[core],
              amount,
              section.repeats,
              (x.action == Action::Read ? 1ull : 2ull) << 62 | id,
              out_.dram_bytes);
          break;
        case Action::Send:
          carry(
              program_.channels[x.target].route,
              amount,
              section.repeats,
              id << 20 | program_.channels[x.target].to,
              out_.message_bytes);
          message_routes_.insert({core, program_.channels[x.target].route});
          break;
        case Action::Receive:
          break;
      }
    }
  }

  // Counts the pairs of cores that exchange messages and the links in use.
  void count_links() {
    out_.pairs = int(message_routes_.size());
    out_.used_links = int(std::ranges::count_if(out_.message_bytes, [](uint64_t bytes) {
      return bytes > 0;
    }));
  }

  // Computes how many links are distinguishable by transfer times: the rank of the matrix of routes.
  void rank_links() {
    if (out_.used_links > kMaxRankedLinks)
      return;
    std::vector<int> column(grid_.link_count(), -1);
    int used = 0;
    for (int l = 0; l < grid_.link_count(); ++l) {
      if (out_.message_bytes[l] > 0)
        column[l] = used++;
    }
    std::set<std::vector<int>> rows;
    for (const auto& [core, route] : message_routes_) {
      std::vector<int> row;
      for (uint32_t h = program_.routes[route].begin; h < program_.routes[route].end; ++h)
        row.push_back(column[program_.hops[h].link]);
      rows.insert(std::move(row));
    }
    out_.rank = rank_of(rows, out_.used_links);
  }

  // Groups links that always carry the same transfers, which no record can distinguish.
  void group_links() {
    std::map<std::set<uint64_t>, std::vector<int>> groups;
    for (int l = 0; l < grid_.link_count(); ++l) {
      if (!flows_of_[l].empty())
        groups[flows_of_[l]].push_back(l);
    }
    for (auto& [flows, links] : groups) {
      if (links.size() > 1)
        out_.alike.push_back(std::move(links));
    }
    std::ranges::sort(out_.alike);
  }

  const Program& program_;
  const Grid& grid_;
  Identifiability out_;
  std::vector<std::set<uint64_t>> flows_of_;
  std::set<std::pair<int, uint32_t>> message_routes_;  // sending core, route
};

}  // namespace

std::string insufficient_evidence(const std::string& what, const std::vector<std::string>& names) {
  return "Insufficient evidence: " + what + ": " + listed(names);
}

std::vector<std::string> blind_spots(const Identifiability& seen, const Grid& grid) {
  std::vector<std::string> cores;
  std::vector<std::string> units;
  std::vector<std::string> ports;
  std::vector<std::string> links;
  std::vector<std::string> rare;
  std::vector<std::string> notes;
  for (int core = 0; core < grid.core_count(); ++core) {
    if (seen.core_operations[core] == 0)
      cores.push_back(grid.core_name(core));
    if (seen.unit_bytes[core] == 0)
      units.push_back(grid.memory_unit_name(core));
  }
  for (int port = 0; port < grid.port_count(); ++port)
    if (seen.port_bytes[port] == 0)
      ports.push_back(grid.port_name(port));
  for (int l = 0; l < grid.link_count(); ++l) {
    if (seen.transfers[l] == 0)
      links.push_back(grid.link_name(l));
    else if (seen.transfers[l] < kFewTransfers)
      rare.push_back(grid.link_name(l));
  }
  const auto add = [&](const std::string& what, const std::vector<std::string>& names) {
    if (!names.empty())
      notes.push_back(insufficient_evidence(what, names));
  };
  add("no fault of these cores can be seen, they compute nothing", cores);
  add("no fault of these memory units can be seen, nothing is read or written through them", units);
  add("no fault of these DRAM ports can be seen, nothing passes them", ports);
  add("no fault of these directed links can be seen, nothing crosses them", links);
  add("fewer than " + std::to_string(kFewTransfers) +
          " transfers an inference cross these directed links, a fault may stay unseen in a short run",
      rare);
  for (const std::vector<int>& group : seen.alike) {
    std::vector<std::string> names;
    for (const int l : group)
      names.push_back(grid.link_name(l));
    add("the same flows use these links, a slow one cannot be told from the others", names);
  }
  return notes;
}

Identifiability identify(const Program& program, const Grid& grid, LinkRank rank) {
  return Tally(program, grid).run(rank);
}

}  // namespace lento::chip
