// Collects for each quantity its peers: the hosts, devices or ranks (Subject) that report it as a state,
// which is a value without a time or a step, each with its value. Used by the judges that compare states.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "desk/incident/judge.h"

namespace lento::desk {

inline constexpr size_t kFewestStatePeers = 3;

// The limits for one quantity. `false_alarms` is JudgeOptions::false_alarms, a probability, divided by the
// number of quantities. `least_effect` is the smallest relative difference that is reported (0.03: 3 %).
struct Limits {
  double false_alarms = 0;
  double least_effect = 0;
};

struct Peer {
  Subject subject;
  std::string text;  // its values, joined
  double value = kUnknown;
  double expected = kUnknown;
  std::string note;
  bool is_rise = false;  // the value is an increase between two readings
  Where where;
};

using SeriesByQuantity = std::map<uint32_t, std::vector<const Series*>>;

// Returns the peers of one quantity. The value of each is that of its last row, the text joins all its
// values. A counter with several rows has its rise instead.
std::vector<Peer> peers_of(const Records& records, const std::vector<const Series*>& series);

// Returns one peer for each host when all devices of each host have the same value and there are at least
// kFewestStatePeers hosts, else `peers` unchanged.
std::vector<Peer> by_host(const std::vector<Peer>& peers);

// Returns one peer for each host at an end of the pairs that `peers` are (ends.h), with its best value: a
// measurement between two hosts is as slow as the slower of them. The best is the highest, the lowest, or
// that nearest to the median, by the side of the quantity. Returns nothing where not all peers are pairs.
std::vector<Peer> by_end(const Quantity& quantity, const std::vector<Peer>& peers);

// Returns whether two positive values of Kind::Level are too close for a finding: their ratio is below
// 1 + `least_effect` or, in a report, they differ by at most one unit of the last printed digit.
bool is_slight(const Quantity& quantity, double value, double than, double least_effect);

// Formats a value for the report. It shows up to ten digits when three digits would look equal to `beside`.
std::string shown(const Peer& peer, const Quantity& quantity, double beside = kUnknown);

// Returns how many times its peers' traffic a part has counted, 1 when no counter states it. Counters of a
// part that has been up for longer are all higher.
double times_traffic(const Records& records, const Subject& subject);

// Returns the devices whose utilisation (%) is 0, is below 0.9 of the median of their host, or lies on a host
// whose median is below 0.9 of the highest median of any host. Their clocks are not compared.
std::set<Subject> less_loaded(const Records& records, const SeriesByQuantity& loads);
// Adds to the all-clear that no program runs on any GPU that is shown, where no log shows the job.
void note_idle(const Records& records, Judgement& out);
// Raises a question about each host or device whose load (% or W) is an outlier and below half of the median
// of its peers.
void question_loads(
    const Records& records,
    const SeriesByQuantity& loads,
    const JudgeOptions& options,
    Judgement& out);

// Raises a question about numbers and texts of reports without a known meaning (desk/general). An odd one may
// be the cause of a slow-down, so the verdict cannot be healthy. `known` is the number of quantities with a
// meaning that were compared, which share the budget of false alarms.
void question_unknown(
    const Records& records,
    const SeriesByQuantity& unknown,
    size_t known,
    const JudgeOptions& options,
    Judgement& out);

}  // namespace lento::desk
