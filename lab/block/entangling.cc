// The table of the entangling prefetcher with its compressed destinations, and the history that fills it.
#include "lab/block/entangling.h"

#include <algorithm>

namespace lento::tile {
namespace {

// Low address bits of a destination when an entry holds 1, 2, ... 6 of them (60 bits less 2 bits of
// confidence each).
constexpr uint32_t kBits[] = {58, 28, 18, 13, 10, 8};
constexpr uint32_t kTagBits = 10;
constexpr uint32_t kMaxConfidence = 3;
constexpr uint32_t kTimeBits = 12;

uint64_t mix(uint64_t line) {
  return line ^ (line >> 2) ^ (line >> 5);
}

uint64_t low_bits(uint64_t line, uint32_t format) {
  return line & ((uint64_t{1} << kBits[format - 1]) - 1);
}

uint64_t widen(uint64_t head, uint64_t low, uint32_t format) {
  return (head >> kBits[format - 1] << kBits[format - 1]) | low;
}

// Returns the largest number of destinations whose short form still reaches `line` from `head`.
uint32_t format_for(uint64_t head, uint64_t line) {
  for (uint32_t format = 6; format > 1; --format) {
    if (head >> kBits[format - 1] == line >> kBits[format - 1])
      return format;
  }
  return 1;
}

}  // namespace

bool EntanglingTable::Entry::has_destinations() const {
  return std::ranges::any_of(confidence, [](uint8_t c) {
    return c > 0;
  });
}

uint32_t EntanglingTable::set_of(uint64_t line) const {
  return uint32_t(mix(line) % sets_);
}

uint16_t EntanglingTable::tag_of(uint64_t line) const {
  return uint16_t(mix(line) / sets_ & ((1u << kTagBits) - 1));
}

EntanglingTable::Entry* EntanglingTable::find(uint64_t line) {
  Entry* const set = &entries_[size_t{set_of(line)} * kWays];
  const uint16_t tag = tag_of(line);
  Entry* const at = std::find_if(set, set + kWays, [&](const Entry& e) {
    return e.tag == tag;
  });
  if (at == set + kWays)
    return nullptr;
  return at;
}

// Before the oldest entry of a set is replaced: when it holds more than some other entry, it takes the place
// of that entry.
void EntanglingTable::save_useful(uint32_t set) {
  Entry* const entries = &entries_[size_t{set} * kWays];
  const uint32_t oldest = fifo_[set];
  const Entry& leaving = entries[oldest];
  if (!leaving.has_destinations() && leaving.size == 0)
    return;
  uint32_t place = oldest;
  for (uint32_t step = 1; step < kWays; ++step) {
    const uint32_t way = (oldest + step) % kWays;
    if (entries[way].has_destinations())
      continue;
    if (place == oldest)
      place = way;
    else if (entries[place].size != 0 && entries[way].size == 0)
      place = way;
    if (entries[place].size == 0 && place != oldest && place == way && step > 1)
      break;
  }
  if (place != oldest && (entries[place].size == 0 || leaving.has_destinations()))
    entries[place] = leaving;
}

EntanglingTable::Entry& EntanglingTable::find_or_replace(uint64_t line) {
  if (Entry* entry = find(line))
    return *entry;
  const uint32_t set = set_of(line);
  save_useful(set);
  Entry& entry = entries_[size_t{set} * kWays + fifo_[set]];
  fifo_[set] = (fifo_[set] + 1) % kWays;
  entry = {};
  entry.tag = tag_of(line);
  return entry;
}

uint32_t EntanglingTable::block_size(uint64_t head) const {
  const Entry* entry = find(head);
  return entry ? entry->size : 0;
}

void EntanglingTable::grow_block(uint64_t head, uint32_t lines) {
  Entry& entry = find_or_replace(head);
  if (lines > entry.size)
    entry.size = uint8_t(lines & kMaxSize);
}

void EntanglingTable::destinations(uint64_t head, const std::function<void(uint64_t, EntangleSource)>& use)
    const {
  const Entry* entry = find(head);
  if (!entry)
    return;
  const EntangleSource source{set_of(head), uint32_t(entry - &entries_[size_t{set_of(head)} * kWays])};
  for (uint32_t k = 0; k < kMaxDestinations; ++k) {
    if (entry->confidence[k] > 0)
      use(widen(head, entry->low[k], entry->format), source);
  }
}

bool EntanglingTable::has_room(uint64_t head, uint64_t line) const {
  const Entry* entry = find(head);
  if (!entry)
    return false;
  uint32_t format = format_for(head, line);
  uint32_t held = 1;
  for (uint32_t k = 0; k < kMaxDestinations; ++k) {
    if (entry->confidence[k] == 0)
      continue;
    const uint64_t other = widen(head, entry->low[k], entry->format);
    if (other == line)
      return true;
    ++held;
    format = std::min(format, format_for(head, other));
  }
  return held <= format;
}

void EntanglingTable::entangle(uint64_t head, uint64_t line) {
  Entry& entry = find_or_replace(head);
  for (uint32_t k = 0; k < kMaxDestinations; ++k) {
    if (entry.confidence[k] > 0 && widen(head, entry.low[k], entry.format) == line) {
      entry.confidence[k] = kMaxConfidence;
      return;
    }
  }
  // Evict the least confident until all fit one format.
  uint32_t format;
  for (;;) {
    format = format_for(head, line);
    uint32_t held = 1;
    uint32_t weakest = kMaxDestinations;
    for (uint32_t k = 0; k < kMaxDestinations; ++k) {
      if (entry.confidence[k] == 0)
        continue;
      ++held;
      format = std::min(format, format_for(head, widen(head, entry.low[k], entry.format)));
      if (weakest == kMaxDestinations || entry.confidence[k] < entry.confidence[weakest])
        weakest = k;
    }
    if (held <= format)
      break;
    entry.confidence[weakest] = 0;
  }
  uint32_t place = kMaxDestinations;
  for (uint32_t k = kMaxDestinations; k-- > 0;) {
    if (entry.confidence[k] > 0)
      entry.low[k] = low_bits(widen(head, entry.low[k], entry.format), format);
    else
      place = k;
  }
  entry.format = uint8_t(format);
  entry.low[place] = low_bits(line, format);
  entry.confidence[place] = kMaxConfidence;
}

void EntanglingTable::judge(EntangleSource source, uint64_t line, bool useful) {
  if (source.way == EntangleSource::kNone)
    return;
  Entry& entry = entries_[size_t{source.set} * kWays + source.way];
  for (uint32_t k = 0; k < kMaxDestinations; ++k) {
    uint8_t& confidence = entry.confidence[k];
    if (confidence == 0 || entry.low[k] != low_bits(line, entry.format))
      continue;
    if (useful)
      confidence = uint8_t(std::min<uint32_t>(confidence + 1u, kMaxConfidence));
    else
      --confidence;
  }
}

EntanglingPrefetcher::EntanglingPrefetcher(const EntanglingOptions& options, Issue issue)
    : options_(options),
      issue_(std::move(issue)),
      table_(options.sets) {
}

uint32_t EntanglingPrefetcher::find_history(uint64_t line) const {
  for (uint32_t i = 0; i < kHistory; ++i) {
    if (history_[i].valid && history_[i].line == line)
      return i;
  }
  return kNowhere;
}

uint32_t EntanglingPrefetcher::push_history(uint64_t line, uint64_t now) {
  newest_ = (newest_ + 1) % kHistory;
  history_[newest_] = {line, now, 0, true};
  return newest_;
}

// Returns the distance to a recent head whose block reaches `line`, or 0 when there is none.
uint32_t EntanglingPrefetcher::find_merge(uint64_t line) const {
  for (uint32_t step = 0; step < options_.merge_depth; ++step) {
    const Head& head = history_[(newest_ + kHistory - step) % kHistory];
    if (head.valid && line > head.line && line - head.line <= head.size)
      return uint32_t(line - head.line);
  }
  return 0;
}

// Returns the (skip + 1)-th head that is older than the one at `at` by `latency` or more, or nothing when
// the line ran in between.
std::optional<uint64_t>
EntanglingPrefetcher::older_head(uint64_t line, uint32_t at, uint64_t latency, uint32_t skip) const {
  if (!history_[at].valid || history_[at].line != line)
    return std::nullopt;
  for (uint32_t i = (at + kHistory - 1) % kHistory; i != newest_; i = (i + kHistory - 1) % kHistory) {
    const Head& head = history_[i];
    if (!head.valid)
      continue;
    if (head.line == line)
      return std::nullopt;
    if (history_[at].time - head.time >= latency && skip-- == 0)
      return head.line;
  }
  return std::nullopt;
}

void EntanglingPrefetcher::prefetch(uint64_t line, EntangleSource source, uint64_t now) {
  if (flights_.count(line) || !issue_(line) || residents_.count(line))
    return;
  flights_[line] = {now, source, kNowhere, false};
}

// Ends the running block. Its size is recorded for its head, or for the head it was merged with.
void EntanglingPrefetcher::close_block() {
  if (extra_ == 0)
    return;
  const uint64_t head = head_ - merged_;
  const uint32_t size = merged_ > 0 ? extra_ + merged_ : std::max(table_.block_size(head_), extra_);
  table_.grow_block(head, size);
  const uint32_t at = find_history(head);
  if (at != kNowhere)
    history_[at].size = std::min(std::max(history_[at].size, size), EntanglingTable::kMaxSize);
}

// Prefetches the rest of the line's block, then its destinations with their blocks.
void EntanglingPrefetcher::prefetch_from(uint64_t line, uint64_t now) {
  if (!table_.holds(line))
    return;
  const uint32_t size = table_.block_size(line);
  for (uint32_t i = 1; i <= size; ++i)
    prefetch(line + i, {}, now);
  table_.destinations(line, [&](uint64_t destination, EntangleSource source) {
    if (destination == line || destination == 0)
      return;
    const uint32_t more = table_.block_size(destination);
    for (uint32_t i = 0; i <= more; ++i)
      prefetch(destination + i, i == 0 ? source : EntangleSource{}, now);
  });
}

void EntanglingPrefetcher::access(uint64_t line, bool hit, uint64_t now, bool look) {
  if (head_ + extra_ == line)
    return;
  const bool consecutive = head_ + extra_ + 1 == line;
  if (consecutive)
    ++extra_;
  if (look)
    prefetch_from(line, now);
  uint32_t history = kNowhere;
  const auto flight = flights_.find(line);
  if (!consecutive) {
    close_block();
    extra_ = 0;
    head_ = line;
    merged_ = find_merge(line);
    const bool waited = flight != flights_.end() && flight->second.accessed;
    if (merged_ == 0 && (find_history(line) == kNowhere || (!hit && !waited)))
      history = push_history(line, now);
  }
  if (flight != flights_.end()) {
    Flight& f = flight->second;
    if (f.accessed)
      return;
    f.accessed = true;
    f.history = history;
    table_.judge(f.source, line, false);  // asked for before it came: late
    f.source = {};
  } else if (!hit) {
    flights_[line] = {now, {}, history, true};
  } else if (const auto here = residents_.find(line); here != residents_.end()) {
    here->second.accessed = true;
  }
}

void EntanglingPrefetcher::fill(uint64_t line, std::optional<uint64_t> evicted, uint64_t now) {
  if (evicted) {
    if (const auto gone = residents_.find(*evicted); gone != residents_.end()) {
      table_.judge(gone->second.source, *evicted, gone->second.accessed);
      residents_.erase(gone);
    }
  }
  const auto flight = flights_.find(line);
  if (flight == flights_.end()) {
    residents_[line] = {{}, true};
    return;
  }
  const Flight f = flight->second;
  flights_.erase(flight);
  residents_[line] = {f.source, f.accessed};
  const uint64_t latency = (now - f.began) & ((1u << kTimeBits) - 1);
  if (!f.accessed || f.history == kNowhere || latency == 0)
    return;
  for (uint32_t skip = 0; skip < 2; ++skip) {
    const auto head = older_head(line, f.history, latency, skip);
    if (head && *head != line && table_.has_room(*head, line))
      return table_.entangle(*head, line);
  }
  const auto head = older_head(line, f.history, latency, 0);
  if (head && *head != line)
    table_.entangle(*head, line);
}

}  // namespace lento::tile
