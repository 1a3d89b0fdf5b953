// The ways to cut a layer of a sequence over cores, and the cycles and bytes of each without regard to other
// layers. Internal to sequence.cc.
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

using Loads = std::array<double, 64>;  // bytes over the middle line of the blocks of each size (BlockOrder)

struct SampledPart {
  size_t core = 0;
  Range batch;
  Box box;
  std::vector<Need> needs;
};

struct Choice {
  Cut cut;
  int sharers = 1;     // cores that each read a part of the weights and pass it on to the others
  int runs = 1;        // runs that a part's channels are computed in
  int ranks = 1;       // ranks whose layers are computed at the same time on other cores
  double compute = 0;  // cycles
  double weights = 0;  // bytes of one part
  double output = 0;   // bytes of one part
  double hand_on = 0;  // cycles until every core has the weights of its sharers
  std::vector<SampledPart> parts;
  std::vector<uint32_t> cores;  // core of each part, in the order in which a mapping lists the parts
};

class Choices {
 public:
  // All arguments must outlive the object. `samples` is the number of samples in one pass.
  Choices(const spec::Chip& chip, const BlockOrder& order, const Grouping& grouping, int64_t samples);

  // Returns the number of parts along the batch when each group has samples of its own, or the number of
  // samples when there are fewer samples than groups.
  int64_t own_samples() const;
  // Lists the cuts of a layer. With groups, it lists only cuts over all cores into a multiple of
  // own_samples(). For products it prefers cuts with as many parts along the channels as a group has cores.
  std::vector<Cut> cuts(const Layer& layer) const;
  // Returns the choice for a cut: its number of sub-steps, how many cores share each input, and the runs of
  // neighbouring channels that a sub-step computes. Sampled parts are left empty (sample()). Returns nullopt
  // when it does not fit in the scratchpad.
  std::optional<Choice> choice(const Layer& layer, const Cut& cut) const;
  // Lists placements of the parts on cores, as positions in the order of cores.
  std::vector<std::vector<uint32_t>> placements(const Layer& layer, const Cut& cut) const;
  // Sets the needs of a few sampled parts, which represent all parts, on the cores in `c.cores`.
  void sample(const Layer& layer, Choice& c) const;

  // Returns the cycles to compute a layer while its weights and inputs from DRAM, which take `stream` cycles,
  // arrive.
  double computed(const Choice& c, double stream) const;
  // Returns the cycles to read from DRAM the weights and further bytes: `most` bytes for the part that reads
  // most, `all` bytes for all parts together.
  double stream_cycles(const Choice& c, double most, double all) const;
  // Returns the cycles of an exchange. `loads` are the bytes that an average core receives over each middle
  // line (BlockOrder::middles()).
  double exchange_cycles(const Loads& loads, int cores) const;
  // Returns the cycles of an exchange in stages, one after the other for each block size. `loads` as for
  // exchange_cycles().
  double staged_cycles(const Loads& loads, int cores) const;
  // Returns whether cores may exchange with their mirror images in their block (BlockOrder).
  bool images() const;
  // Returns whether the inputs that a layer gathers arrive in stages (stages.h).
  bool in_stages(const Layer& layer) const;
  // Returns the bytes of weights that a core holds while it computes their layer: those of two sub-steps.
  static double streamed(const Choice& c) {
    return 2 * c.weights / c.runs / c.cut.fetch[1];
  }

 private:
  std::vector<Cut> rank_cuts(const Layer& layer) const;
  int sharers_of(const Layer& layer, const Cut& cut) const;
  uint32_t in_block(uint32_t position) const;
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
  // Rates in bytes per cycle.
  const double dram_rate_;
  const double mesh_rate_;
};

}  // namespace lento::chip
