// Groups the components of a fabric into classes by the transfers that pass them, because components with the
// same transfers leave the same records. Within a class whole components come first, then servers, the
// slowest first: it needs the smallest factor to explain the same delay.
#include "chip/fabric/candidates.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace lento::chip {
namespace {

// Returns the order of names within a class: components first, then ports, then links.
int rank(const std::string& name) {
  if (name.find('>') != std::string::npos)
    return 2;
  return name.find("/in") != std::string::npos || name.find("/out") != std::string::npos;
}

}  // namespace

double packet_cycles(const Server& server) {
  constexpr double kPacketBytes = 2048;
  return server.packet_cycles + kPacketBytes / server.bytes_per_cycle;
}

// Components that carry the same transfers form one class, because no record can distinguish them.
std::vector<CandidateClass>
candidate_classes(const Fabric& fabric, const TransferTrace& trace, const Played& played) {
  std::map<std::string, std::vector<uint32_t>> seen_by;  // transfers that pass each candidate
  std::map<std::string, double> cycles;                  // of a packet, by server; components have none
  for (uint32_t i = 0; i < played.transfers.size(); ++i) {
    const PlayedTransfer& transfer = played.transfers[i];
    const TransferStream& stream = trace.streams[transfer.stream];
    for (const int server : played.routes[size_t(transfer.route)]) {
      // A slow memory of a core is reported as the core, which is added below.
      const Server& s = fabric.server(server);
      if (s.kind == ServerKind::Memory && fabric.kind(s.from) != spec::TileKind::Dram)
        continue;
      const std::string name = fabric.server_name(server);
      seen_by[name].push_back(i);
      if (s.kind != ServerKind::Memory)
        cycles[name] = packet_cycles(s);
    }
    const int own = fabric.component(stream.core);
    const int peer = fabric.component(stream.records[transfer.record].peer);
    seen_by[fabric.component_name(own)].push_back(i);
    if (peer != own && fabric.kind(peer) != spec::TileKind::Dram)
      seen_by[fabric.component_name(peer)].push_back(i);
  }
  std::map<std::vector<uint32_t>, std::vector<std::string>> classes;
  for (auto& [name, transfers] : seen_by) {
    transfers.erase(std::unique(transfers.begin(), transfers.end()), transfers.end());
    classes[transfers].push_back(name);
  }
  const auto place_of = [&](const std::string& name) {
    const auto served = cycles.find(name);
    return std::pair(
        served == cycles.end() ? -std::numeric_limits<double>::infinity() : -served->second,
        rank(name));
  };
  std::vector<CandidateClass> out;
  for (auto& [transfers, names] : classes) {
    std::ranges::stable_sort(names, [&](const std::string& a, const std::string& b) {
      return place_of(a) < place_of(b);
    });
    out.push_back({names, transfers});
  }
  return out;
}

}  // namespace lento::chip
