// Finds suspects from the mean durations on the Inspector's Prometheus pages alone. The rank that arrives
// last waits for no other, so among GPUs with the same collectives the late one has the lowest mean. A GPU
// is a suspect when its mean is by far the lowest for nearly all shapes of collectives (communicator, sizes,
// operation) that it takes part in. A page holds neither ranks nor communicators nor single collectives, so
// no more can be concluded.
#include <algorithm>
#include <map>
#include <set>

#include "base/units.h"
#include "evidence/sample.h"
#include "fleet/ranks/ranks.h"
#include "fleet/ranks/suspects.h"
#include "fleet/ranks/tuning.h"

namespace lento::fleet {
namespace {

using fleet::ranks::InspectorMean;
namespace tuning = ranks::tuning;

struct Seen {
  int shapes = 0;
  int lowest = 0;
  double gap_us = 0;  // distance to the median, summed over shapes in which it is the lowest
  double share = 0;   // the same sum of distances as shares of the median
};
using Gpus = std::map<std::pair<std::string, std::string>, Seen>;

// Counts the GPU with the lowest mean among GPUs with collectives of one shape if it is a single outlier:
// below the median by more than the others scatter, with the second lowest nearer to the median.
void judge_shape(std::vector<const InspectorMean*> means, Gpus& gpus) {
  if (means.size() < tuning::kLeastMeans)
    return;
  std::ranges::sort(means, {}, &InspectorMean::exec_us);
  std::vector<double> values;
  for (const InspectorMean* m : means) {
    values.push_back(m->exec_us);
    ++gpus[{m->node, m->gpu}].shapes;
  }
  const double middle = evidence::median(values);
  const double scatter = (evidence::quantile(values, 0.75) - middle) / 0.674;
  const double gap = middle - values[0];
  const double least = std::max(tuning::kLeastMeanShare * middle, tuning::kLeastPeerSpread * scatter);
  if (gap < least || values[1] - values[0] < gap / 2)
    return;
  Seen& seen = gpus[{means[0]->node, means[0]->gpu}];
  ++seen.lowest;
  seen.gap_us += gap;
  seen.share += gap / middle;
}

}  // namespace

finding::Diagnosis diagnose_means(const std::vector<InspectorMean>& means) {
  std::map<std::string, std::vector<const InspectorMean*>> shapes;
  std::set<std::string> nodes;
  for (const InspectorMean& m : means) {
    shapes[m.shape].push_back(&m);
    nodes.insert(m.node);
  }
  Gpus gpus;
  for (auto& [shape, list] : shapes)
    judge_shape(list, gpus);
  finding::Diagnosis d;
  d.scale = "fleet";
  d.title = "Collectives of " + std::to_string(gpus.size()) + " GPUs, by their means";
  for (const auto& [id, seen] : gpus) {
    if (seen.lowest == 0 || seen.lowest < tuning::kShareOfWhole * seen.shapes)
      continue;
    finding::Finding f;
    f.subject = id.first + "/" + id.second;
    f.category = "suspect: slow GPU";
    f.where = finding::Place{id.first, "", id.second.starts_with("GPU") ? id.second.substr(3) : id.second};
    f.summary = f.subject + " is a suspect: its collectives are the shortest of its peers', so it comes last";
    f.score = 0.5;
    f.evidence.push_back(
        {"shapes of collectives in which it is the shortest",
         double(seen.lowest),
         "of " + std::to_string(seen.shapes),
         "nccl_collective_exec_time_microseconds"});
    f.evidence.push_back(
        {"others wait for it, mean a collective",
         seen.gap_us / seen.lowest / 1000,
         "ms",
         "difference of means"});
    f.next_step =
        "Switch on the Inspector's log with NCCL_INSPECTOR_DUMP_VERBOSE=1 to tell a slow GPU from a slow "
        "host.";
    d.findings.push_back(std::move(f));
  }
  const std::string covered = std::to_string(gpus.size()) + " GPUs on " + std::to_string(nodes.size()) +
                              " nodes, " + std::to_string(shapes.size()) +
                              " shapes of collectives, means only";
  end_suspicion(
      d,
      {gpus.empty() ? "under four GPUs share a shape of collectives"
                    : "no GPU is clearly the last, by means alone",
       "switch on the Inspector's log: NCCL_INSPECTOR_DUMP_VERBOSE=1"},
      covered);
  return d;
}

}  // namespace lento::fleet
