// Five published detectors as SLOTH's evaluation compares with (IV-A), each after its own source, all reading
// the same sketch. What the sketch does not keep, single records, is replaced by its time bins and stretches;
// each file says where that departs from its source. Parameters are set in method.cc's table.
#pragma once

#include "chip/detect/method.h"

namespace lento::chip {

// Components slower than a multiple of a profile (static thresholds).
MethodResult judge_by_threshold(const MethodCall& call);
std::vector<Parameter> threshold_parameters();

// Lin, Chen, Zheng: Microscope, ICSOC 2018. Abnormal nodes of a dependency graph without abnormal
// dependencies, ranked by how their metric correlates with the front end's.
MethodResult judge_by_microscope(const MethodCall& call);
std::vector<Parameter> microscope_parameters();

// Panda et al.: IASO, USENIX ATC 2019. Timeouts at peers become scores by additive increase and
// multiplicative decrease; DBSCAN tells which core's score lies apart. Cores only.
MethodResult judge_by_iaso(const MethodCall& call);
std::vector<Parameter> iaso_parameters();

// Lu et al.: Perseus, FAST 2023. A polynomial regression of latency on load, fitted after PCA and DBSCAN
// removed outliers; time above its upper bound adds up to a risk. Cores only.
MethodResult judge_by_perseus(const MethodCall& call);
std::vector<Parameter> perseus_parameters();

// Lu et al.: ADR, NSDI 2025. Values and update frequencies in sliding windows against percentiles of their
// own past. Cores only.
MethodResult judge_by_adr(const MethodCall& call);
std::vector<Parameter> adr_parameters();

// 0..1 with 0.5 at the threshold; both positive.
inline double score_at(double value, double threshold) {
  return value / (value + threshold);
}

// By falling score, then component; the first `reported` of them are reported, at most ten ranked.
MethodResult ranked_result(std::vector<Suspect> suspects, double least_score, uint64_t run_cycles);

}  // namespace lento::chip
