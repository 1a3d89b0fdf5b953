// Names of collective operations, as the tools write them and as reports print them.
#include "fleet/ranks/read/collective_record.h"

#include <utility>

namespace lento::fleet::ranks {
namespace {

// Reduces a name to lower-case letters: "_allgather_base" and "AllGather" become "allgatherbase" and
// "allgather".
std::string letters(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c >= 'A' && c <= 'Z')
      out += char(c - 'A' + 'a');
    if (c >= 'a' && c <= 'z')
      out += c;
  }
  return out;
}

// The first prefix that fits decides, so "reducescatter" precedes "reduce".
constexpr std::pair<std::string_view, CollectiveOp> kPrefixes[] = {
    {"allreduce", CollectiveOp::AllReduce},
    {"allgather", CollectiveOp::AllGather},
    {"reducescatter", CollectiveOp::ReduceScatter},
    {"alltoall", CollectiveOp::AllToAll},
    {"broadcast", CollectiveOp::Broadcast},
    {"reduce", CollectiveOp::Reduce},
    {"gather", CollectiveOp::Gather},
    {"scatter", CollectiveOp::Scatter},
    {"barrier", CollectiveOp::Barrier},
    {"send", CollectiveOp::Send},
    {"recv", CollectiveOp::Recv}};

}  // namespace

const char* name(CollectiveOp op) {
  switch (op) {
    case CollectiveOp::AllReduce:
      return "all-reduce";
    case CollectiveOp::AllGather:
      return "all-gather";
    case CollectiveOp::ReduceScatter:
      return "reduce-scatter";
    case CollectiveOp::AllToAll:
      return "all-to-all";
    case CollectiveOp::Broadcast:
      return "broadcast";
    case CollectiveOp::Reduce:
      return "reduce";
    case CollectiveOp::Gather:
      return "gather";
    case CollectiveOp::Scatter:
      return "scatter";
    case CollectiveOp::Barrier:
      return "barrier";
    case CollectiveOp::Send:
      return "send";
    case CollectiveOp::Recv:
      return "receive";
    case CollectiveOp::Other:
      break;
  }
  return "other";
}

CollectiveOp collective_op(std::string_view text) {
  std::string word = letters(text);
  if (word.starts_with("nccl"))
    word.erase(0, 4);
  for (const auto& [prefix, op] : kPrefixes) {
    if (word.starts_with(prefix))
      return op;
  }
  return CollectiveOp::Other;
}

bool is_symmetric(CollectiveOp op) {
  return op == CollectiveOp::AllReduce || op == CollectiveOp::AllGather || op == CollectiveOp::AllToAll ||
         op == CollectiveOp::ReduceScatter || op == CollectiveOp::Barrier;
}

}  // namespace lento::fleet::ranks
