// Unrolls a mapping by the rules of the released example (released.h), so that instruction counts and times
// can be compared with its published numbers. Every sub-step of every pass becomes reads, receives, a
// compute, writes and sends. Dependencies are linked afterwards.
#include "chip/map/file/released.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"
#include "chip/map/file/map_file.h"
#include "chip/map/file/released_cuts.h"
#include "chip/map/grid.h"

namespace lento::chip {
namespace {

using base::Error;
using base::Location;
using InstructionKind = ReleasedProgram::Kind;

constexpr size_t kMaxReleasedInstructions = size_t{1} << 26;

constexpr int64_t kMostSteps = 4096;  // most sub-steps of one pass

Slice at_pass(Slice slice, int64_t samples, int64_t pass) {
  slice[0].start += samples * pass;
  slice[0].end += samples * pass;
  return slice;
}

uint64_t safe_volume(const Slice& slice) {
  for (const Range& range : slice) {
    if (range.size() <= 0)
      return 0;
  }
  return uint64_t(volume(slice));
}

class Released {
 public:
  Released(const Mapping& mapping, const spec::Chip& chip, const std::string& file)
      : mapping_(mapping),
        chip_(chip),
        file_(file),
        grid_(chip) {
  }

  // Expands the mapping into instructions as the released SLOTH example does.
  ReleasedProgram run() {
    check_fits(mapping_, grid_, file_);
    program_.name = mapping_.name;
    program_.cores.resize(grid_.core_count());
    for (size_t i = 0; i < mapping_.layers.size(); ++i) {
      index_of_[mapping_.layers[i].id] = i;
      program_.layer_ids.push_back(mapping_.layers[i].id);
      check_steps(i);
      fetch_.push_back(fitted_fetch(mapping_.layers[i], chip_, file_));
    }
    for (size_t i = 0; i < mapping_.layers.size(); ++i) {
      for (int64_t pass = 0; pass < passes(i); ++pass) {
        for (int64_t step = 0; step < steps_of(fetch_[i]); ++step)
          emit({i, pass, step});
      }
    }
    link_instructions();
    return std::move(program_);
  }

 private:
  struct Step {
    size_t layer;
    int64_t pass;
    int64_t step;
  };
  // Identifies one part of one step: layer, pass, step, block and core.
  using PartKey = std::tuple<size_t, int64_t, int64_t, size_t, uint32_t>;

  // Throws base::Error when a layer has more than kMostSteps sub-steps a pass.
  void check_steps(size_t index) const {
    double steps = 1;
    for (const int f : mapping_.layers[index].fetch)
      steps *= f;
    if (steps > kMostSteps)
      throw Error(
          {file_, 0, 0, "layers[" + std::to_string(index) + "].input_fetch"},
          "more than " + std::to_string(kMostSteps) + " sub-steps");
  }

  int64_t passes(size_t layer) const {
    return mapping_.batch / mapping_.layers[layer].samples_per_pass;
  }

  // Adds an instruction to a core. Returns its index there. Throws base::Error above kMaxReleasedInstructions
  // over all cores.
  uint32_t add(uint32_t core, InstructionKind kind, size_t layer, uint64_t amount) {
    auto& list = program_.cores[core];
    if (++total_ > kMaxReleasedInstructions)
      throw Error(Location{file_}, "the released expansion needs more than 2^26 instructions");
    ReleasedProgram::Instruction instruction;
    instruction.amount = amount;
    instruction.layer = uint32_t(layer);
    instruction.kind = kind;
    instruction.layer_kind = mapping_.layers[layer].kind;
    list.push_back(instruction);
    return uint32_t(list.size() - 1);
  }

  // Adds the instructions of one step of a layer: inputs, weights, computation, outputs.
  void emit(const Step& s) {
    const MappedLayer& layer = mapping_.layers[s.layer];
    for (const InputFeature& input : layer.inputs)
      emit_input(s, input);
    for (const WeightFeature& feature : layer.weights) {
      for (const Block& block : feature.blocks) {
        for (const Position p : block.cores) {
          weights_[grid_.core(p)] = &block.slice;
          add(grid_.core(p),
              InstructionKind::Read,
              s.layer,
              volume(cut_weights(block.slice, fetch_[s.layer], s.step)));
        }
      }
    }
    for (const OutputFeature& output : layer.outputs)
      emit_computes(s, output);
    for (const OutputFeature& output : layer.outputs) {
      if (output.to_dram)
        emit_writes(s, output);
      emit_sends(s, output);
    }
  }

  // Returns the part of an output block that one step produces.
  Slice output_part(const Step& s, const Block& block) const {
    return cut(
        at_pass(block.slice, mapping_.layers[s.layer].samples_per_pass, s.pass),
        fetch_[s.layer],
        s.step,
        true);
  }
  // Returns the part of an input block that one step needs.
  Slice input_part(const Step& s, const Block& block) const {
    return cut(
        at_pass(block.slice, mapping_.layers[s.layer].samples_per_pass, s.pass),
        fetch_[s.layer],
        s.step,
        false);
  }

  // Adds the reads or receives of one input.
  void emit_input(const Step& s, const InputFeature& input) {
    for (size_t b = 0; b < input.blocks.size(); ++b) {
      const Slice wanted = input_part(s, input.blocks[b]);
      for (const Position p : input.blocks[b].cores) {
        const uint32_t core = grid_.core(p);
        if (input.source_layer < 0) {
          add(core, InstructionKind::Read, s.layer, safe_volume(wanted));
          continue;
        }
        const size_t source = index_of_.at(input.source_layer);
        const bool same = mapping_.layers[source].segment == mapping_.layers[s.layer].segment;
        for_each_part(source, wanted, [&](const PartKey& key, uint64_t bytes) {
          if (!same) {
            emit_read(s, core, key, bytes);
          } else if (std::get<4>(key) != core) {
            emit_receive(s, core, b, key, bytes);
          }
        });
      }
    }
  }

  // Visits every part of a layer's output that overlaps `wanted`, in program order.
  template <class Visit>
  void for_each_part(size_t source, const Slice& wanted, Visit visit) const {
    const MappedLayer& layer = mapping_.layers[source];
    if (layer.outputs.empty())
      return;
    Slice common;
    for (int64_t pass = 0; pass < passes(source); ++pass) {
      if ((pass + 1) * layer.samples_per_pass <= wanted[0].start ||
          pass * layer.samples_per_pass >= wanted[0].end)
        continue;
      for (int64_t step = 0; step < steps_of(fetch_[source]); ++step) {
        const auto& blocks = layer.outputs[0].blocks;
        for (size_t b = 0; b < blocks.size(); ++b) {
          if (!intersect(wanted, output_part({source, pass, step}, blocks[b]), common))
            continue;
          for (const Position p : blocks[b].cores) {
            visit({source, pass, step, b, uint32_t(grid_.core(p))}, uint64_t(volume(common)));
          }
        }
      }
    }
  }

  // Adds a read from memory that waits for the matching write. Throws base::Error when no layer writes the
  // data.
  void emit_read(const Step& s, uint32_t core, const PartKey& key, uint64_t bytes) {
    const auto found = writes_.find(key);
    if (found == writes_.end()) {
      throw Error(
          Location{file_},
          "layer " + std::to_string(mapping_.layers[s.layer].id) + " reads from DRAM what layer " +
              std::to_string(mapping_.layers[std::get<0>(key)].id) + " never wrote");
    }
    const uint32_t read = add(core, InstructionKind::Read, s.layer, bytes);
    program_.cores[core][read].needs = 1;
    wanted_.push_back({found->second, {core, read}});
  }

  // Adds the receive of a message. Throws base::Error when no core sends the data.
  void emit_receive(const Step& s, uint32_t core, size_t block, const PartKey& key, uint64_t bytes) {
    const auto found = sends_.find({key, {s.layer, s.pass, s.step, block, core}});
    if (found == sends_.end()) {
      throw Error(
          Location{file_},
          "layer " + std::to_string(mapping_.layers[s.layer].id) + " receives from layer " +
              std::to_string(mapping_.layers[std::get<0>(key)].id) + ", which does not name it in 'next'");
    }
    const uint32_t receive = add(core, InstructionKind::Receive, s.layer, bytes);
    const uint32_t from = std::get<4>(key);
    program_.cores[from][found->second].partner = receive;
    program_.cores[core][receive].partner_core = from;
  }

  // Adds the computations of one step on each core.
  void emit_computes(const Step& s, const OutputFeature& output) {
    for (const Block& block : output.blocks) {
      for (const Position p : block.cores) {
        const uint64_t outputs = safe_volume(output_part(s, block));
        add(grid_.core(p),
            InstructionKind::Compute,
            s.layer,
            outputs * operations(mapping_.layers[s.layer], grid_.core(p)));
      }
    }
  }

  // Returns the operations for one output element of a layer on one core, as the released tool counts them
  // except for FullyConnected.
  uint64_t operations(const MappedLayer& layer, uint32_t core) const {
    const auto found = weights_.find(core);
    const uint64_t reduced =
        found == weights_.end() ? 1 : (*found->second)[2].size() * (*found->second)[3].size();
    switch (layer.kind) {
      case LayerKind::Conv:
      case LayerKind::FullyConnected:  // those of the product; the release counts more
        return reduced;
      case LayerKind::GroupConv:
        return std::max<uint64_t>(1, reduced / layer.group_count);
      case LayerKind::Pool:
        return 4;
      case LayerKind::PointToPoint:
        return 7;
      case LayerKind::Elementwise:
      case LayerKind::Transpose:
        return 1;
    }
    return 1;
  }

  // Adds the writes of an output to memory.
  void emit_writes(const Step& s, const OutputFeature& output) {
    for (size_t b = 0; b < output.blocks.size(); ++b) {
      for (const Position p : output.blocks[b].cores) {
        const uint32_t core = grid_.core(p);
        const uint32_t write =
            add(core, InstructionKind::Write, s.layer, safe_volume(output_part(s, output.blocks[b])));
        writes_[{s.layer, s.pass, s.step, b, core}] = {core, write};
      }
    }
  }

  // Adds the sends of an output to all following layers.
  void emit_sends(const Step& s, const OutputFeature& output) {
    for (size_t b = 0; b < output.blocks.size(); ++b) {
      const Slice made = output_part(s, output.blocks[b]);
      for (const Position p : output.blocks[b].cores) {
        for (const int next : output.next) {
          const auto found = index_of_.find(next);
          if (found == index_of_.end())
            continue;
          if (mapping_.layers[found->second].segment == mapping_.layers[s.layer].segment) {
            emit_sends_to({s.layer, s.pass, s.step, b, uint32_t(grid_.core(p))}, made, found->second);
          }
        }
      }
    }
  }

  // Adds the sends to one following layer, for the parts that its cores need.
  void emit_sends_to(const PartKey& key, const Slice& made, size_t next) {
    const MappedLayer& layer = mapping_.layers[next];
    const uint32_t core = std::get<4>(key);
    Slice common;
    for (int64_t pass = 0; pass < passes(next); ++pass) {
      if ((pass + 1) * layer.samples_per_pass <= made[0].start ||
          pass * layer.samples_per_pass >= made[0].end)
        continue;
      for (int64_t step = 0; step < steps_of(fetch_[next]); ++step) {
        for (const InputFeature& input : layer.inputs) {
          if (input.source_layer != mapping_.layers[std::get<0>(key)].id)
            continue;
          for (size_t b = 0; b < input.blocks.size(); ++b) {
            if (!intersect(made, input_part({next, pass, step}, input.blocks[b]), common))
              continue;
            for (const Position p : input.blocks[b].cores) {
              const uint32_t to = grid_.core(p);
              if (to == core)
                continue;
              const uint32_t send = add(core, InstructionKind::Send, next, volume(common));
              program_.cores[core][send].partner_core = to;
              sends_[{key, {next, pass, step, b, to}}] = send;
            }
          }
        }
      }
    }
  }

  // Links dependencies. Within a core, a compute waits for all reads and receives since the last compute,
  // write or send, and a write or send waits for the compute before it. Across cores, a read waits for the
  // write of its part.
  void link_instructions() {
    std::vector<std::vector<std::vector<ReleasedProgram::Target>>> targets(program_.cores.size());
    for (uint32_t core = 0; core < program_.cores.size(); ++core) {
      auto& list = program_.cores[core];
      targets[core].resize(list.size());
      // Reads and receives from instruction `open` on belong to the next compute instruction.
      uint32_t open = 0;
      uint32_t compute = UINT32_MAX;
      for (uint32_t i = 0; i < list.size(); ++i) {
        const InstructionKind kind = list[i].kind;
        if (kind == InstructionKind::Compute) {
          for (uint32_t j = open; j < i; ++j) {
            if (list[j].kind != InstructionKind::Read && list[j].kind != InstructionKind::Receive)
              continue;
            targets[core][j].push_back({core, i});
            ++list[i].needs;
          }
          open = i + 1;
          compute = i;
        } else if (
            (kind == InstructionKind::Write || kind == InstructionKind::Send) && compute != UINT32_MAX) {
          targets[core][compute].push_back({core, i});
          ++list[i].needs;
          open = i + 1;
        }
      }
    }
    for (const auto& [write, read] : wanted_)
      targets[write.core][write.instruction].push_back(read);
    for (uint32_t core = 0; core < program_.cores.size(); ++core) {
      for (uint32_t i = 0; i < program_.cores[core].size(); ++i) {
        program_.cores[core][i].triggers_begin = uint32_t(program_.triggers.size());
        program_.triggers.insert(program_.triggers.end(), targets[core][i].begin(), targets[core][i].end());
        program_.cores[core][i].triggers_end = uint32_t(program_.triggers.size());
      }
    }
  }

  const Mapping& mapping_;
  const spec::Chip& chip_;
  const std::string& file_;
  const Grid grid_;
  ReleasedProgram program_;
  std::map<int, size_t> index_of_;
  std::vector<std::array<int, 4>> fetch_;
  std::map<uint32_t, const Slice*> weights_;  // weights last read by each core
  std::map<PartKey, ReleasedProgram::Target> writes_;
  std::map<std::pair<PartKey, PartKey>, uint32_t> sends_;
  // Pairs of write and the read that waits for it.
  std::vector<std::pair<ReleasedProgram::Target, ReleasedProgram::Target>> wanted_;
  size_t total_ = 0;
};

}  // namespace

uint64_t ReleasedProgram::count(InstructionKind kind) const {
  uint64_t n = 0;
  for (const auto& core : cores) {
    n += std::ranges::count_if(core, [&](const Instruction& i) {
      return i.kind == kind;
    });
  }
  return n;
}

uint64_t ReleasedProgram::count(LayerKind kind) const {
  uint64_t n = 0;
  for (const auto& core : cores) {
    n += std::ranges::count_if(core, [&](const Instruction& i) {
      return i.kind == InstructionKind::Compute && i.layer_kind == kind;
    });
  }
  return n;
}

ReleasedProgram expand_released(const Mapping& mapping, const spec::Chip& chip, const std::string& file) {
  return Released(mapping, chip, file).run();
}

}  // namespace lento::chip
