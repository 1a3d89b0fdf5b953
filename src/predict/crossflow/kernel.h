// Times kernels on a generated machine as the released CrossFlow tool does (CrossFlow sections 5.2 and 5.3):
// hierarchical roofline, tiled matrix products, ring collectives.
//
// A product of dim1 x dim2 by dim2 x dim3 is cut by one tile per level (registers, L1, L2). Bytes at level l
// with tile (t1, t2, t3) of level l-1, repeated r times:
//   r * precision * (d1 d2 ceil(d3/t3) + d2 d3 ceil(d1/t1) + d1 d3 * (l > 1 ? 1 : ceil(d2/t2)))
// Register bytes: flops * precision * (2K + 1) / (2K) / W, with the FMA width W and K = the dimension along
// which the stationary operand is reused, over W. The time of a kernel is that of its slowest level, each
// bytes/bandwidth + latency when below the machine's balance there, else flops/throughput, plus the launch
// overhead.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "predict/crossflow/machine.h"

namespace lento::predict {

using Dims = std::array<double, 3>;  // whole numbers
using Tiles = std::array<Dims, 3>;   // of registers, L1, L2

enum class Dataflow {
  Best,
  Weight,
  Activation,
  Output,
  None
};

struct GemmTime {
  double seconds = 0;
  Dims order{};
  Tiles tiles{};
};

class KernelModel {
 public:
  KernelModel(const Machine& machine, const CrossFlowConfig& config);

  // Returns the shortest time over the loop orders that the dataflow permits and all power-of-two tiles that
  // fill their level. The dataflow that "best" picks for the first product stays for the later ones, as in
  // the released CrossFlow tool, until reset_dataflow().
  GemmTime gemm(double dim1, double dim2, double dim3);
  void reset_dataflow() {
    dataflow_ = configured_;
  }

  // Returns the seconds of a product with one loop order and tiling, launch overhead included. A dataflow
  // "best" is replaced as in gemm(dims).
  double gemm_with(const Dims& dims, const Dims& order, const Tiles& tiles);

  // Returns the seconds of element-wise work. The released CrossFlow tool charges its traffic to the
  // registers (level 0). charge_dram(true) charges DRAM instead.
  double pointwise(double flops, double bytes) const;
  void charge_dram(bool at_dram) {
    scalar_level_ = at_dram ? 3 : 0;
  }

  // The ring collectives that collective() times.
  enum class Collective {
    AllReduce,
    ReduceScatter,
    AllGather
  };
  double collective(Collective kind, double elements, int p, const Link& link) const;

  double launch() const {
    return launch_;
  }
  double precision() const {
    return precision_;
  }

 private:
  // A tile t1 x t2 x t3 and lower bounds of its traffic per multiply-add, valid while the whole tile fits in
  // the cache: `operands` = 1/t1 + 1/t3 for both inputs, `all` = 1/t2 more for the result.
  struct Candidate {
    Dims tile;
    double operands;
    double all;
  };
  struct Search;  // the search of one order (kernel.cc)
  // The register tile that moves the fewest bytes out of L1 for the product of one L1 tile.
  struct Innermost {
    Dims tile;
    double bytes;
  };
  struct DimsHash {
    size_t operator()(const Dims& d) const;
  };

  void choose_dataflow(const Dims& dims);
  std::vector<Dims> orders(const Dims& dims) const;
  double register_time(const Dims& order, double flops) const;
  double level_time(size_t level, double flops, double bytes) const;
  void search(const Dims& order, GemmTime& best);
  const Innermost& innermost(const Dims& dims);

  Machine machine_;
  double launch_;
  double precision_;
  double fma_width_;
  Dataflow configured_;
  Dataflow dataflow_;
  size_t scalar_level_ = 0;
  std::array<std::vector<Candidate>, 3> candidates_;         // tiles of registers, L1, L2
  std::unordered_map<Dims, Innermost, DimsHash> innermost_;  // results of earlier searches
};

}  // namespace lento::predict
