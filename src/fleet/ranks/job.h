// The traces of all ranks as one job: the ranks of each host and communicator, and the records that form one
// collective.
//
//   RankTrace (one a rank) -> Job -> clocks, own time, transfers -> culprits
//
// This module does not compare times of different hosts.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

constexpr int64_t kNoStep = -1;

struct JobRank {
  const RankTrace* trace = nullptr;
  std::string label;  // "rank5", or "host2/pid1005" where no number is known
  int number = -1;    // global rank; -1: not known
  int host = 0;
  int device = -1;
  int peers = 0;              // number of its group of ranks with the same operations in a step
  std::vector<int32_t> step;  // step of each record; -1: none
  int32_t typical = 0;        // number of records in the commonest kind of step
};

struct JobHost {
  std::string name;
  std::vector<int> ranks;
};

struct JobCommunicator {
  std::string key;
  std::string name;
  int size = 0;
  std::vector<int> members;  // index into Job::ranks by member; -1: no trace of it
  std::vector<int> hosts;    // hosts of the members with a trace, distinct, sorted
  bool complete() const;     // whether every member has a trace
};

// Collectives that should take equally long: one communicator, operation and size, and for sends and
// receives one direction. Not a channel of NCCL.
struct Channel {
  int communicator = 0;
  CollectiveOp op = fleet::ranks::CollectiveOp::Other;  // Send for a pair
  int64_t bytes = 0;
  // Sender and receiver of a pair; -1 for other collectives.
  int from = -1;
  int to = -1;
  int shape = 0;           // channels of one shape are comparable
  std::vector<int> ranks;  // ranks that take part, sorted
  std::vector<int> hosts;  // hosts of these ranks, distinct, sorted
  uint64_t instances = 0;
};

struct Member {
  int32_t rank = 0;
  int32_t record = 0;
};

struct Instance {
  int32_t channel = 0;
  int32_t step = -1;
  uint32_t first = 0;  // into Job::members
  uint32_t count = 0;
  bool complete = false;  // all members recorded it
};

struct Matching {
  uint64_t records = 0;     // records of all ranks
  uint64_t matched = 0;     // records in an instance of two members or more
  uint64_t alone = 0;       // collectives that only one member recorded
  uint64_t mismatched = 0;  // collectives whose members recorded different sizes
  uint64_t unlabelled = 0;  // communication kernels without the name of their collective
  uint64_t communication = 0;
  std::vector<std::string> complaints;  // "all-reduce of DATA_PARALLEL_GROUP: 8 MiB on rank3, 4 MiB on rank7"
};

struct Job {
  std::vector<JobRank> ranks;
  std::vector<JobHost> hosts;
  std::vector<JobCommunicator> communicators;
  std::vector<Channel> channels;
  std::vector<Instance> instances;
  std::vector<Member> members;
  int32_t steps = 0;  // step numbers are 0 .. steps-1
  int peer_groups = 0;
  bool timed = true;            // every trace has begin times, not durations alone
  bool hosts_inferred = false;  // a host has no valid name, and its ranks follow from numbers of GPUs
  bool ranks_inferred = false;  // rank numbers follow from the order of hosts and processes
  bool step_marks = false;      // the source marks steps
  int world = -1;               // number of ranks of the job, when a record states it
  std::string layout;
  Matching matching;

  std::span<const Member> of(const Instance& i) const {
    return {members.data() + i.first, i.count};
  }
  const CollectiveRecord& record(const Member& m) const {
    return ranks[m.rank].trace->records[m.record];
  }
};

// Joins the traces, which must outlive the job.
Job make_job(const std::vector<RankTrace>& traces);

// Fills Job::ranks, with labels and numbers, and Job::hosts.
void name_ranks(const std::vector<RankTrace>& traces, Job& job);
// Fills JobRank::step, typical, peers and Job::steps.
void find_steps(Job& job);
// Fills communicators, channels, instances.
void match_instances(Job& job);

// Returns "all-reduce of 1 MiB in TP of rank0", or for a pair "send of 1 MiB from rank0 to rank1".
std::string text(const Job& job, const Channel& channel);
std::string bytes_text(int64_t bytes);

}  // namespace lento::fleet::ranks
