// Times one training iteration of CrossFlow's workload, an LSTM language model, from kernels and links.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "predict/crossflow/kernel.h"

namespace lento::predict {

struct LanguageModelTime {
  double seconds = 0;
  double forward = 0;
  double backward = 0;
  double memory_bytes = 0;  // memory that the job needs on each node
  double memory_there = 0;  // memory that each node has
  double parameters = 0;
  // Seconds of one instance of each kernel: cell, softmax, embedding forward and backward, the three weight
  // reductions, one hop between layers.
  std::vector<std::pair<std::string, double>> parts;
};

// The link that each parallel dimension (Parallelism) uses. Its bandwidth is divided by the number of rings
// that share it.
struct ParallelLinks {
  Link kernel_rows;
  Link kernel_columns;
  Link dp;
  Link layer_ways;
};
ParallelLinks parallel_links(const Machine& machine, const CrossFlowConfig& config);

// Returns why this split cannot run ("hidden size not divisible by kp1"), empty when it can.
std::string impossible(const CrossFlowConfig& config);

// The memory level to which the traffic of element-wise work (gates, softmax, optimizer, copies around a
// transfer) is charged. The released CrossFlow tool divides its bytes by the register bandwidth, which is a
// hundred times too fast, although the elements come from DRAM.
enum class ElementTraffic {
  AsReleased,
  Dram
};

LanguageModelTime language_model_time(
    const Machine& machine,
    const CrossFlowConfig& config,
    ElementTraffic traffic = ElementTraffic::AsReleased);

}  // namespace lento::predict
