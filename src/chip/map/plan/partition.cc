// Lists and prices ways to cut one layer over cores. The largest part of a cut represents all (parts differ
// by one row or channel at most). With s samples per pass:
//
//   compute = outputs * operations per output / ops_per_cycle
//   memory  = (read + weights) / (slots * bytes_per_cycle)       one memory unit
//   receive = received / link_bytes_per_cycle                    one router port
//   core_cycles = max(compute, memory, receive) + start-up
//   score = core_cycles + all parts' DRAM bytes / all ports      DRAM and mesh are shared by the segment
//                       + all parts' received bytes / mesh
//
// Sub-steps follow the expansion (program.h): read inputs are cut over batch, rows and columns with the
// weights resident, or weights over channels with the inputs resident. Received inputs are always resident.
#include "chip/map/plan/partition.h"

#include <algorithm>
#include <map>

#include "chip/map/wiring.h"

namespace lento::chip {
namespace {

// Lists the numbers of parts to try along one axis, at most `limit`: all small ones, one part per position,
// and powers of two and 3 or 7 times such.
std::vector<int> part_counts(int64_t extent, int64_t limit) {
  std::vector<int> out;
  const int64_t top = std::min(extent, limit);
  const int dense = limit <= 64 ? 8 : 4;
  for (int64_t n = 1; n <= top; ++n) {
    int64_t m = n;
    while (m % 2 == 0)
      m /= 2;
    if (n <= dense || m == 1 || m == 7 || (m == 3 && limit <= 1024) || n == extent)
      out.push_back(int(n));
  }
  return out;
}

struct Footprint {
  int64_t input = 0;
  int64_t weights = 0;
  int64_t output = 0;
};

// Returns the part in the middle of the grid of parts, which has a halo on all sides.
Box middle_box(const Layer& layer, const std::array<int, 4>& parts) {
  Box box;
  for (int a = 0; a < 3; ++a) {
    const int64_t extent = layer.layout.extents[a];
    const int64_t n = parts[a + 1];
    box[a] = part_range(extent, n, n / 2);
    const int64_t largest = (extent + n - 1) / n;
    if (box[a].size() < largest) {  // take a part of full size
      box[a].start = std::max<int64_t>(0, box[a].end - largest);
      box[a].end = box[a].start + largest;
    }
  }
  return box;
}

Footprint footprint(const Layer& layer, const Box& box, int64_t samples) {
  const int64_t outputs = box[0].size() * box[1].size() * box[2].size() * samples;
  return {input_bytes(layer, box) * samples, weight_elements(layer, box[0].size()), outputs};
}

// Sets `fetch` to sub-steps with which a part stays within `budget` bytes of scratchpad. Returns false when
// there are none, or only more than 2048.
bool fit(
    const Layer& layer,
    const Box& box,
    int64_t samples,
    int64_t budget,
    Supply supply,
    std::array<int, 4>& fetch) {
  fetch = {1, 1, 1, 1};
  const Footprint whole = footprint(layer, box, samples);
  if (whole.input + whole.weights + whole.output <= budget)
    return true;
  // First choice: sub-steps over channels, each with its part of the weights and all inputs.
  for (int64_t k = 2; k <= box[0].size(); k *= 2) {
    if (layer.depth > 0 &&
        whole.input + (whole.weights + whole.output) / k + layer.depth * layer.window <= budget) {
      fetch[1] = int(k);
      return true;
    }
  }
  if (whole.weights >= budget)
    return false;
  // Second choice: sub-steps with a part of the inputs and all weights. Their number is doubled over samples,
  // then, with one sample each, over rows, then over columns, until the part fits.
  Box sub = box;
  int64_t b = samples;
  for (int step = 0; step < 40; ++step) {
    if (b > 1) {
      fetch[0] = int(std::min<int64_t>(samples, int64_t{fetch[0]} * 2));
      b = (samples + fetch[0] - 1) / fetch[0];
    } else if (sub[1].size() > 1) {
      fetch[2] = int(std::min<int64_t>(box[1].size(), int64_t{fetch[2]} * 2));
      sub[1].end = sub[1].start + (box[1].size() + fetch[2] - 1) / fetch[2];
    } else if (sub[2].size() > 1) {
      fetch[3] = int(std::min<int64_t>(box[2].size(), int64_t{fetch[3]} * 2));
      sub[2].end = sub[2].start + (box[2].size() + fetch[3] - 1) / fetch[3];
    } else {
      return false;
    }
    if (int64_t{fetch[0]} * fetch[2] * fetch[3] > 2048)
      return false;
    const Footprint part = footprint(layer, sub, b);
    const int64_t input = supply == Supply::Cores ? whole.input : part.input;
    if (input + part.weights + part.output <= budget)
      return true;
  }
  return false;
}

class Lister {
 public:
  Lister(const Layer& layer, const spec::Chip& chip, int64_t samples, Supply supply)
      : layer_(layer),
        chip_(chip),
        samples_(samples),
        supply_(supply),
        limit_(chip.core_count()),
        dram_rate_(dram_bytes_per_cycle(chip)),
        mesh_rate_(mesh_bytes_per_cycle(chip)) {
  }

  std::vector<Cut> run() {
    each([this](const std::array<int, 4>& parts) {
      consider(parts);
    });
    return front();
  }

  template <class Take>
  // Calls `take` for each division of the output over at most all cores.
  void each(Take take) const {
    const auto& e = layer_.layout.extents;
    const auto along_b = part_counts(samples_, limit_);
    const auto along_k = part_counts(e[0], limit_);
    const auto along_h = part_counts(e[1], limit_);
    const auto along_w = part_counts(e[2], limit_);
    for (const int b : along_b) {
      for (const int k : along_k) {
        if (int64_t{b} * k > limit_)
          break;
        for (const int h : along_h) {
          if (int64_t{b} * k * h > limit_)
            break;
          for (const int w : along_w) {
            if (int64_t{b} * k * h * w > limit_)
              break;
            take(std::array<int, 4>{b, k, h, w});
          }
        }
      }
    }
  }

 private:
  // Keeps a division when it fits and has the lowest score for its number of cores.
  void consider(const std::array<int, 4>& parts) {
    Cut cut;
    cut.parts = parts;
    cut.cores = parts[0] * parts[1] * parts[2] * parts[3];
    const Box box = middle_box(layer_, parts);
    const int64_t samples = (samples_ + parts[0] - 1) / parts[0];
    const Footprint f = footprint(layer_, box, samples);
    const double read = supply_ == Supply::Dram ? double(f.input) : 0;
    const double received = double(f.input) - read;
    const double weights = layer_.weights_from_dram ? double(f.weights) : 0;
    const double unit = chip_.memory_unit.slots * chip_.memory_unit.bytes_per_cycle;
    const double compute =
        double(f.output) * double(operations_per_output(layer_)) / chip_.core.ops_per_cycle;
    cut.core_cycles =
        std::max({compute, (read + weights) / unit, received / chip_.network.link_bytes_per_cycle}) +
        chip_.core.start_up_cycles;
    cut.input_bytes = double(f.input) * cut.cores;
    cut.weight_bytes = weights * cut.cores;
    cut.score = cut.core_cycles + (read * cut.cores + cut.weight_bytes) / dram_rate_ +
                received * cut.cores / mesh_rate_;
    auto& best = best_[cut.cores];
    if (best.score > 0 && best.score <= cut.score)
      return;
    const int64_t budget = chip_.core.scratchpad_bytes / 2;
    if (fit(layer_, box, samples, budget, supply_, cut.fetch))
      best = cut;
  }

  // Returns the cuts by rising number of cores whose score is more than 0.5 % below that of every one listed
  // before.
  std::vector<Cut> front() const {
    std::vector<Cut> out;
    for (const auto& [cores, cut] : best_) {
      if (cut.score > 0 && (out.empty() || cut.score < out.back().score * 0.995))
        out.push_back(cut);
    }
    return out;
  }

  const Layer& layer_;
  const spec::Chip& chip_;
  const int64_t samples_;
  const Supply supply_;
  const int64_t limit_;
  // Rates in bytes per cycle.
  const double dram_rate_;
  const double mesh_rate_;
  std::map<int, Cut> best_;  // by number of cores
};

}  // namespace

Range part_range(int64_t extent, int64_t parts, int64_t i) {
  return {extent * i / parts, extent * (i + 1) / parts};
}

int64_t input_bytes(const Layer& layer, const Box& box) {
  thread_local std::vector<Need> list;
  int64_t bytes = 0;
  for (const Operand& operand : layer.operands) {
    list.clear();
    needs(layer, operand, box, list);
    for (const Need& need : list)
      bytes += need.box[0].size() * need.box[1].size() * need.box[2].size();
  }
  return bytes;
}

double dram_bytes_per_cycle(const spec::Chip& chip) {
  const int ports = chip.interconnect ? chip.interconnect->count(spec::TileKind::Dram) : 2 * chip.height;
  return double(ports) * chip.dram.port_bytes_per_cycle;
}

namespace {

// Returns the number of links that carry messages, plus one, so that their rate, by which bytes are divided,
// is never 0. A chip without an interconnect counts as a mesh.
double message_links(const spec::Chip& chip) {
  if (!chip.interconnect)
    return 2.0 * (chip.width * (chip.height - 1) + chip.height * (chip.width - 1)) + 1;
  const Wiring wiring(*chip.interconnect);
  const auto& networks = wiring.net().networks;
  return 1 + double(std::ranges::count_if(wiring.links(), [&](const Wiring::Link& link) {
           return link.network >= 0 && networks[size_t(link.network)].carries[size_t(spec::Load::Messages)];
         }));
}

}  // namespace

double mesh_bytes_per_cycle(const spec::Chip& chip) {
  // Mean hops of a message between successive layers of a segment, and the share of the links' capacity that
  // is used when the busiest link is full.
  constexpr double kHops = 3, kEvenness = 0.5;
  return message_links(chip) * chip.network.link_bytes_per_cycle * kEvenness / kHops;
}

std::vector<Cut> list_full_cuts(const Layer& layer, const spec::Chip& chip, int64_t samples) {
  std::vector<Cut> out;
  int most = 0;
  Lister(layer, chip, samples, Supply::Dram).each([&](const std::array<int, 4>& parts) {
    Cut cut;
    cut.parts = parts;
    cut.cores = parts[0] * parts[1] * parts[2] * parts[3];
    most = std::max(most, cut.cores);
    out.push_back(cut);
  });
  std::erase_if(out, [most](const Cut& cut) {
    return 2 * cut.cores < most;
  });
  return out;
}

std::vector<Cut> list_cuts(const Layer& layer, const spec::Chip& chip, int64_t samples, Supply supply) {
  return Lister(layer, chip, samples, supply).run();
}

}  // namespace lento::chip
