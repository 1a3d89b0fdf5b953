// The transfer time of a collective once all members have arrived: the shortest of its members' kernels,
// because the last to arrive waits for no other. Each duration is on one clock, so clock errors do not enter.
#pragma once

#include <vector>

#include "fleet/ranks/job.h"
#include "fleet/ranks/stretch.h"

namespace lento::fleet::ranks {

// The transfer times of one channel (job.h: one communicator, operation and size).
struct ChannelTime {
  std::vector<double> log_ns;  // by step: mean log of the transfer times; NaN: no transfer
  double median_ns = 0;        // over steps
  double mean_ns = 0;          // over transfers
  double undisturbed_ns = 0;   // transfer time that channels of this shape have without a fault
  double transfers_per_step = 0;
  Stretch stretch;     // steps in which it is slow, by log(transfer / undisturbed transfer)
  double cost_ns = 0;  // excess time of a step
  bool slow = false;
  bool judged = false;  // enough steps in which all members were recorded
};

// The transfer times of one shape: of all channels with the same operation, size, number of ranks and number
// of hosts.
struct ShapeTime {
  int channels = 0;
  int groups = 0;             // distinct sets of ranks; channels of one set deviate from others together
  double undisturbed_ns = 0;  // transfer time without a fault
  double roughness = 1;       // slow_noise of the channels
  double seen_spread = 0;  // standard deviation of log between healthy channels; 0: fewer than eight channels
  double spread = 0;       // the standard deviation that verdicts use, at least seen_spread
};

struct TransferVerdict {
  std::vector<ChannelTime> channels;  // by Job::channels
  std::vector<ShapeTime> shapes;
};

// Returns the transfer time of each collective of Job::instances in ns, NaN when a member is missing.
std::vector<double> transfer_times(const Job& job);

TransferVerdict slow_channels(const Job& job, const std::vector<double>& transfer_ns);

// A part of the network (a NIC, a link, a switch) whose slowness explains slow channels.
struct Component {
  enum class Kind {
    Nic,
    NicOut,
    NicIn,
    RankNic,
    HostFabric,
    GpuLink,
    HostPair,
    Switch,
    Network
  };
  Kind kind = Kind::Nic;
  // The index of a host, rank or switch in `a`, or those of a pair of hosts in both; -1: not used.
  int a = -1;
  int b = -1;
  std::vector<int> hits, near,
      misses;  // channels that cross the part: slow ones, mildly slower ones, quick ones
  double score() const {
    return double(hits.size() + near.size()) - double(misses.size());
  }
};

struct SlowPart {
  Component part;
  std::vector<Component> alternatives;  // parts that explain the channels equally well
  Stretch stretch;                      // over steps, of the mean over its channels
  double factor = 1;                    // transfer over undisturbed transfer, median over its channels
};

// Returns the fewest parts of the network that explain the slow channels. `switch_of` holds the index of
// each host's switch, -1 for none, or is empty.
std::vector<SlowPart>
explain_channels(const Job& job, const TransferVerdict& verdict, const std::vector<int>& switch_of);

std::string text(const Job& job, const Component& part, const std::vector<std::string>& switches);
// Returns the host that a part belongs to, or -1 for a part between hosts.
int host_of(const Job& job, const Component& part);

}  // namespace lento::fleet::ranks
