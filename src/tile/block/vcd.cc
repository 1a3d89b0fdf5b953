// Samples a design's signals at the edges of clocks in a recording. Only the current values of mapped signals
// are kept, by identifier code, so memory does not grow with the recording. A damaged change is skipped and
// counted. A header that cannot be read ends the reading, because identifier codes would be unknown. Source:
// IEEE 1364-2005, section 18.
#include "tile/block/vcd.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/file.h"
#include "base/number.h"
#include "tile/block/fst.h"
#include "tile/block/wave_names.h"

namespace lento::tile {
namespace {

constexpr size_t kMaxSignals = 1 << 20;
constexpr size_t kMaxDepth = 256;
constexpr size_t kMaxHeld = 1 << 16;  // edges of other clocks that are kept within one cycle of the block
constexpr size_t kMaxClocks = 16;     // clocks that are considered as drivers of a mapped signal

// Splits a line at blanks.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < line.size();) {
    const size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos)
      break;
    at = std::min(line.find_first_of(" \t\r", begin), line.size());
    out.push_back(line.substr(begin, at - begin));
  }
  return out;
}

// Up to 64 bits of a variable. Bit i of `unknown` is 1 when bit i of the variable is neither 0 nor 1, and
// `value` has 0 there.
struct Bits {
  uint64_t value = 0;
  uint64_t unknown = 0;
};

// Returns bits `first` to first + width - 1 of a value, whose digits are those of a VCD, most significant
// first. Bits beyond the digits are 0 when the leftmost digit is 0 or 1 (or l or h), else unknown.
Bits extract(std::string_view digits, uint32_t first, uint32_t width) {
  Bits out;
  const bool extends = !digits.empty() && !std::strchr("01hHlL", digits[0]);
  for (uint32_t i = 0; i < width; ++i) {
    const uint64_t at = uint64_t{first} + i;
    if (at >= digits.size()) {
      if (extends)
        out.unknown |= ~uint64_t{0} << i;
      break;
    }
    const char bit = digits[digits.size() - 1 - at];
    if (bit == '1' || bit == 'h' || bit == 'H')
      out.value |= uint64_t{1} << i;
    else if (bit != '0' && bit != 'l' && bit != 'L')
      out.unknown |= uint64_t{1} << i;
  }
  return out;
}

// A slice of a recorded variable, bits first to first + width - 1. Reader::values_[index] holds its value.
struct Slot {
  size_t index = 0;
  uint32_t first = 0;
  uint32_t width = 1;
};

// A mapped signal as a list of slots, least significant first.
struct Signal {
  std::vector<Slot> slots;
  size_t domain_index = 0;  // in ClockDomains

  Bits read(const std::vector<Bits>& values) const {
    Bits out;
    uint32_t at = 0;
    for (const Slot& slot : slots) {
      out.value |= values[slot.index].value << at;
      out.unknown |= values[slot.index].unknown << at;
      at += slot.width;
    }
    return out;
  }
};

// Header grammar: { "$scope" type name "$end" | "$upscope" "$end" | "$var" type width code name [range]
// "$end" | other sections up to "$end" } "$enddefinitions" "$end". Then words: { "#" time | value code | ("b"
// | "r" | "s") value " " code | "$comment" text "$end" | "$dumpvars" and the like | "$end" }. A value and its
// code are on one line.
class Reader {
 public:
  using Use = std::function<bool(const VcdCycle&)>;

  Reader(base::InputStream& in, const std::string& name, const SignalMap& map, base::ReadReport& report)
      : in_(in),
        name_(name),
        map_(map),
        report_(report) {
  }

  // Reads the recording and calls `use` with the sampled inputs at each edge that the map selects of the
  // block's clock, until `use` returns false. Calls it also at the edges of the clocks that single inputs
  // have of their own, when such an input is valid there (deliver).
  VcdReading run(const Use& use) {
    use_ = &use;
    read_header();
    bind();
    std::string_view line;
    while (result_.whole && in_.line(line))
      changes(line);
    if (result_.whole && seen_time_)
      end_step();
    flush_held(period_);
    result_.unsampled = domains_.foreign();
    return result_;
  }

 private:
  // The inputs that are sampled at the edges of one clock.
  struct Sampler {
    Signal clock;
    Edge edge = Edge::Rising;
    std::vector<size_t> inputs;  // indices of inputs of the map
  };
  // The valid signals of an input, or of the address. `known` is set once all of them together were 0 or 1.
  struct Valid {
    std::vector<Signal> signals;
    bool known = false;
  };
  struct Bound {
    Signal data;
    Valid valid;
    TapFilter tap;
  };

  base::Location here() const {
    return {name_, int(in_.line_number())};
  }

  // Takes the next word of the header, from further lines when needed. Returns false at the end of the file.
  bool next_word(std::string& out) {
    while (at_ >= words_.size()) {
      std::string_view line;
      if (!in_.line(line))
        return false;
      line_ = line;
      words_ = words_of(line_);
      at_ = 0;
    }
    out = words_[at_++];
    return true;
  }

  void read_header() {
    std::string word;
    std::vector<std::string> scope;
    while (next_word(word)) {
      std::vector<std::string> section;
      const std::string kind = word;
      if (kind.empty() || kind[0] != '$')
        throw base::Error(here(), "not a VCD header: '" + kind + "'", "a recording is a VCD or an FST");
      while (next_word(word) && word != "$end") {
        if (section.size() < 16)
          section.push_back(word);
      }
      if (kind == "$enddefinitions")
        return;
      // LiteScope writes a scope's name without its type, and $unscope for $upscope.
      if ((kind == "$upscope" || kind == "$unscope") && !scope.empty())
        scope.pop_back();
      if (kind == "$scope" && !section.empty())
        scope.push_back(section[section.size() > 1 ? 1 : 0]);
      if (scope.size() > kMaxDepth)
        throw base::Error(here(), "scopes nest deeper than 256");
      if (kind == "$var" && section.size() >= 4)
        declare(scope, section);
    }
    throw base::Error(here(), "the file ends inside the VCD header");
  }

  void declare(const std::vector<std::string>& scope, const std::vector<std::string>& section) {
    if (names_.size() >= kMaxSignals)
      throw base::Error(here(), "more than a million signals");
    std::string prefix;
    for (const std::string& part : scope)
      prefix += part + ".";
    names_.declare(prefix, section);
    slots_.try_emplace(section[2]);
  }

  // Returns the slot for these bits of a recorded variable, and adds one when there is none yet.
  Slot follow(const SignalPart& part) {
    std::vector<Slot>& known = slots_[part.code];
    for (const Slot& slot : known) {
      if (slot.first == part.first && slot.width == part.width)
        return slot;
    }
    known.push_back({values_.size(), part.first, part.width});
    values_.emplace_back();
    return known.back();
  }

  // Returns the slots of the signal `name`, up to its lowest 64 bits. A recording may store it as several
  // variables. Throws base::Error when there is no such signal (WaveNames::resolve).
  Signal watch(const std::string& name) {
    Signal out;
    uint32_t bits = 0;
    for (SignalPart part : names_.resolve(name, {name_})) {
      part.width = std::min(part.width, 64 - bits);
      bits += part.width;
      if (part.width > 0)
        out.slots.push_back(follow(part));
    }
    if (out.slots.empty())
      throw base::Error({name_}, "'" + name + "' has no bits");
    return out;
  }

  // Returns the lowest bit of the signal `name` as a clock, and adds the clock to domains_ when it is new.
  Signal watch_clock(const std::string& name) {
    Signal out = watch(name);
    out.slots.resize(1);
    const size_t slot = out.slots[0].index;
    const auto same = std::ranges::find(clock_slots_, slot);
    out.domain_index = size_t(same - clock_slots_.begin());
    if (same == clock_slots_.end()) {
      clock_slots_.push_back(slot);
      domains_.add_clock(name);
    }
    return out;
  }

  Signal watch_input(const std::string& name, const Signal& clock, bool counts = false) {
    Signal out = watch(name);
    out.domain_index = domains_.add_signal(name, clock.domain_index, counts);
    followed_.push_back(out);
    return out;
  }

  // Returns the index of the sampler for a clock and its edges, and adds one when there is none yet.
  size_t sampler_of(const SignalMap::Clock& clock) {
    for (size_t i = 0; i < clocks_of_samplers_.size(); ++i) {
      if (clocks_of_samplers_[i] == clock)
        return i;
    }
    clocks_of_samplers_.push_back(clock);
    samplers_.push_back({watch_clock(clock.signal), clock.edge, {}});
    return samplers_.size() - 1;
  }

  // Connects the address and the inputs of the map with recorded signals and their clocks. Adds up to
  // kMaxClocks other signals that are named like clocks to domains_.
  void bind() {
    sampler_of(map_.clock);
    const Signal main = samplers_[0].clock;
    if (!map_.address.signal.empty()) {
      address_ = watch_input(map_.address.signal, main);
      for (const std::string& valid : map_.address.valid)
        address_valid_.signals.push_back(watch_input(valid, main));
    }
    for (const SignalMap::Input& input : map_.inputs) {
      const size_t sampler = sampler_of(input.clock.value_or(map_.clock));
      const Signal clock = samplers_[sampler].clock;
      samplers_[sampler].inputs.push_back(bound_.size());
      Bound bound;
      bound.data = watch_input(input.signal, clock);
      const bool counts = !input.tap || input.tap->when == Tap::When::Level;
      for (const std::string& valid : input.valid)
        bound.valid.signals.push_back(watch_input(valid, clock, counts));
      bound_.push_back(bound);
    }
    for (const auto& [name, code] : names_.clocks(kMaxClocks)) {
      const Slot slot = follow({code, 0, 1});
      if (std::ranges::find(clock_slots_, slot.index) != clock_slots_.end())
        continue;
      clock_slots_.push_back(slot.index);
      domains_.add_clock(name);
    }
    for (Bits& value : values_)
      value.unknown = ~uint64_t{0};  // until the recording's first value
    pending_ = values_;
  }

  // Samples valid signals at an edge, and returns whether all are set. An unknown one counts as not set. Such
  // edges are counted, but for those before the first known value, because before a reset nothing is lost.
  bool sample_valid(Valid& valid) {
    bool all = true;
    bool is_known = false;
    for (const Signal& signal : valid.signals) {
      const Bits bits = signal.read(values_);
      domains_.sample(signal.domain_index, time_, bits.value);
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
    const Bits was = sampler.clock.read(values_);
    const Bits is = sampler.clock.read(pending_);
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
      const Bits data = bound_[i].data.read(values_);
      domains_.sample(bound_[i].data.domain_index, time_, data.value);
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
    cycle.address = uint32_t(address_->read(values_).value);
    domains_.sample(address_->domain_index, time_, address_->read(values_).value);
    cycle.has_address = sample_valid(address_valid_);
    return cycle;
  }

  // Ends a time step. The changes of the step take effect after the edges in it, so an edge samples the
  // values from before the step.
  void end_step() {
    for (size_t i = 0; i < samplers_.size() && result_.whole; ++i) {
      const Signal& clock = samplers_[i].clock;
      if (!is_off_)
        result_.unknown_clocks += ~clock.read(values_).unknown & clock.read(pending_).unknown & 1;
      if (has_edge(samplers_[i]))
        deliver(sample(samplers_[i], i > 0));
    }
    for (size_t c = 0; c < clock_slots_.size(); ++c) {
      const size_t slot = clock_slots_[c];
      if (!(values_[slot].value & 1) && (pending_[slot].value & 1))
        domains_.rise(c, time_);
    }
    for (const Signal& signal : followed_) {
      if (signal.read(values_).value != signal.read(pending_).value)
        domains_.change(signal.domain_index, time_, signal.read(pending_).value);
    }
    values_ = pending_;
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

  // Removes the next word from the front of `line` and returns it, or "" when there is none.
  static std::string_view take_word(std::string_view& line) {
    constexpr std::string_view kBlank = " \t\r";
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(kBlank));
    line.remove_prefix(word.size());
    return word;
  }

  // Handles the time stamps and value changes on one line, and passes over comments and sections.
  void changes(std::string_view line) {
    while (result_.whole) {
      const std::string_view word = take_word(line);
      if (word.empty())
        return;
      if (in_comment_)
        in_comment_ = word != "$end";
      else if (word[0] == '$')
        section(word);
      else if (word[0] == '#')
        time(word);
      else
        change(word, line);
    }
  }

  void section(std::string_view word) {
    in_comment_ = word == "$comment";
    if (word != "$end" && !in_comment_)
      is_off_ = word == "$dumpoff";
  }

  // Ends the time step before this time stamp and begins the next one. Skips a damaged time stamp.
  void time(std::string_view word) {
    const std::optional<uint64_t> now = base::try_uint(word.substr(1));
    if (!now)
      return report_.skip(here(), "a time that is not a number");
    if (seen_time_)
      end_step();
    if (seen_time_ && *now < time_)
      report_.skip(here(), "a time before that of the line above");
    seen_time_ = true;
    time_ = std::max(time_, *now);
  }

  // Stores one value change in pending_. The identifier code of a vector, a real or a string is the next word
  // in `rest`.
  void change(std::string_view word, std::string_view& rest) {
    const char first = word[0];
    const bool vector = first == 'b' || first == 'B';
    // The value of a real or a string, which a map cannot name.
    const bool other = first == 'r' || first == 'R' || first == 's';
    if (!vector && !other && std::string_view("01xXzZhHlLuUwW-").find(first) == std::string_view::npos)
      return report_.skip(here(), "a change that is no value");
    const std::string_view code = vector || other ? take_word(rest) : word.substr(1);
    if (code.empty())
      return report_.skip(here(), "a change without a signal");
    if (other)
      return;
    const auto slots = slots_.find(std::string(code));
    if (slots == slots_.end())
      return report_.skip(here(), "a change of an identifier that the header does not declare");
    ++report_.taken;
    for (const Slot& slot : slots->second)
      pending_[slot.index] = extract(vector ? word.substr(1) : word.substr(0, 1), slot.first, slot.width);
  }

  base::InputStream& in_;
  const std::string& name_;
  const SignalMap& map_;
  base::ReadReport& report_;
  const Use* use_ = nullptr;
  VcdReading result_;

  std::string line_;
  std::vector<std::string_view> words_;
  size_t at_ = 0;

  WaveNames names_;
  std::unordered_map<std::string, std::vector<Slot>> slots_;  // by code, of each declared variable
  std::vector<Bits> values_;
  std::vector<Bits> pending_;
  std::vector<Bound> bound_;       // inputs, in the order of the map
  std::vector<Sampler> samplers_;  // the block's clock is the first
  std::vector<SignalMap::Clock> clocks_of_samplers_;
  std::optional<Signal> address_;
  Valid address_valid_;

  ClockDomains domains_;
  std::vector<size_t> clock_slots_;  // by clock of domains_
  std::vector<Signal> followed_;

  bool seen_time_ = false;
  bool in_comment_ = false;
  bool is_off_ = false;  // since $dumpoff, when all values are x
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
