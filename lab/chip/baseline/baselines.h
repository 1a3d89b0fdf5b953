// Five published detectors that the evaluation of the SLOTH paper compares with (IV-A), each written after
// its own source. All read the same sketch. Where a method needs single records, which a sketch does not
// keep, it uses time bins and stretches of operations instead, and its file states the difference. Their
// parameters are listed in method.cc.
#pragma once

#include "chip/detect/method.h"

namespace lento::chip {

// Components slower than a multiple of a profile (static thresholds).
MethodResult judge_by_threshold(const MethodCall& call);
std::vector<Parameter> threshold_parameters();

// Lin, Chen, Zheng: Microscope, ICSOC 2018. Selects abnormal nodes of a dependency graph without abnormal
// dependencies, ranked by the correlation of their metric with the front end's.
MethodResult judge_by_microscope(const MethodCall& call);
std::vector<Parameter> microscope_parameters();

// Panda et al.: IASO, USENIX ATC 2019. Timeouts at peers become scores by additive increase and
// multiplicative decrease, and DBSCAN separates cores with an outlying score. Judges cores only.
MethodResult judge_by_iaso(const MethodCall& call);
std::vector<Parameter> iaso_parameters();

// Lu et al.: Perseus, FAST 2023. Fits a polynomial regression of latency on load after PCA and DBSCAN have
// removed outliers. Time above its upper bound adds up to a risk. Judges cores only.
MethodResult judge_by_perseus(const MethodCall& call);
std::vector<Parameter> perseus_parameters();

// Lu et al.: ADR, NSDI 2025. Compares values and update frequencies in sliding windows with percentiles of
// their own past. Judges cores only.
MethodResult judge_by_adr(const MethodCall& call);
std::vector<Parameter> adr_parameters();

// Maps a positive value to 0..1, with 0.5 at the positive threshold.
inline double score_at(double value, double threshold) {
  return value / (value + threshold);
}

// Sorts by falling score, then component, and ranks at most ten. Suspects with at least `least_score` are
// reported.
MethodResult ranked_result(std::vector<Suspect> suspects, double least_score, uint64_t run_cycles);

}  // namespace lento::chip
