// IASO. In every epoch (a time bin) the timeouts of a core are counted: its own operations that took too
// long, and messages from it that arrived late at its peers. The score of a core rises by the share of
// timeouts in an epoch with any, and falls by a factor in an epoch without. A core is fail-slow when its
// highest score lies outside the main cluster of scores and above a threshold.
#include <algorithm>
#include <cmath>

#include "chip/paper/observations.h"
#include "evidence/sample.h"
#include "lab/chip/baseline/baselines.h"
#include "lab/chip/clusters.h"

namespace lento::chip {
namespace {

struct Epoch {
  double late = 0;
  double all = 0;
};

std::vector<std::vector<Epoch>> timeouts(const Observations& seen, double octaves) {
  std::vector<std::vector<Epoch>> out(size_t(seen.cores), std::vector<Epoch>(seen.bins()));
  for (int core = 0; core < seen.cores; ++core) {
    const Samples slow = slowness_of(seen, core);
    for (size_t b = 0; b < slow.size(); ++b) {
      Epoch& e = out[size_t(core)][b];
      e.all += 1;
      e.late += slow[b].octaves > octaves;
    }
  }
  for (size_t r = 0; r < seen.cells.rows.size(); ++r) {
    const Row& row = seen.cells.rows[r];
    if (row.pattern.kind != chip::ProbeKind::Message || row.pattern.subject >= seen.cores)
      continue;
    for (size_t b = 0; b < row.cells.size(); ++b) {
      if (row.cells[b].count == 0)
        continue;
      Epoch& e = out[row.pattern.subject][b];
      e.all += 1;
      e.late += seen.above[r][b] > octaves;
    }
  }
  return out;
}

struct Score {
  double highest = 0;
  // epochs: first and last with a timeout before the highest
  size_t begin = 0;
  size_t end = 0;
};

Score score_of(const std::vector<Epoch>& epochs, double increase, double decrease) {
  Score s;
  double now = 0;
  size_t begin = 0;
  for (size_t b = 0; b < epochs.size(); ++b) {
    const double share = epochs[b].all > 0 ? epochs[b].late / epochs[b].all : 0;
    if (share == 0) {
      now *= decrease;
      continue;
    }
    if (now < 0.5 * increase)
      begin = b;
    now += increase * share;
    if (now > s.highest)
      s = {now, begin, b + 1};
  }
  return s;
}

}  // namespace

std::vector<Parameter> iaso_parameters() {
  return {
      {"timeout", 5, 1.001, 1000, "times slower than the profile that counts as a timeout"},
      {"increase", 1, 0.001, 1000, "added to a score in an epoch full of timeouts"},
      {"decrease", 0.5, 0, 1, "factor of a score in an epoch without any"},
      {"radius", 1, 0.001, 1000, "of a cluster of scores"},
      {"least", 8, 0, 1000, "score from which a core apart is reported"}};
}

MethodResult judge_by_iaso(const MethodCall& call) {
  const Profile profile(call.detect);
  const Observations seen = observe(call.sketch, call.chip, profile.sketch());
  std::vector<Score> scores;
  std::vector<Point> points;
  for (const auto& epochs : timeouts(seen, std::log2(call["timeout"]))) {
    scores.push_back(score_of(epochs, call["increase"], call["decrease"]));
    points.push_back({scores.back().highest, 0});
  }
  const std::vector<int> cluster = dbscan(points, call["radius"], 3);
  const int main = largest_cluster(cluster);
  std::vector<double> usual;
  for (size_t c = 0; c < scores.size(); ++c)
    if (cluster[c] == main)
      usual.push_back(scores[c].highest);
  std::vector<Suspect> out;
  for (size_t c = 0; c < scores.size(); ++c) {
    const bool apart = cluster[c] != main && scores[c].highest > evidence::median(usual);
    Suspect s = suspect_over(seen, {Part::Core, int(c), -1}, scores[c].begin, scores[c].end);
    s.score = score_at(scores[c].highest, std::max(1e-9, call["least"])) * (apart ? 1 : 0.5);
    out.push_back(s);
  }
  return ranked_result(std::move(out), 0.5, seen.run_cycles);
}

}  // namespace lento::chip
