// A slot stands for each slice of a recorded variable that is needed. A time step costs as much as it has
// changes of slots.
#include "tile/block/watched_signals.h"

#include <algorithm>
#include <cstring>
#include <set>

namespace lento::tile {
namespace {

// Variables that are considered as clocks: those with the name of one, and those that stand around a mapped
// signal and may behave as one.
constexpr size_t kMaxNamedClocks = 16;
constexpr size_t kMaxClocksAround = 1024;

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

}  // namespace

void WatchedSignals::declare(VcdText& text) {
  text.read_header(names_);
  text_ = &text;
  slots_of_.resize(text.variables());
}

// Returns the slot for these bits of a recorded variable, and adds one when there is none yet.
size_t WatchedSignals::follow(size_t variable, uint32_t first, uint32_t width) {
  std::vector<size_t>& known = slots_of_[variable];
  for (const size_t index : known) {
    if (slots_[index].first == first && slots_[index].width == width)
      return index;
  }
  known.push_back(slots_.size());
  slots_.push_back({first, width});
  values_.push_back({0, ~uint64_t{0}});  // until the recording's first value
  next_.push_back(values_.back());
  return known.back();
}

// Returns the slots of the signal `name`, up to its lowest 64 bits. A recording may store it as several
// variables.
WatchedSignal WatchedSignals::watch(const std::string& name) {
  WatchedSignal out;
  uint32_t bits = 0;
  for (const SignalPart& part : names_.resolve(name, {file_})) {
    const uint32_t width = std::min(part.width, 64 - bits);
    if (width > 0)
      out.parts.push_back({follow(text_->index_of(part.code), part.first, width), bits});
    bits += width;
  }
  if (out.parts.empty())
    throw base::Error({file_}, "'" + name + "' has no bits");
  return out;
}

size_t WatchedSignals::clock_at(size_t slot, const std::string& name, bool certain) {
  if (!slots_[slot].clock)
    slots_[slot].clock = domains_.add_clock(name, certain);
  return *slots_[slot].clock;
}

WatchedSignal WatchedSignals::add_clock(const std::string& name) {
  WatchedSignal out = watch(name);
  out.parts.resize(1);
  out.domain_index = clock_at(out.parts[0].slot, name, true);
  return out;
}

WatchedSignal
WatchedSignals::add_input(const std::string& name, const WatchedSignal& clock, bool once, bool counts) {
  const auto [at, is_new] = by_name_.try_emplace({name, clock.domain_index}, inputs_.size());
  if (is_new) {
    WatchedSignal signal = watch(name);
    signal.domain_index = domains_.add_signal(name, clock.domain_index);
    for (const WatchedSignal::Part& part : signal.parts)
      slots_[part.slot].inputs.push_back(inputs_.size());
    inputs_.push_back({signal, once});
  }
  Input& input = inputs_[at->second];
  input.once = input.once && once;
  if (counts)
    domains_.set_counts(input.signal.domain_index);
  return input.signal;
}

// The single bits in the scopes of the mapped signals, and in those around them, may be clocks, those of
// inner scopes first. A mapped signal is data.
void WatchedSignals::add_other_clocks() {
  for (const WaveNames::Bit& bit : names_.named_clocks(kMaxNamedClocks))
    clock_at(follow(text_->index_of(bit.code), 0, 1), bit.name, true);
  std::map<std::string, std::vector<size_t>> own;  // signals by scope
  const auto inner_first = [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  };
  std::set<std::string, decltype(inner_first)> scopes;
  for (const auto& [input, index] : by_name_) {
    std::string scope = WaveNames::scope_of(input.first);
    if (inputs_[index].once)
      own[scope].push_back(inputs_[index].signal.domain_index);
    while (scopes.insert(scope).second && !scope.empty())
      scope = WaveNames::scope_of(scope);
  }
  size_t clocks = 0;
  for (const std::string& scope : scopes) {
    for (const WaveNames::Bit& bit : names_.bits_in(scope)) {
      if (clocks == kMaxClocksAround)
        return;
      const size_t slot = follow(text_->index_of(bit.code), 0, 1);
      if (!slots_[slot].clock && !slots_[slot].inputs.empty())
        continue;
      ++clocks;
      const size_t clock = clock_at(slot, bit.name, false);
      for (const size_t signal : own[scope])
        domains_.add_local(signal, clock);
    }
  }
}

void WatchedSignals::change(size_t variable, std::string_view digits) {
  for (const size_t index : slots_of_[variable]) {
    Slot& slot = slots_[index];
    next_[index] = extract(digits, slot.first, slot.width);
    if (!std::exchange(slot.is_touched, true))
      touched_.push_back(index);
  }
}

// Edges come before the changes that they cause.
void WatchedSignals::end_step(uint64_t time) {
  ++step_;
  for (const size_t index : touched_) {
    if (slots_[index].clock && !(values_[index].value & 1) && (next_[index].value & 1))
      domains_.rise(*slots_[index].clock, time);
  }
  for (const size_t index : touched_) {
    for (const size_t i : slots_[index].inputs) {
      Input& input = inputs_[i];
      const uint64_t value = read_next(input.signal).value;
      if (input.last_step != step_ && read(input.signal).value != value)
        domains_.change(input.signal.domain_index, time, value);
      input.last_step = step_;
    }
  }
  for (const size_t index : touched_) {
    values_[index] = next_[index];
    slots_[index].is_touched = false;
  }
  touched_.clear();
}

Bits WatchedSignals::read(const WatchedSignal& signal, const std::vector<Bits>& values) {
  Bits out;
  for (const WatchedSignal::Part& part : signal.parts) {
    out.value |= values[part.slot].value << part.at;
    out.unknown |= values[part.slot].unknown << part.at;
  }
  return out;
}

}  // namespace lento::tile
