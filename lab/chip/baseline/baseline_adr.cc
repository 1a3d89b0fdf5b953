// ADR. Each core has three variables: its slow-down of computing, the latency of the messages that it
// receives, and how often that latency is updated. In every window (a time bin) each is compared with the
// percentiles of its own past. A value above the high percentile by a margin, or a frequency below the low
// one, is a warning. Enough warnings in a row are a slow fault. The method uses no profile and no peers.
#include <algorithm>
#include <cmath>

#include "chip/paper/observations.h"
#include "evidence/sample.h"
#include "lab/chip/baseline/baselines.h"

namespace lento::chip {
namespace {

struct Limits {
  double percentile;
  double margin;
  size_t history;  // windows that a past needs
};

bool value_warns(const std::vector<double>& past, double now, const Limits& limits) {
  if (past.size() < limits.history)
    return false;
  return now > evidence::quantile(past, limits.percentile) + limits.margin;
}

bool frequency_warns(const std::vector<double>& past, double now, const Limits& limits) {
  if (past.size() < limits.history)
    return false;
  return now < evidence::quantile(past, 1 - limits.percentile) * std::exp2(-limits.margin);
}

struct Run {
  double length = 0;  // warnings in a row
  size_t begin = 0;
  size_t end = 0;
};

// Returns the longest run of windows with a warning. A window with a warning does not become part of the
// past.
Run longest(const Samples& values, bool with_frequency, const Limits& limits) {
  std::vector<double> past;
  std::vector<double> counts;
  Run now;
  Run best;
  for (size_t b = 0; b < values.size(); ++b) {
    const bool slow = values[b].count > 0 && value_warns(past, values[b].octaves, limits);
    const bool rare = with_frequency && frequency_warns(counts, values[b].count, limits);
    if (slow || rare) {
      if (now.length == 0)
        now.begin = b;
      now.length += 1;
      now.end = b + 1;
      if (now.length > best.length)
        best = now;
      continue;
    }
    now = {};
    if (values[b].count > 0)
      past.push_back(values[b].octaves);
    counts.push_back(values[b].count);
  }
  return best;
}

}  // namespace

std::vector<Parameter> adr_parameters() {
  return {
      {"percentile", 0.99, 0.5, 1, "of the past that a value must exceed"},
      {"margin", 3, 0, 20, "and by how much, octaves"},
      {"history", 4, 1, 1000, "windows before anything is judged"},
      {"row", 3, 1, 1000, "warnings in a row that make a fault"}};
}

MethodResult judge_by_adr(const MethodCall& call) {
  const Observations seen = observe(call.sketch, call.chip, nullptr);
  const Limits limits{call["percentile"], call["margin"], size_t(call["history"])};
  std::vector<Suspect> out;
  for (int core = 0; core < seen.cores; ++core) {
    const Run compute = longest(slowness_of(seen, core), false, limits);
    const Run transfer = longest(latency_at(seen, core), true, limits);
    const Run& worst = compute.length >= transfer.length ? compute : transfer;
    Suspect s = suspect_over(seen, {Part::Core, core, -1}, worst.begin, worst.end);
    s.score = score_at(worst.length, call["row"] - 0.5);
    out.push_back(s);
  }
  return ranked_result(std::move(out), 0.5, seen.run_cycles);
}

}  // namespace lento::chip
