// Groups the components of a fabric into classes by the transfers that pass them, because components with the
// same transfers leave the same records. Within a class whole components come first, then ports, then links.
#include "chip/fabric/candidates.h"

#include <algorithm>
#include <map>

namespace lento::chip {
namespace {

// Returns the order of names within a class: components first, then ports, then links.
int rank(const std::string& name) {
  if (name.find('>') != std::string::npos)
    return 2;
  return name.find("/in") != std::string::npos || name.find("/out") != std::string::npos;
}

}  // namespace

// Components that carry the same transfers form one class, because no record can distinguish them.
std::vector<CandidateClass>
candidate_classes(const Fabric& fabric, const TransferTrace& trace, const Played& played) {
  std::map<std::string, std::vector<uint32_t>> seen_by;  // transfers that pass each candidate
  for (uint32_t i = 0; i < played.transfers.size(); ++i) {
    const PlayedTransfer& transfer = played.transfers[i];
    const TransferStream& stream = trace.streams[transfer.stream];
    for (const int server : played.routes[size_t(transfer.route)]) {
      // A slow memory of a core is reported as the core, which is added below.
      const Server& s = fabric.server(server);
      if (s.kind == ServerKind::Memory && fabric.kind(s.from) != spec::TileKind::Dram)
        continue;
      seen_by[fabric.server_name(server)].push_back(i);
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
  std::vector<CandidateClass> out;
  for (auto& [transfers, names] : classes) {
    std::ranges::stable_sort(names, [](const std::string& a, const std::string& b) {
      return rank(a) < rank(b);
    });
    out.push_back({names, transfers});
  }
  return out;
}

}  // namespace lento::chip
