// SLOTH's tracer as printed (III-D): core outliers and inferred links give start scores, FailRank spreads
// them over the multi-level communication graph, a softmax with temperature decides within each level.
#pragma once

#include "chip/detect/method.h"
#include "chip/paper/observations.h"
#include "chip/paper/paper_graph.h"

namespace lento::chip {

struct PaperOptions {
  double deviation = 0.195;     // standard deviation of a healthy core's performance
  double core_candidate = 0.9;  // probability from which a core is a candidate
  double link_candidate = 0.99;
  double temperature = 200;  // of the softmax over nodes
  double link_temperature = 10;
  double report = 0.65;  // share within a level from which a candidate is reported
  int reference = 1;     // source of the healthy bandwidth: 0 the chip file, 1 the median link, 2 a profile
  int iterations = 100;  // of expectation maximisation
  RankOptions rank;
};

struct PaperResult {
  Detection detection;
  CommunicationGraph graph;  // with the start scores
  RankResult rank;
};
PaperResult trace_root_cause(
    const Sketch& sketch,
    const spec::Chip& chip,
    const Program& program,
    const PaperOptions& options,
    const Sketch* profile = nullptr);

// Judges a sketch by SLOTH's tracer, in the form of Method::judge, with these parameters.
std::vector<Parameter> paper_parameters();
MethodResult judge_by_paper(const MethodCall& call);

}  // namespace lento::chip
