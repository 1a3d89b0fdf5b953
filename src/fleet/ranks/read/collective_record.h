// One rank's record of the collectives of a distributed job, from any tool.
//
//   Kineto trace, Inspector log, flight-recorder dump, RAS answer -> RankTrace, HangDump -> fleet/ranks
//
// Times are nanoseconds on the clock of the rank's host. Times of two hosts must not be compared before the
// clocks are aligned. Members of a communicator are numbered from 0. A global rank is -1 where no file states
// it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lento::fleet::ranks {

enum class CollectiveOp : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Broadcast,
  Reduce,
  Gather,
  Scatter,
  Barrier,
  Send,
  Recv,
  Other
};

const char* name(CollectiveOp op);  // "all-reduce", "send"
// Returns the operation by its name in PyTorch, NCCL or RCCL ("_allgather_base", "AllReduce",
// "nccl:all_to_all"), Other when unknown.
CollectiveOp collective_op(std::string_view name);
inline bool is_p2p(CollectiveOp op) {
  return op == CollectiveOp::Send || op == CollectiveOp::Recv;
}
// Returns whether every member's end follows every member's arrival.
bool is_symmetric(CollectiveOp op);

struct CollectiveRecord {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
  int64_t bytes = 0;
  int64_t sequence = -1;     // number that the source gives, per communicator and operation; -1: none
  int32_t communicator = 0;  // index into RankTrace::communicators
  int32_t peer = -1;         // for send and receive: the other member of the communicator
  int32_t step = -1;         // number of the training step, when the source marks steps
  CollectiveOp op = CollectiveOp::Other;

  auto operator<=>(const CollectiveRecord&) const = default;
};

struct Communicator {
  std::string key;   // equal on all its members, different from all others
  std::string name;  // "TENSOR_MODEL_PARALLEL_GROUP"; may be empty
  int size = 0;
  int nodes = 0;               // number of hosts that it spans; 0: not recorded
  int own = -1;                // this rank's member number
  std::vector<int32_t> ranks;  // global ranks by member; empty: not recorded
};

struct TimeSpan {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

struct StepMark {
  int32_t step = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

struct RankTrace {
  std::string file;
  std::string layout;     // "kineto", "inspector", "nsight"
  std::string host;       // empty: not recorded
  int64_t process = -1;   // process id
  int rank = -1;          // global rank
  int world = -1;         // number of ranks of the job
  int device = -1;        // number of the GPU on its host
  bool timed = true;      // false: only durations are known, begin_ns is 0
  bool computes = false;  // `compute` was recorded
  bool closed = true;     // false: the file is truncated, and only the records before the cut were read
  bool has_end = true;    // false: a layout of lines without an end mark, so that a cut does not show
  bool dated = false;     // the file states the date from which its times count
  std::vector<Communicator> communicators;
  std::vector<CollectiveRecord> records;  // by begin_ns
  std::vector<TimeSpan> compute;          // when a computing kernel ran: disjoint, by time
  std::vector<StepMark> steps;            // by time
  uint64_t unlabelled = 0;                // communication kernels that no collective was found for
  uint64_t communication = 0;             // all communication kernels
};

// One operation that a flight recorder lists as not completed.
struct PendingOp {
  std::string group;  // name, equal on all members
  int64_t sequence = 0;
  bool p2p = false;
  bool started = false;
  std::string op;     // "all_to_all", "send 0->3"
  std::string sizes;  // "[4096, 5120] -> [4183, 5120]"
  std::string input_sizes;
  std::string dtype;
};

struct GroupStatus {
  // Numbers of operations, -1 when unknown.
  int64_t last_enqueued = -1;
  int64_t last_started = -1;
  int64_t last_completed = -1;
};

struct GroupConfig {
  std::string description;
  std::vector<int32_t> ranks;
};

// A flight-recorder dump of one rank of a hanging job: its groups, their progress and the pending operations.
struct HangDump {
  std::string file;
  int rank = -1;
  std::string version;
  std::map<std::string, GroupConfig> groups;  // by name
  std::map<std::string, GroupStatus> status;  // by name
  bool status_known = false;
  std::vector<PendingOp> pending;  // in the order of the dump's entries
  uint64_t entries = 0;
};

// One rank in an answer of NCCL's RAS service, which lists the members of each communicator and their
// progress.
struct RasRank {
  int rank = -1;
  std::string host;
  int64_t process = -1;
  int device = -1;
  bool missing = false;
  bool unresponsive = false;
  bool dead = false;
  int64_t error = 0;
  bool aborted = false;
  std::map<std::string, int64_t> counts;  // operation -> number of calls
};
struct RasCommunicator {
  std::string hash;
  int size = 0;
  std::vector<RasRank> ranks;
};
struct RasAnswer {
  std::string file;
  std::string timestamp;
  std::vector<RasCommunicator> communicators;
};

}  // namespace lento::fleet::ranks
