// The parts that states are compared among, for the judges of states.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "desk/incident/judge.h"

namespace lento::desk {

inline constexpr size_t kFewestStatePeers = 3;

// Holds the options of one quantity: JudgeOptions, with the probability shared among all quantities.
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

// Returns the peers of one quantity, each with all values in its rows.
std::vector<Peer> peers_of(const Records& records, const std::vector<const Series*>& series);

// Returns one peer for each host when the devices of every host agree and there are enough hosts.
std::vector<Peer> by_host(const std::vector<Peer>& peers);

// Returns whether two sizes differ by less than `least_effect` or, in a report, by no more than one step of
// its printed resolution.
bool is_slight(const Quantity& quantity, double value, double than, double least_effect);

// Formats a value for the report. It shows up to ten digits when three digits would look equal to `beside`.
std::string shown(const Peer& peer, const Quantity& quantity, double beside = kUnknown);

// Returns how many times its peers' traffic a part has counted, 1 when no counter states it. Counters of a
// part that has been up for longer are all higher.
double times_traffic(const Records& records, const Subject& subject);

// Returns the parts whose utilisation is not that of the busiest, so that their clocks are not compared.
std::set<Subject> less_loaded(const Records& records, const SeriesByQuantity& loads);
// Raises a question about each part with far less load than its peers.
void question_loads(
    const Records& records,
    const SeriesByQuantity& loads,
    const JudgeOptions& options,
    Judgement& out);

// Raises a question about numbers and texts of reports without a known meaning (desk/general). An odd one may
// be the cause of a slow-down, so the verdict cannot be healthy.
void question_unknown(
    const Records& records,
    const SeriesByQuantity& unknown,
    const JudgeOptions& options,
    Judgement& out);

}  // namespace lento::desk
