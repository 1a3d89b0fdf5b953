// SLOTH's tracer as printed (III-D): core outliers and inferred links give start scores, FailRank spreads
// them over the multi-level communication graph, a softmax with temperature decides within each level.
#pragma once

#include "chip/detect/method.h"
#include "chip/paper/observations.h"
#include "chip/paper/paper_graph.h"

namespace lento::chip {

struct PaperOptions {
  double deviation = 0.195;     // of a healthy core's performance
  double core_candidate = 0.9;  // probability from which a core is a candidate
  double link_candidate = 0.99;
  double temperature = 200;  // of the nodes' softmax
  double link_temperature = 10;
  double report = 0.65;  // share within the level from which a candidate is reported
  int reference = 1;     // healthy bandwidth: 0 the chip file's, 1 the median link's, 2 a profile's
  int iterations = 100;  // of EM
  RankOptions rank;
};

struct PaperResult {
  Detection detection;
  CommunicationGraph graph;  // with start scores
  RankResult rank;
};
PaperResult trace_root_cause(
    const Sketch& sketch,
    const spec::Chip& chip,
    const Program& program,
    const PaperOptions& options,
    const Sketch* profile = nullptr);

// As a Method; parameters in paper_parameters().
std::vector<Parameter> paper_parameters();
MethodResult judge_by_paper(const MethodCall& call);

}  // namespace lento::chip
