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
  int peers = 0;              // group of ranks that do the same in a step
  std::vector<int32_t> step;  // of each record; -1: none
  int32_t typical = 0;        // records in an ordinary step
};

struct JobHost {
  std::string name;
  std::vector<int> ranks;
};

struct JobCommunicator {
  std::string key;
  std::string name;
  int size = 0;
  std::vector<int> members;  // rank by member; -1: no trace of it
  std::vector<int> hosts;    // distinct, sorted; of the members known
  bool complete() const;     // every member has a trace
};

// Collectives that should take equally long: one communicator, operation and size, and for sends and receives
// one direction.
struct Channel {
  int communicator = 0;
  CollectiveOp op = fleet::ranks::CollectiveOp::Other;  // Send for a pair
  int64_t bytes = 0;
  // The ranks of a pair.
  int from = -1;
  int to = -1;
  int shape = 0;           // channels of one shape are comparable
  std::vector<int> ranks;  // that take part, sorted
  std::vector<int> hosts;  // theirs, distinct, sorted
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
  bool complete = false;  // all members are there
};

struct Matching {
  uint64_t records = 0;     // timed or not, of all ranks
  uint64_t matched = 0;     // records in an instance of two members or more
  uint64_t alone = 0;       // no other member recorded it
  uint64_t mismatched = 0;  // members disagree in size
  uint64_t unlabelled = 0;  // communication kernels that do not say what they belong to
  uint64_t communication = 0;
  std::vector<std::string>
      complaints;  // "AllReduce 17 of DATA_PARALLEL_GROUP: 8 MiB on rank3, 4 MiB on rank7"
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
  bool timed = true;            // places in time are known, not durations only
  bool hosts_inferred = false;  // from the numbers of GPUs
  bool ranks_inferred = false;  // from the order of hosts and processes
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

// Fills the members of the job, their hosts and numbers: the first half of make_job.
void name_ranks(const std::vector<RankTrace>& traces, Job& job);
// Fills JobRank::step, typical, peers and Job::steps.
void find_steps(Job& job);
// Fills communicators, channels, instances.
void match_instances(Job& job);

// Returns "all-reduce of 1 MiB in DATA_PARALLEL_GROUP".
std::string text(const Job& job, const Channel& channel);
std::string bytes_text(int64_t bytes);

}  // namespace lento::fleet::ranks
