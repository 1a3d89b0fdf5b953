// One way to cut a layer of a sequence over cores, and its own cost. Internal to sequence.cc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "chip/map/lower/layer_graph.h"
#include "chip/map/plan/blocks.h"
#include "chip/map/plan/partition.h"
#include "chip/map/plan/sequence.h"
#include "spec/chip.h"

namespace lento::chip {

using Loads = std::array<double, 64>;  // bytes over the middles of blocks (BlockOrder)

struct SampledPart {
  size_t core = 0;
  Range batch;
  Box box;
  std::vector<Need> needs;
};

struct Choice {
  Cut cut;
  int sharers = 1;     // cores that hand the weights on to one another
  int runs = 1;        // of a part's channels
  int ranks = 1;       // layers like this one that other cores compute meanwhile
  double compute = 0;  // cycles
  double weights = 0;  // bytes of one part
  double output = 0;   // bytes of one part
  double hand_on = 0;  // cycles until all have the weights of their sharers
  std::vector<SampledPart> parts;
  std::vector<uint32_t> cores;  // of all parts, in the order in which a mapping lists them
};

class Choices {
 public:
  // All arguments must outlive it. `samples` are those of one pass.
  Choices(const spec::Chip& chip, const BlockOrder& order, const Grouping& grouping, int64_t samples);

  // Returns the parts along the batch, when groups have samples of their own, or share one where there are
  // fewer samples.
  int64_t own_samples() const;
  // Lists cuts. With groups, only cuts over all cores into a multiple of those parts, and for products those
  // with as many parts along the channels as a group has cores, where there are any.
  std::vector<Cut> cuts(const Layer& layer) const;
  // Returns a choice with its sub-steps, sharers and runs, without sampled parts, and nullopt where it does
  // not fit.
  std::optional<Choice> choice(const Layer& layer, const Cut& cut) const;
  // Lists placements on cores, by part: positions in the order in which a plan takes cores.
  std::vector<std::vector<uint32_t>> placements(const Layer& layer, const Cut& cut) const;
  // Samples a few parts that represent all, on the cores that `cores` gives.
  void sample(const Layer& layer, Choice& c) const;

  // Returns the cycles to compute while a stream of `stream` cycles comes in.
  double computed(const Choice& c, double stream) const;
  // Returns the cycles to read the weights together with so many other bytes: of the part that reads most,
  // and of all.
  double stream_cycles(const Choice& c, double most, double all) const;
  // Returns the cycles of an exchange. Loads are those of an average core.
  double exchange_cycles(const Loads& loads, int cores) const;
  // Returns the same for one middle after the other.
  double staged_cycles(const Loads& loads, int cores) const;
  // Returns whether the cores of a block may also be taken in mirrored order (BlockOrder).
  bool images() const;
  // Returns whether the inputs that a layer gathers come in stages (stages.h).
  bool in_stages(const Layer& layer) const;
  // Returns the bytes of weights that a core holds while their layer runs: two sub-steps.
  static double streamed(const Choice& c) {
    return 2 * c.weights / c.runs / c.cut.fetch[1];
  }

 private:
  std::vector<Cut> rank_cuts(const Layer& layer) const;
  int sharers_of(const Layer& layer, const Cut& cut) const;
  uint32_t in_block(uint32_t stand) const;
  double middle_cycles(const Loads& loads, size_t m, int cores) const;
  double hand_on_cycles(const Choice& c) const;
  Choice describe(const Layer& layer, const Cut& cut) const;
  bool choose_steps(const Layer& layer, Choice& c) const;
  bool reads_in_time(const Choice& c) const;

  const spec::Chip& chip_;
  const BlockOrder& order_;
  const Grouping& grouping_;
  const int64_t samples_;
  const size_t cores_;
  // Rates in bytes a cycle.
  const double dram_rate_;
  const double mesh_rate_;
};

}  // namespace lento::chip
