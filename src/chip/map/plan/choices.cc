// Lists ways to cut one layer over all cores, and computes the cost of each in cycles: a closed form of
// computing, reading weights, passing weights between the cores that share them, and the traffic over the
// middle lines of blocks of cores (BlockOrder). A few sampled parts represent all, because parts are alike
// except at borders.
#include "chip/map/plan/choices.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "chip/map/plan/placements.h"
#include "chip/map/plan/tuning.h"

namespace lento::chip {
namespace {

// Finds the batch range and the box of part number `index`, counted as a mapping lists the parts.
void locate(const Layer& layer, int64_t samples, const Cut& cut, size_t index, Range& batch, Box& box) {
  const auto& n = cut.parts;
  const auto& e = layer.layout.extents;
  auto rest = int64_t(index);
  for (size_t axis = 3; axis >= 1; --axis) {
    box[axis - 1] = part_range(e[axis - 1], n[axis], rest % n[axis]);
    rest /= n[axis];
  }
  batch = part_range(samples, n[0], rest);
}

}  // namespace

Choices::Choices(const spec::Chip& chip, const BlockOrder& order, const Grouping& grouping, int64_t samples)
    : chip_(chip),
      order_(order),
      grouping_(grouping),
      samples_(samples),
      cores_(size_t(chip.core_count())),
      dram_rate_(dram_bytes_per_cycle(chip)),
      mesh_rate_(mesh_bytes_per_cycle(chip)) {
}

std::optional<Choice> Choices::choice(const Layer& layer, const Cut& cut) const {
  Choice c = describe(layer, cut);
  c.sharers = sharers_of(layer, cut);
  while (!choose_steps(layer, c)) {
    if (c.sharers == 1)
      return std::nullopt;
    c.sharers /= 2;
    c.runs = 1;
  }
  c.hand_on = hand_on_cycles(c);
  return c;
}

int Choices::sharers_of(const Layer& layer, const Cut& cut) const {
  const int same = cut.cores / cut.parts[1];
  return has_matrix(layer) && same % grouping_.sharers == 0 ? grouping_.sharers : 1;
}

std::vector<Cut> Choices::cuts(const Layer& layer) const {
  if (layer.ranks > 1)
    return rank_cuts(layer);
  std::vector<Cut> all = list_full_cuts(layer, chip_, samples_);
  if (grouping_.cores > 0) {
    const int most = std::ranges::max(all, {}, &Cut::cores).cores;
    std::erase_if(all, [most](const Cut& cut) {
      return cut.cores < most;
    });
    const bool own = std::ranges::any_of(all, [&](const Cut& cut) {
      return cut.parts[0] % own_samples() == 0;
    });
    std::erase_if(all, [&](const Cut& cut) {
      return own && cut.parts[0] % own_samples() != 0;
    });
  }
  if (grouping_.cores == 0 || !has_matrix(layer))
    return all;
  std::vector<Cut> out;
  std::ranges::copy_if(all, std::back_inserter(out), [&](const Cut& cut) {
    return cut.parts[1] == grouping_.cores;
  });
  return out.empty() ? all : out;
}

int64_t Choices::own_samples() const {
  if (grouping_.cores == 0)
    return 1;
  int64_t parts = std::clamp<int64_t>(int64_t(cores_) / grouping_.cores, 1, samples_);
  while (samples_ % parts != 0)
    --parts;
  return parts;
}

// Lists the cuts of a layer of a product that is shared by ranks (Layer::rank): over one core of every group,
// along rows and columns, and along samples when there are enough of them, but not along channels.
std::vector<Cut> Choices::rank_cuts(const Layer& layer) const {
  std::vector<Cut> out;
  const auto groups = int64_t(cores_) / layer.ranks;
  const auto& e = layer.layout.extents;
  const int64_t b = std::gcd(groups, own_samples());
  for (int64_t h = 1; h <= std::min(groups / b, e[1]); ++h) {
    const int64_t w = groups / (b * h);
    if (b * h * w == groups && w <= e[2])
      out.push_back({{int(b), 1, int(h), int(w)}, {1, 1, 1, 1}, int(groups)});
  }
  return out;
}

// Returns the position in the order of cores that takes the place of `position`: the bits of its number
// within its group of cores are reversed. Consecutive parts are then mirror images across the middle of the
// group, and the next ones across the middles of its halves, so that the exchange between two images is one
// slice (stages.h).
uint32_t Choices::in_block(uint32_t position) const {
  const auto group = uint32_t(grouping_.cores);
  if (!images() || !std::has_single_bit(group))
    return position;
  uint32_t turned = 0;
  for (uint32_t bit = 1; bit < group; bit <<= 1)
    turned = turned << 1 | (position & bit ? 1u : 0u);
  return (position & ~(group - 1)) | turned;
}

// Lists placements of the parts on cores. Layers without weights use their inputs where they are, and
// placements differ in how much of the input is already on the right core.
std::vector<std::vector<uint32_t>> Choices::placements(const Layer& layer, const Cut& cut) const {
  std::vector<std::vector<uint32_t>> out(1, std::vector<uint32_t>(size_t(cut.cores)));
  if (grouping_.cores == 0) {
    std::iota(out[0].begin(), out[0].end(), 0u);
  } else {
    const int64_t samples = own_samples();
    const int64_t blocks = std::max<int64_t>(1, int64_t(cores_) / grouping_.cores);
    out = list_placements(cut, {samples, std::max<int64_t>(1, blocks / samples)});
    if (has_matrix(layer) || layer.ranks > 1)
      out.resize(1);
  }
  for (auto& positions : out) {
    for (uint32_t& position : positions)
      position = in_block(uint32_t(core_in_sequence(position, cut.cores, cores_)) + uint32_t(layer.rank));
  }
  return out;
}

// Returns the cycles to move, across the middle lines of blocks of one size, the bytes that each core
// receives over them.
double Choices::middle_cycles(const Loads& loads, size_t m, int cores) const {
  const BlockOrder::Middle& middle = order_.middles()[m];
  const double rate = kMiddleShare * chip_.network.link_bytes_per_cycle * middle.links;
  return loads[m] * middle.cores * double(cores) / double(cores_) / rate;
}

double Choices::exchange_cycles(const Loads& loads, int cores) const {
  if (grouping_.cores == 0)
    return std::reduce(loads.begin(), loads.end()) * cores / mesh_rate_;
  double most = 0;
  for (size_t m = 0; m < order_.middles().size(); ++m)
    most = std::max(most, middle_cycles(loads, m, cores));
  return most;
}

double Choices::staged_cycles(const Loads& loads, int cores) const {
  double cycles = 0;
  for (size_t m = 0; m < order_.middles().size(); ++m)
    cycles += middle_cycles(loads, m, cores);
  return cycles;
}

bool Choices::images() const {
  return grouping_.cores > 0 && std::has_single_bit(cores_);
}

bool Choices::in_stages(const Layer& layer) const {
  return images() && has_matrix(layer) && layer.ranks == 1;
}

double Choices::computed(const Choice& c, double stream) const {
  // Reading, passing on and computing alternate in one instruction window, so their times combine as a root
  // of squares.
  if (c.sharers > 1)
    return std::sqrt(c.compute * c.compute + stream * stream + c.hand_on * c.hand_on);
  if (grouping_.cores == 0)
    return std::max(c.compute, stream);
  // Computing and streaming overlap almost fully. The fourth power models that each sometimes waits for the
  // other.
  return std::pow(std::pow(c.compute, 4) + std::pow(stream, 4), 0.25);
}

// Returns the cycles in which the cores that share weights (Choice::sharers) pass them on to each other. In
// the order of cores, the next core with the same channels is as many positions away as there are parts along
// the channels.
double Choices::hand_on_cycles(const Choice& c) const {
  if (c.sharers == 1)
    return 0;
  Loads loads{};
  const auto apart = size_t(c.cut.parts[1]);
  const size_t ranks = size_t(c.cut.cores) / apart;
  for (size_t rank = 0; rank < ranks; ++rank) {
    const size_t first = rank / size_t(c.sharers) * size_t(c.sharers);
    for (size_t other = first; other < first + size_t(c.sharers); ++other) {
      if (other == rank)
        continue;
      const size_t here = core_in_sequence(int64_t(rank * apart), c.cut.cores, cores_);
      const size_t there = core_in_sequence(int64_t(other * apart), c.cut.cores, cores_);
      loads[order_.middle_between(here, there)] += c.weights / c.sharers / double(ranks);
    }
  }
  return staged_cycles(loads, c.cut.cores * c.ranks);  // distant transfers meet the traffic on their way
}

// Computes the costs of one way to cut a layer.
Choice Choices::describe(const Layer& layer, const Cut& cut) const {
  const auto largest = [](int64_t extent, int n) {
    return double((extent + n - 1) / n);
  };
  const auto& e = layer.layout.extents;
  Choice c;
  c.cut = cut;
  c.ranks = layer.ranks;
  c.output = largest(samples_, cut.parts[0]);
  for (size_t axis = 0; axis < 3; ++axis)
    c.output *= largest(e[axis], cut.parts[axis + 1]);
  c.compute = c.output * double(operations_per_output(layer)) / chip_.core.ops_per_cycle;
  if (layer.depth > 0 && layer.weights_from_dram)
    c.weights = double(weight_elements(layer, int64_t(largest(e[0], cut.parts[1]))));
  return c;
}

// Chooses runs and sub-steps of a part. Weights arrive in sub-steps over the channels, so that computing
// starts early. Returns false when the part exceeds the scratchpad or its weights arrive too late.
bool Choices::choose_steps(const Layer& layer, Choice& c) const {
  const int64_t channels = layer.layout.extents[0] / c.cut.parts[1];
  if (c.sharers > 1) {
    const auto wanted = int64_t(std::ceil(c.weights / double(layer.ranks > 1 ? kRankRunBytes : kRunBytes)));
    c.runs = int(std::clamp<int64_t>(wanted, 1, std::min(channels, kMostRuns)));
  }
  if (c.sharers == 1) {
    const auto wanted = int64_t(std::ceil(c.weights / double(kStreamStepBytes) / c.runs));
    const int64_t most = std::min((channels + c.runs - 1) / c.runs, (kStreamSteps + c.runs - 1) / c.runs);
    c.cut.fetch = {1, int(std::clamp<int64_t>(wanted, 1, most)), 1, 1};
  }
  return c.output + streamed(c) <= double(chip_.core.scratchpad_bytes) && reads_in_time(c);
}

// Returns whether the cores that share weights read them in at most half of the time in which they compute,
// so that the weights of the next run of channels arrive in time.
bool Choices::reads_in_time(const Choice& c) const {
  const double rate =
      chip_.memory_unit.bytes_per_cycle * std::min<double>(chip_.memory_unit.slots, kReadsARun);
  return c.sharers == 1 || 2 * c.weights / c.sharers <= c.compute * rate;
}

void Choices::sample(const Layer& layer, Choice& c) const {
  const auto cores = size_t(c.cut.cores);
  const size_t count = std::min(cores, kSampledParts);
  for (size_t k = 0; k < count; ++k) {
    SampledPart part;
    // Offset so that the samples are not all in one column.
    const size_t index = k * cores / count + k % (cores / count);
    part.core = c.cores[index];
    locate(layer, samples_, c.cut, index, part.batch, part.box);
    for (const Operand& operand : layer.operands)
      needs(layer, operand, part.box, part.needs);
    c.parts.push_back(std::move(part));
  }
}

double Choices::stream_cycles(const Choice& c, double most, double all) const {
  const double unit = chip_.memory_unit.slots * chip_.memory_unit.bytes_per_cycle;
  const double weights = c.weights / c.sharers;
  const double shared = (weights * c.cut.cores * c.ranks + all) / dram_rate_;
  return std::max(shared, (weights + most) / unit);
}

}  // namespace lento::chip
