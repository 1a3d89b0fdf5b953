// Expands a mapping to the instructions of every core, segment by segment. Layers of a segment are planned
// per core, their slices are matched to channels, and instructions are listed in tiles. Templates repeat, so
// size does not grow with the batch. Cost: linear in the instructions, of which there are at most 2^27.
#include "chip/map/program.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "base/json.h"
#include "chip/map/file/map_file.h"
#include "chip/map/program_parts.h"

namespace lento::chip {
namespace {

using base::child;
using base::Error;
using base::Location;

constexpr size_t kMaxInstructions = size_t{1} << 27;
constexpr int64_t kMaxSteps = 4096;  // most sub-steps of one pass
constexpr uint32_t kMaxCredits = 64;

// Returns the size of piece i when `whole` is cut into n pieces that add up to it.
uint64_t piece(uint64_t whole, uint64_t i, uint64_t n) {
  return whole * (i + 1) / n - whole * i / n;
}

class Expander {
 public:
  Expander(const Mapping& mapping, const spec::Chip& chip, const std::string& file)
      : mapping_(mapping),
        chip_(chip),
        file_(file),
        grid_(chip) {
  }

  // Expands the mapping into the instructions of each core.
  Program run() {
    check_fits(mapping_, grid_, file_);
    program_.name = mapping_.name;
    program_.batch = mapping_.batch;
    list_layers();
    add_port_routes();
    std::vector<std::vector<Section>> sections(grid_.core_count());
    for (size_t begin = 0; begin < mapping_.layers.size();) {
      size_t end = begin;
      while (end < mapping_.layers.size() && mapping_.layers[end].segment == mapping_.layers[begin].segment)
        ++end;
      expand_segment(begin, end, sections);
      begin = end;
    }
    for (const auto& list : sections) {
      program_.first_section.push_back(uint32_t(program_.sections.size()));
      program_.sections.insert(program_.sections.end(), list.begin(), list.end());
    }
    program_.first_section.push_back(uint32_t(program_.sections.size()));
    return std::move(program_);
  }

 private:
  using Section = Program::Section;

  Location at(size_t layer) const {
    return child(child(Location{file_}, "layers"), layer);
  }

  // Lists the layers, and their indices by id.
  void list_layers() {
    for (size_t i = 0; i < mapping_.layers.size(); ++i) {
      const MappedLayer& layer = mapping_.layers[i];
      index_of_[layer.id] = int(i);
      program_.layers.push_back({layer.id, layer.name, layer.kind, layer.segment, 1, 1, 0});
    }
    samples_per_repeat_.resize(mapping_.layers.size(), 1);
  }

  // Returns the number of the route between two routers, and adds its hops when new. DRAM ports and cores
  // share a router where a port is attached to a core's router.
  template <class Hops>
  uint32_t route_between(int from, int to, Hops hops_between) {
    const auto [found, fresh] = route_of_.try_emplace(uint64_t(from) << 32 | uint32_t(to), 0);
    if (fresh) {
      const std::vector<Grid::Hop> hops = hops_between();
      const auto begin = uint32_t(program_.hops.size());
      program_.hops.insert(program_.hops.end(), hops.begin(), hops.end());
      found->second = uint32_t(program_.routes.size());
      program_.routes.push_back({begin, uint32_t(program_.hops.size())});
    }
    return found->second;
  }

  uint32_t message_route(int from, int to) {
    return route_between(grid_.router_of(from), grid_.router_of(to), [&] {
      return grid_.route(from, to);
    });
  }

  // Adds the routes between each core and its memory port.
  void add_port_routes() {
    for (int core = 0; core < grid_.core_count(); ++core) {
      const int port = grid_.port_of(core);
      const int here = grid_.router_of(core);
      const int there = grid_.port_router(port);
      program_.to_port.push_back(route_between(here, there, [&] {
        return grid_.write_route(core, port);
      }));
      program_.from_port.push_back(route_between(there, here, [&] {
        return grid_.read_route(port, core);
      }));
    }
  }

  // Expands the layers of one segment, which run at the same time.
  void expand_segment(size_t begin, size_t end, std::vector<std::vector<Section>>& sections) {
    int64_t samples = 1;
    for (size_t i = begin; i < end; ++i)
      samples = std::lcm(samples, mapping_.layers[i].samples_per_pass);
    const auto repeats = uint32_t(mapping_.batch / samples);
    plans_.assign(end - begin, {});
    segment_begin_ = begin;
    for (size_t i = begin; i < end; ++i) {
      const auto passes = uint32_t(samples / mapping_.layers[i].samples_per_pass);
      samples_per_repeat_[i] = samples;
      program_.layers[i].repeats = repeats;
      plans_[i - begin] = plan_layer({mapping_, grid_, index_of_, begin, file_}, i, passes);
    }
    find_shared(end - begin);
    for (size_t i = begin; i < end; ++i)
      connect_layer(i);
    for (uint32_t core = 0; core < sections.size(); ++core) {
      const auto first = uint32_t(program_.instructions.size());
      for (size_t i = begin; i < end; ++i)
        emit_layer(i, core);
      const auto last = uint32_t(program_.instructions.size());
      if (last == first)
        continue;
      sections[core].push_back({first, last, repeats});
      set_credits(first, last);
    }
  }

  // Marks the cores that work for several layers of the segment.
  void find_shared(size_t layers) {
    std::vector<int> count(size_t(grid_.core_count()));
    for (size_t i = 0; i < layers; ++i) {
      for (const auto& [core, part] : plans_[i].parts)
        ++count[core];
    }
    shared_.assign(count.size(), false);
    for (size_t core = 0; core < count.size(); ++core)
      shared_[core] = count[core] > 1;
    brought_.clear();
  }

  // Returns whether an earlier layer of the segment has already sent this data of one pass of `source` to a
  // core that works for several layers. If not, the data is recorded as sent.
  bool already_there(uint32_t core, size_t source, uint32_t made, const Slice& data) {
    if (!shared_[core])
      return false;
    std::vector<Slice>& before = brought_[{core, uint32_t(source), made}];
    if (std::ranges::any_of(before, [&](const Slice& slice) {
          return contains(slice, data);
        }))
      return true;
    before.push_back(data);
    return false;
  }

  static bool contains(const Slice& outer, const Slice& inner) {
    for (size_t axis = 0; axis < outer.size(); ++axis) {
      if (inner[axis].start < outer[axis].start || outer[axis].end < inner[axis].end)
        return false;
    }
    return true;
  }

  // Makes the channels into a layer: each input slice against each output slice of its producer, for each
  // pair of passes in one repetition.
  void connect_layer(size_t index) {
    const MappedLayer& layer = mapping_.layers[index];
    for (const InputFeature& input : layer.inputs) {
      if (input.source_layer < 0 || input.from_dram)
        continue;
      const size_t source = index_of_.at(input.source_layer);
      if (source < segment_begin_ || mapping_.layers[source].outputs.empty())
        continue;
      for (uint32_t pass = 0; pass < plans_[index - segment_begin_].passes; ++pass) {
        const auto [first, last] = passes_that_meet(index, input, source, pass);
        for (int64_t made = first; made < last; ++made)
          connect_passes(index, input, source, pass, uint32_t(made));
      }
    }
  }

  // Returns the passes of the producer whose samples this pass may read.
  std::pair<int64_t, int64_t>
  passes_that_meet(size_t index, const InputFeature& input, size_t source, uint32_t pass) const {
    const MappedLayer& producer = mapping_.layers[source];
    const Range needed = samples_of(input.blocks);
    const Range made = samples_of(producer.outputs.front().blocks);
    const int64_t shift = pass * mapping_.layers[index].samples_per_pass;
    const int64_t size = producer.samples_per_pass;
    const int64_t passes = plans_[source - segment_begin_].passes;
    const int64_t first = (needed.start + shift - made.end) / size - 1;
    const int64_t last = (needed.end + shift - made.start) / size + 1;
    return {std::clamp<int64_t>(first, 0, passes), std::clamp<int64_t>(last, 0, passes)};
  }

  // Returns the range of samples that these blocks cover.
  static Range samples_of(const std::vector<Block>& blocks) {
    Range all{INT64_MAX / 4, -INT64_MAX / 4};
    for (const Block& block : blocks)
      all = {std::min(all.start, block.slice[0].start), std::max(all.end, block.slice[0].end)};
    return all;
  }

  // Connects the parts of two passes that share data.
  void connect_passes(size_t index, const InputFeature& input, size_t source, uint32_t pass, uint32_t made) {
    const MappedLayer& producer = mapping_.layers[source];
    const int64_t shift = pass * mapping_.layers[index].samples_per_pass - made * producer.samples_per_pass;
    Slice common;
    for (const Block& need : input.blocks) {
      Slice wanted = need.slice;
      wanted[0].start += shift;
      wanted[0].end += shift;
      for (const Block& have : producer.outputs.front().blocks) {
        if (!intersect(wanted, have.slice, common))
          continue;
        for (const Position to : need.cores) {
          const int from = nearest_holder(have, to);
          if (from != grid_.core(to) && !already_there(uint32_t(grid_.core(to)), source, made, common))
            add_channel(index, source, {from, grid_.core(to)}, volume(common), pass, made);
        }
      }
    }
  }

  // Returns the core with the block's data that is nearest to `to`.
  int nearest_holder(const Block& block, Position to) const {
    int best = grid_.core(block.cores.front());
    if (block.cores.size() == 1)
      return best;
    size_t best_hops = SIZE_MAX;
    for (const Position p : block.cores) {
      const size_t hops = grid_.route(grid_.core(p), grid_.core(to)).size();
      if (hops < best_hops) {
        best = grid_.core(p);
        best_hops = hops;
      }
    }
    return best;
  }

  // Adds a channel for messages between two cores, with its send and receive.
  void add_channel(
      size_t index,
      size_t source,
      std::pair<int, int> ends,
      uint64_t bytes,
      uint32_t pass,
      uint32_t made) {
    const auto channel = uint32_t(program_.channels.size());
    if (channel >= kMaxInstructions)
      too_large();
    const auto [from, to] = ends;
    program_.channels.push_back({uint32_t(from), uint32_t(to), 0, message_route(from, to), 2});
    channel_bytes_.push_back(bytes);
    channel_layer_.push_back(uint32_t(index));
    plans_[index - segment_begin_].parts.at(to).receives[pass].push_back(channel);
    plans_[source - segment_begin_].parts.at(from).sends[made].push_back(channel);
  }

  [[noreturn]] void too_large() const {
    throw Error(
        Location{file_},
        "the mapping expands to more than 2^27 instructions",
        "use larger parts (output_partition) or fewer sub-steps (input_fetch)");
  }

  void emit(Instruction instruction) {
    if (program_.instructions.size() >= kMaxInstructions)
      too_large();
    instruction.first = opens_tile_;
    opens_tile_ = false;
    program_.instructions.push_back(instruction);
  }

  // Adds a wait until a layer has written the samples that are read.
  uint32_t add_wait(size_t reader, const PartPlan::Read& read, int64_t end_sample) {
    if (read.source < 0)
      return Program::kNoWait;
    program_.waits.push_back(
        {uint32_t(read.source),
         uint32_t(end_sample),
         uint32_t(samples_per_repeat_[reader]),
         uint32_t(samples_per_repeat_[read.source])});
    return uint32_t(program_.waits.size() - 1);
  }

  // Emits the instructions of all passes in one repetition of one layer on one core.
  void emit_layer(size_t index, uint32_t core) {
    const MappedLayer& layer = mapping_.layers[index];
    LayerPlan& plan = plans_[index - segment_begin_];
    const auto found = plan.parts.find(core);
    if (found == plan.parts.end())
      return;
    const PartPlan& part = found->second;
    const auto& f = layer.fetch;
    int64_t steps = 1;
    for (const int n : f) {
      steps *= n;
      if (steps > kMaxSteps) {
        throw Error(child(at(index), "input_fetch"), "more than " + std::to_string(kMaxSteps) + " sub-steps");
      }
    }
    program_.layers[index].steps = uint32_t(steps * plan.passes);
    const auto id = uint32_t(index);
    for (uint32_t pass = 0; pass < plan.passes; ++pass) {
      for (uint32_t s = 0; s < steps; ++s) {
        const auto step = uint16_t(pass * steps + s);
        opens_tile_ = true;
        const Step here{pass, s, step};
        // Weights depend on no other layer. A core that alternates between layers reads them first.
        if (shared_[core]) {
          emit_reads(index, part, here, ReadKind::Weights);
          emit_receives(part, here, id);
          emit_reads(index, part, here, ReadKind::Inputs);
        } else {
          emit_receives(part, here, id);
          emit_reads(index, part, here, ReadKind::All);
        }
        emit({piece(part.operations, s, steps), id, 0, step, Action::Compute, false});
        const uint64_t written = part.writes ? piece(part.output_bytes, s, steps) : 0;
        if (written > 0) {
          emit({written, id, 0, step, Action::Write, false});
          ++program_.layers[index].writes;
        }
      }
      for (const uint32_t channel : part.sends[pass]) {
        emit(
            {channel_bytes_[channel],
             channel_layer_[channel],
             channel,
             uint16_t(pass * steps),
             Action::Send,
             false});
      }
    }
  }

  struct Step {
    uint32_t pass = 0;
    uint32_t sub_step = 0;
    uint16_t recorded = 0;  // Instruction::step
  };
  enum class ReadKind : uint8_t {
    All,
    Weights,
    Inputs
  };

  // Emits the receives of a pass, all in its first sub-step.
  void emit_receives(const PartPlan& part, const Step& at, uint32_t layer) {
    if (at.sub_step != 0)
      return;
    for (const uint32_t channel : part.receives[at.pass]) {
      program_.channels[channel].receive = uint32_t(program_.instructions.size());
      emit({channel_bytes_[channel], layer, channel, at.recorded, Action::Receive, false});
    }
  }

  // Emits the reads of a sub-step s = (b, k, h, w). Inputs are read with the first k that needs them,
  // weights with the first (b, h, w).
  void emit_reads(size_t index, const PartPlan& part, const Step& at, ReadKind kind) {
    const uint32_t s = at.sub_step;
    const auto& f = mapping_.layers[index].fetch;
    const uint32_t hw = uint32_t(f[2]) * f[3];
    const uint32_t b = s / (f[1] * hw);
    const uint32_t k = s / hw % f[1];
    const uint32_t area = s % hw;
    for (const PartPlan::Read& read : part.reads) {
      if (kind == (read.weights ? ReadKind::Inputs : ReadKind::Weights))
        continue;
      uint64_t bytes = 0;
      if (read.weights && b == 0 && area == 0)
        bytes = piece(read.bytes, k, f[1]);
      if (!read.weights && k == 0)
        bytes = piece(read.bytes, uint64_t{b} * hw + area, uint64_t(f[0]) * hw);
      if (bytes == 0)
        continue;
      const int64_t end_sample = at.pass * mapping_.layers[index].samples_per_pass + read.end_sample;
      emit({bytes, uint32_t(index), add_wait(index, read, end_sample), at.recorded, Action::Read, false});
    }
  }

  // Sets the credits of the channels that instructions `first` to `last` of one core receive. A receiver
  // accepts the messages of as many repetitions in advance as its scratchpad holds, at least two (double
  // buffering) and at most kMaxCredits.
  void set_credits(uint32_t first, uint32_t last) {
    uint64_t bytes = 0;
    for (uint32_t i = first; i < last; ++i) {
      if (program_.instructions[i].action == Action::Receive)
        bytes += program_.instructions[i].amount;
    }
    if (bytes == 0)
      return;
    const uint64_t fit = uint64_t(chip_.core.scratchpad_bytes) / bytes;
    const auto credits = uint32_t(std::clamp<uint64_t>(fit, 2, kMaxCredits));
    for (uint32_t i = first; i < last; ++i) {
      const Instruction& instruction = program_.instructions[i];
      if (instruction.action == Action::Receive)
        program_.channels[instruction.target].credits = credits;
    }
  }

  const Mapping& mapping_;
  const spec::Chip& chip_;
  const std::string& file_;
  const Grid grid_;
  Program program_;
  std::unordered_map<int, int> index_of_;  // layer id -> index
  std::vector<int64_t> samples_per_repeat_;
  std::unordered_map<uint64_t, uint32_t> route_of_;
  std::vector<uint64_t> channel_bytes_;
  std::vector<uint32_t> channel_layer_;
  size_t segment_begin_ = 0;
  std::vector<LayerPlan> plans_;  // of the current segment
  std::vector<bool> shared_;      // by core
  // Slices already sent, by core, layer and pass.
  std::map<std::array<uint32_t, 3>, std::vector<Slice>> brought_;
  bool opens_tile_ = false;
};

}  // namespace

// Returns totals of bytes and operations over all cores.
Program::Totals Program::totals() const {
  Totals sum;
  for (const Section& section : sections) {
    for (uint32_t i = section.begin; i < section.end; ++i) {
      const uint64_t amount = instructions[i].amount * section.repeats;
      switch (instructions[i].action) {
        case Action::Read:
          sum.reads += section.repeats;
          sum.dram_bytes += amount;
          break;
        case Action::Write:
          sum.writes += section.repeats;
          sum.dram_bytes += amount;
          break;
        case Action::Receive:
          sum.receives += section.repeats;
          break;
        case Action::Send:
          sum.sends += section.repeats;
          sum.message_bytes += amount;
          break;
        case Action::Compute:
          sum.computes += section.repeats;
          sum.operations += amount;
          break;
      }
    }
  }
  return sum;
}

Program expand(const Mapping& mapping, const spec::Chip& chip, const std::string& file) {
  return Expander(mapping, chip, file).run();
}

}  // namespace lento::chip
