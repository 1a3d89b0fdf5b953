// The likelihood ratio of "this part was slow in this interval" against "no part was".
//
// scan() looks at every part and interval by the first order of the model: score and information of a column
// with all nuisances taken out (Frisch, Waugh, Lovell). test() profiles the factor of one part and refits all
// nuisances, with the part's share s of a duration growing as 1 + s (factor - 1).
#pragma once

#include <vector>

#include "chip/detect/path.h"
#include "chip/model/likelihood.h"

namespace lento::chip {

struct PartTest {
  Component component;
  // shares of the run
  double begin = 0;
  double end = 1;
  double gain = 0;  // twice the log likelihood ratio
  Effect effect;
  double factor() const {
    return std::exp(effect.log_factor);
  }
};

// A part that a fault can name, and what its slowness does to each cell.
//
// Cells that it serves grow with its factor. Cells that only wait for those are reached through queues, of
// which the first order says little at large factors: they are left out when the part is tested.
struct PartCells {
  struct Cell {
    uint32_t cell = 0;
    float share = 0;  // of the duration; of reached ones the first order
  };
  Component component;
  std::vector<Cell> served;
  std::vector<Cell> reached;
};
std::vector<PartCells> part_cells(const Dictionary& dictionary, const spec::Chip& chip);

// The best interval of each part by first order, largest gain first; parts that gain nothing are left out.
std::vector<PartTest>
scan_parts(const Likelihood& model, const Solution& none, const std::vector<PartCells>& parts);

// `inside`: share of each cell that lies in the interval, by cell of the dictionary.
PartTest test_part(
    const Likelihood& model,
    const Solution& none,
    const PartCells& part,
    const std::vector<float>& inside);

// The factor over the whole run that would be named with 95 %, by part; infinite: its records tell nothing.
std::vector<double> detectable_factors(
    const Likelihood& model,
    const Solution& none,
    const std::vector<PartCells>& parts,
    double threshold);

}  // namespace lento::chip
