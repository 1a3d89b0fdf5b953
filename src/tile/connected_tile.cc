// Feeds a recording to a tile, one cycle of the block after another.
#include "tile/connected_tile.h"

#include <algorithm>
#include <utility>

namespace lento::tile {
namespace {

constexpr uint32_t kFifoBytes = 64;  // size of the output FIFO
constexpr size_t kCrossing = 64;     // inputs of other clocks that may wait for a free tile cycle

}  // namespace

// Counts an input that arrives at the tile cycle `cycle`. It is early when that is less than `declared` tile
// cycles after the input before.
void Arrivals::record(uint64_t cycle, uint64_t declared) {
  ++count;
  if (!first)
    first = cycle;
  if (last) {
    const uint64_t gap = cycle - *last;
    least = std::min(least, gap);
    if (gap < declared) {
      ++early;
      if (!first_early)
        first_early = cycle;
    }
  }
  last = cycle;
}

ConnectedTile::ConnectedTile(const Options& options, const Image& image)
    : options_(options),
      image_(image),
      unit_({kFifoBytes, options.queue}) {
  if (!options.wave.empty())
    wave_ = std::make_unique<VcdWriter>(options.wave);
}

void ConnectedTile::load(uint64_t patience) {
  unit_.config_image(image_);
  unit_.resume();
  init_ends_ = run_until(patience, [&] {
    return unit_.status() == Status::ActivePaused;
  });
}

// Runs the tile up to this clock edge and keeps the inputs of the edge for the next tile cycle. For an edge
// of the block's clock it runs the rest of the previous block cycle, else the part of the present block cycle
// before the edge.
void ConnectedTile::feed(const VcdCycle& cycle) {
  TileInputs inputs;
  inputs.valid = cycle.valid;
  std::copy(std::begin(cycle.data), std::end(cycle.data), inputs.data.begin());
  inputs.has_address = cycle.has_address;
  inputs.address = cycle.address;
  for (uint32_t left = cycle.valid & ~image_.input_mask; left != 0; left &= left - 1) {
    SideInputs& side = side_inputs_[size_t(std::countr_zero(left))];
    ++side.came;
    side.missed += (cycle.valid & image_.input_mask) == 0;
  }
  run_cycle_until(cycle.foreign ? uint32_t(cycle.offset * options_.tile_cycles) : options_.tile_cycles);
  if (cycle.foreign) {
    if (crossing_.size() < kCrossing)
      crossing_.push_back(inputs);
    else
      crossing_lost_ += (inputs.valid & image_.input_mask) != 0;
    return;
  }
  edge_ = inputs;
  began_ = true;
  position_ = 0;
}

void ConnectedTile::run_cycle_until(uint32_t position) {
  const bool is_watched = wave_ || options_.rtl;
  while (began_ && position_ < position) {
    const bool rests = !is_watched && !edge_ && crossing_.empty() && unit_.rests();
    const uint32_t cycles = rests ? position - position_ : 1;
    if (rests)
      unit_.rest(cycles);
    else
      step_next();
    position_ += cycles;
    recorded_ += cycles;
  }
}

// Steps the tile with the inputs of the block's edge, with the oldest waiting input of another clock, or
// without input when none waits.
void ConnectedTile::step_next() {
  if (edge_)
    return offer(*std::exchange(edge_, std::nullopt));
  if (crossing_.empty())
    return step(nullptr);
  const TileInputs next = crossing_.front();
  crossing_.pop_front();
  offer(next);
}

void ConnectedTile::finish(uint64_t patience) {
  run_cycle_until(options_.tile_cycles);
  run_until(patience, [&] {
    return unit_.inputs_waiting() == 0 && crossing_.empty();
  });
  unit_.finalize();
  if (options_.rtl)
    options_.rtl->command(HostCommand::Finalize);
  main_ends_ = run_until(patience, [&] {
    return unit_.status() == Status::Paused && unit_.idle();
  });
  while (unit_.output_waiting() > 0)
    output_ += unit_.drain(kFifoBytes);
  if (wave_)
    wave_->commit();
}

double ConnectedTile::mean_main_cycles() const {
  const TileCounters& counters = unit_.counters();
  return counters.started > 0 ? double(counters.active_cycles) / double(counters.started) : 0;
}

uint64_t ConnectedTile::cycle_of(uint64_t bytes) const {
  const auto at = std::ranges::lower_bound(drained_, bytes, {}, &std::pair<uint64_t, uint64_t>::first);
  return at == drained_.end() ? unit_.counters().cycles : at->second;
}

// Steps the tile with these inputs. count_arrival() follows when the image reads one of them.
void ConnectedTile::offer(TileInputs inputs) {
  // When the block's own inputs hold no data, this tile cycle serves the oldest waiting input of another
  // clock.
  if (inputs.valid == 0 && !crossing_.empty()) {
    const TileInputs next = crossing_.front();
    crossing_.pop_front();
    inputs.valid = next.valid;
    inputs.data = next.data;
  }
  const TileCounters& counters = unit_.counters();
  const uint64_t untriggered = counters.dropped[size_t(Drop::Untriggered)];
  const uint64_t running = counters.dropped[size_t(Drop::Running)];
  const uint64_t offered = counters.inputs;
  step(inputs.valid || inputs.has_address ? &inputs : nullptr);
  if (counters.inputs != offered)
    count_arrival(untriggered, running);
}

// Records the arrival of an input and the times without a taken input (longest_hole), unless the trigger
// rejected it. The arguments are the counters of Drop::Untriggered and Drop::Running before that input.
void ConnectedTile::count_arrival(uint64_t untriggered, uint64_t running) {
  const TileCounters& counters = unit_.counters();
  if (counters.dropped[size_t(Drop::Untriggered)] != untriggered)
    return;
  arrivals_.record(counters.cycles, image_.arrival_cycles);
  const bool dropped = counters.dropped[size_t(Drop::Running)] != running;
  if (!dropped) {
    if (in_hole_)
      longest_hole_ = std::max(longest_hole_, counters.cycles - hole_began_);
    hole_began_ = counters.cycles;
  }
  in_hole_ = dropped;
}

// Runs one tile cycle, takes up to kPathBytes bytes of output, and samples the waveform.
void ConnectedTile::step(const TileInputs* inputs) {
  unit_.step(inputs);
  longest_queue_ = std::max(longest_queue_, unit_.inputs_waiting());
  const std::string taken = unit_.drain(kPathBytes);
  if (options_.rtl)
    options_.rtl->record(unit_, inputs, taken.size());
  if (!taken.empty()) {
    output_ += taken;
    if (options_.times)
      drained_.emplace_back(output_.size(), unit_.counters().cycles);
  }
  if (wave_)
    wave_->sample(unit_);
}

}  // namespace lento::tile
