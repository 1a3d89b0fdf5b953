// Reads the JSON answer of NCCL's RAS service: communicators, their ranks, and the count of each operation.
// Ranks that the answer lists as missing are kept and marked.
#include "fleet/ranks/read/ras_answer.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace lento::fleet::ranks {
namespace {

using base::Json;
using base::Location;

// Returns a flag, written as boolean or number.
bool flag(const Json* status, const char* key) {
  const Json* value = status ? status->find(key) : nullptr;
  if (!value)
    return false;
  if (value->is_bool())
    return value->boolean({});
  return value->is_int() && value->integer({}) != 0;
}

// Returns a number from -1 (not known) upwards, or `otherwise` where it is absent.
int count_or(const Json& json, const char* key, int otherwise, const Location& where) {
  const Json* value = json.find(key);
  if (value)
    return int(value->integer(base::child(where, key), -1, INT32_MAX));
  return otherwise;
}

// Reads one rank of the answer.
RasRank rank_of(const Json& json, bool missing, const Location& where) {
  RasRank rank;
  rank.rank = count_or(json, "rank", -1, where);
  rank.host = json.string_or("host", "", where);
  rank.process = json.integer_or("pid", -1, where);
  rank.device = count_or(json, "cuda_dev", -1, where);
  rank.missing = missing;
  const Json* status = json.find("status");
  rank.unresponsive = flag(status, "unresponsive");
  rank.dead = flag(status, "considered_dead");
  rank.aborted = flag(status, "abort_flag");
  if (status && status->is_object())
    rank.error = status->integer_or("async_error", 0, where);
  const Json* counts = json.find("collective_counts");
  if (!counts)
    return rank;
  for (const auto& [operation, count] : counts->members())
    rank.counts[operation] = count.integer(where);
  return rank;
}

}  // namespace

RasAnswer read_ras_answer(const std::string& path, base::ReadReport& report) {
  const Json json = base::parse_json(base::read_file(path, uint64_t{256} << 20), path);
  const Location top{path};
  RasAnswer answer;
  answer.file = path;
  answer.timestamp = json.string_or("timestamp", "", top);
  const Json& list = json.at("communicators", top);
  for (size_t i = 0; i < list.array(top).size(); ++i) {
    const Json& item = list.items()[i];
    const Location where = base::child(base::child(top, "communicators"), i);
    RasCommunicator c;
    c.hash = item.at("hash", where).string(where);
    c.size = count_or(item, "size", 0, where);
    const std::pair<const char*, bool> lists[] = {{"ranks", false}, {"missing_ranks", true}};
    for (const auto& [key, missing] : lists) {
      const Json* ranks = item.find(key);
      if (!ranks)
        continue;
      for (const Json& rank : ranks->items()) {
        c.ranks.push_back(rank_of(rank, missing, where));
        ++report.taken;
      }
    }
    answer.communicators.push_back(std::move(c));
  }
  return answer;
}

}  // namespace lento::fleet::ranks
