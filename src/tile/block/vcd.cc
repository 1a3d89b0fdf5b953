// Samples a design's signals at the edges of clocks in a recording. Only the current values of mapped signals
// are kept, so memory does not grow with the recording, and a time step costs as much as it has changes of
// them.
#include "tile/block/vcd.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "tile/block/fst.h"
#include "tile/block/watched_signals.h"

namespace lento::tile {
namespace {

constexpr size_t kMaxHeld = 1 << 16;  // edges of other clocks that are kept within one cycle of the block

// The run of a map over a recording.
class Reader : public VcdEvents {
 public:
  using Use = std::function<bool(const VcdCycle&)>;

  Reader(base::InputStream& in, const std::string& name, const SignalMap& map, base::ReadReport& report)
      : text_(in, name, report),
        map_(map),
        signals_(name) {
  }

  // Reads the recording and calls `use` with the sampled inputs at each edge that the map selects of the
  // block's clock, until `use` returns false. Calls it also at the edges of the clocks that single inputs
  // have of their own, when such an input is valid there (deliver).
  VcdReading run(const Use& use) {
    use_ = &use;
    signals_.declare(text_);
    bind();
    text_.read_changes(*this);
    if (result_.whole && seen_time_)
      end_step();
    flush_held(period_);
    result_.unsampled = signals_.domains().foreign();
    return result_;
  }

  // Ends the time step before this time and begins the next one.
  void time(uint64_t now) override {
    if (seen_time_)
      end_step();
    seen_time_ = true;
    time_ = now;
  }

  void change(size_t variable, std::string_view digits) override {
    signals_.change(variable, digits);
  }

  // What happens before the first sample of the block's clock or after the last is no loss.
  void recording(bool is_on) override {
    is_off_ = !is_on;
    if (!samplers_[0].ticked)
      return;
    if (is_on) {
      off_.emplace_back(off_began_, time_);
      return;
    }
    off_began_ = time_;
    for (Bound& bound : bound_)
      bound.tap.skip_samples();
  }

  bool wants_more() const override {
    return result_.whole;
  }

 private:
  // The inputs that are sampled at the edges of one clock.
  struct Sampler {
    WatchedSignal clock;
    Edge edge = Edge::Rising;
    std::vector<size_t> inputs = {};  // indices of inputs of the map
    bool ticked = false;              // it had an edge
  };
  // The valid signals of an input, or of the address. `known` is set once all of them together were 0 or 1.
  struct Valid {
    std::vector<WatchedSignal> signals;
    bool known = false;
  };
  struct Bound {
    WatchedSignal data;
    Valid valid;
    TapFilter tap;
  };

  // Returns the index of the sampler for a clock and its edges, and adds one when there is none yet.
  size_t sampler_of(const SignalMap::Clock& clock) {
    for (size_t i = 0; i < clocks_of_samplers_.size(); ++i) {
      if (clocks_of_samplers_[i] == clock)
        return i;
    }
    clocks_of_samplers_.push_back(clock);
    samplers_.push_back({signals_.add_clock(clock.signal), clock.edge});
    return samplers_.size() - 1;
  }

  WatchedSignal add_input(const std::string& name, const Sampler& sampler, bool counts = false) {
    return signals_.add_input(name, sampler.clock, sampler.edge != Edge::Both, counts);
  }

  // Returns whether an input is left out because the recording lacks its signal or its channel, which the
  // first valid signal stands for (SignalMap::skips_absent).
  bool is_absent(const std::string& signal, const std::vector<std::string>& valid) {
    if (!map_.skips_absent)
      return false;
    const std::string& name = valid.empty() || signals_.has(valid[0]) ? signal : valid[0];
    if (signals_.has(name))
      return false;
    if (std::ranges::find(result_.absent, name) == result_.absent.end())
      result_.absent.push_back(name);
    return true;
  }

  // Connects the address and the inputs of the map with recorded signals and their clocks.
  void bind() {
    sampler_of(map_.clock);
    if (!map_.address.signal.empty() && !is_absent(map_.address.signal, map_.address.valid)) {
      address_ = add_input(map_.address.signal, samplers_[0]);
      for (const std::string& valid : map_.address.valid)
        address_valid_.signals.push_back(add_input(valid, samplers_[0]));
    }
    for (size_t i = 0; i < map_.inputs.size(); ++i) {
      const SignalMap::Input& input = map_.inputs[i];
      bound_.emplace_back();
      if (is_absent(input.signal, input.valid))
        continue;
      Sampler& sampler = samplers_[sampler_of(input.clock.value_or(map_.clock))];
      sampler.inputs.push_back(i);
      Bound& bound = bound_.back();
      bound.data = add_input(input.signal, sampler);
      const bool counts = !input.tap || input.tap->when == Tap::When::Level;
      for (const std::string& valid : input.valid)
        bound.valid.signals.push_back(add_input(valid, sampler, counts));
    }
    if (std::ranges::all_of(samplers_, [](const Sampler& s) {
          return s.inputs.empty();
        }))
      add_input(result_.absent[0], samplers_[0]);  // which refuses it by its name
    signals_.add_other_clocks();
  }

  // Samples valid signals at an edge, and returns whether all are set. An unknown one counts as not set. Such
  // edges are counted, but for those before the first known value, because before a reset nothing is lost.
  bool sample_valid(Valid& valid) {
    bool all = true;
    bool is_known = false;
    for (const WatchedSignal& signal : valid.signals) {
      const Bits bits = signals_.read(signal);
      signals_.domains().sample(signal.domain_index, time_, bits.value);
      all = all && bits.value != 0;
      is_known = is_known || (bits.value | bits.unknown) == 0;
    }
    is_known = is_known || all;
    result_.unknown_valids += valid.known && !is_known;
    valid.known = valid.known || is_known;
    return all;
  }

  // Returns whether the clock changes between 0 and 1 in this time step, at an edge that the map selects. The
  // first value of a recording, and a change from or to x, are no edges.
  bool has_edge(const Sampler& sampler) const {
    const Bits was = signals_.read(sampler.clock);
    const Bits is = signals_.read_next(sampler.clock);
    const uint64_t before = was.value & 1;
    const uint64_t after = is.value & 1;
    return before != after && ((was.unknown | is.unknown) & 1) == 0 &&
           (sampler.edge == Edge::Both || (sampler.edge == Edge::Rising) == (after == 1));
  }

  // Samples all inputs of a clock at its edge, and the address at an edge of the block's clock. `foreign` is
  // set for another clock than the block's.
  VcdCycle sample(const Sampler& sampler, bool foreign) {
    VcdCycle cycle;
    cycle.foreign = foreign;
    bool unknown = false;
    for (const size_t i : sampler.inputs) {
      const Bits data = signals_.read(bound_[i].data);
      signals_.domains().sample(bound_[i].data.domain_index, time_, data.value);
      const SignalMap::Input& input = map_.inputs[i];
      const bool valid = sample_valid(bound_[i].valid);
      const std::optional<uint32_t> taken = input.tap
                                                ? bound_[i].tap.take(*input.tap, valid, uint32_t(data.value))
                                                : std::optional(uint32_t(data.value));
      if (!valid || !taken)
        continue;
      cycle.valid |= 1u << input.ioreg;
      cycle.data[input.ioreg] |= *taken << input.at;
      unknown = unknown || uint32_t(data.unknown) != 0;
    }
    result_.unknown_inputs += unknown;
    if (foreign || !address_)
      return cycle;
    const uint64_t address = signals_.read(*address_).value;
    cycle.address = uint32_t(address);
    signals_.domains().sample(address_->domain_index, time_, address);
    cycle.has_address = sample_valid(address_valid_);
    return cycle;
  }

  // Ends a time step. The changes of the step take effect after the edges in it, so an edge samples the
  // values from before the step.
  void end_step() {
    if (!signals_.has_changes())
      return;
    for (size_t i = 0; i < samplers_.size() && result_.whole; ++i) {
      Sampler& sampler = samplers_[i];
      if (!signals_.is_touched(sampler.clock))
        continue;
      if (!is_off_ && sampler.ticked)
        result_.unknown_clocks +=
            ~signals_.read(sampler.clock).unknown & signals_.read_next(sampler.clock).unknown & 1;
      if (!has_edge(sampler))
        continue;
      sampler.ticked = true;
      if (i == 0)
        note_recording_off();
      deliver(sample(sampler, i > 0));
    }
    signals_.end_step(time_);
  }

  // Counts the times before this sample in which the recording was off.
  void note_recording_off() {
    for (const auto& [begin, end] : off_) {
      if (result_.off.times++ == 0) {
        result_.off.begin = begin;
        result_.off.end = end;
      }
      const uint64_t period = signals_.domains().period(samplers_[0].clock.domain_index);
      result_.off.cycles += period > 0 ? double(end - begin) / double(period) : 0;
    }
    off_.clear();
  }

  // Passes a cycle on to use_. When the map has several clocks, it is held until the next edge of the block's
  // clock, because the offset of the others is a share of the block's cycle, whose length is not known
  // before.
  void deliver(const VcdCycle& cycle) {
    if (samplers_.size() == 1) {
      result_.whole = (*use_)(cycle);
      return;
    }
    if (!cycle.foreign) {
      period_ = time_ - std::min(time_, began_);
      flush_held(period_);
      began_ = time_;
    }
    if (held_.size() >= kMaxHeld) {
      ++result_.late_edges;
      return;
    }
    if (cycle.valid != 0 || !cycle.foreign)
      held_.emplace_back(time_, cycle);
  }

  // Passes the held cycles, those since the block's last edge, on to use_. Those of other clocks get their
  // offset in the block's cycle, which takes `period` units of the recording's time.
  void flush_held(uint64_t period) {
    for (auto& [time, cycle] : held_) {
      const double offset = period > 0 ? double(time - began_) / double(period) : 0;
      cycle.offset = cycle.foreign ? std::clamp(offset, 0.0, 1 - 1e-9) : 0;
      result_.whole = result_.whole && (*use_)(cycle);
    }
    held_.clear();
  }

  VcdText text_;
  const SignalMap& map_;
  WatchedSignals signals_;
  const Use* use_ = nullptr;
  VcdReading result_;
  std::vector<Bound> bound_;       // inputs, in the order of the map
  std::vector<Sampler> samplers_;  // the block's clock is the first
  std::vector<SignalMap::Clock> clocks_of_samplers_;
  std::optional<WatchedSignal> address_;
  Valid address_valid_;

  bool seen_time_ = false;
  bool is_off_ = false;  // since $dumpoff, when all values are x
  uint64_t off_began_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> off_;  // since the last sample
  uint64_t time_ = 0;
  uint64_t began_ = 0;
  uint64_t period_ = 0;
  std::vector<std::pair<uint64_t, VcdCycle>> held_;
};

}  // namespace

VcdReading read_vcd(
    const std::string& path,
    const SignalMap& map,
    base::ReadReport& report,
    const std::function<bool(const VcdCycle&)>& use) {
  base::InputStream file(path);
  if (file.peek(8) == "GHDLwave")
    throw base::Error(
        {path},
        "a GHW recording of GHDL is not read",
        "let GHDL write the format instead: ghdl -r ... --fst=FILE or --vcd=FILE");
  if (!is_fst(file.peek(16)))
    return Reader(file, path, map, report).run(use);
  FstAsVcd fst(path);
  base::InputStream text(fst.pipe_path());
  const VcdReading out = Reader(text, path, map, report).run(use);
  if (out.whole)
    fst.require_whole();
  return out;
}

}  // namespace lento::tile
