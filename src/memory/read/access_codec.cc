// Encodes the access records of one chunk as corrections of a prediction, and decodes them (access_codec.h
// describes the prediction). Records are grouped by CPU before they are encoded and merged back into trace
// order after they are decoded. Each field that was predicted wrongly goes into the column of that field, so
// that zstd later finds similar values side by side. Cost: O(1) and 100 bytes of memory per record.
#include "memory/read/access_codec.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

namespace lento::memory {
namespace {

// Bits of a token. A set bit marks a field that was predicted wrongly.
enum : uint8_t {
  kPc = 1,
  kShape = 2,
  kHasAddress = 4,
  kGap = 8,
  kLatency = 16,
  kFlags = 32,
  kBlame = 64
};
enum Column {
  kTokens,
  kPcs,
  kShapes,
  kAddresses,
  kGaps,
  kLatencies,
  kFlagBytes,
  kBlames,
  kColumns
};

uint64_t zigzag(uint64_t value) {
  return (value << 1) ^ (0 - (value >> 63));
}
uint64_t unzigzag(uint64_t value) {
  return (value >> 1) ^ (0 - (value & 1));
}

void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    out += char(value | 0x80);
  out += char(value);
}

// Reads one column within its bounds. A read past the end returns zeros and sets `bad`.
struct Bytes {
  const uint8_t* at = nullptr;
  const uint8_t* end = nullptr;
  bool bad = false;

  uint8_t byte() {
    if (at == end) {
      bad = true;
      return 0;
    }
    return *at++;
  }
  // Decodes an integer of seven bits per byte, lowest first.
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t b = byte();
      value |= uint64_t{b & 127u} << shift;
      if (b < 128)
        return value;
    }
    bad = true;
    return 0;
  }
};

struct Successor {
  uint64_t pc = 0;
  int64_t gap = 0;
  uint32_t latency = 1;
  AccessType type = AccessType::Fetch;
  uint8_t size = 4;
  uint8_t flags = AccessRecord::kLocal | AccessRecord::kServiceKnown;
};

struct DataEntry {
  uint64_t last = 0;
  uint64_t stride = 0;
};

// Predicts the next record. Encoder and decoder hold equal predictors after the same records, so only errors
// of the prediction are stored.
class Predictor {
 public:
  void start(uint16_t cpu, uint64_t cycle) {
    last_ = {};
    last_.cpu = cpu;
    last_.cycle = cycle;
    last_.latency = 0;
    key_ = older_ = 0;
  }

  const AccessRecord& last() const {
    return last_;
  }
  Successor& successor() {
    return successors_[key_];
  }
  uint64_t base_cycle() const {
    return last_.cycle + (last_.latency == AccessRecord::kNoLatency ? 0 : last_.latency);
  }
  uint64_t address(const Successor& shape, uint64_t pc) {
    if (shape.type == AccessType::Fetch)
      return pc;
    const DataEntry& entry = data_[hash(pc) % kData];
    return entry.last + entry.stride;
  }
  uint64_t last_culprit_pc = 0;

  // Updates the tables with a record. `slot` is the table entry that successor() returned for the prediction
  // of this record. `r.type` must be final.
  void learn(Successor& slot, const AccessRecord& r, uint64_t gap) {
    slot.pc = r.pc;
    slot.gap = int64_t(gap);
    slot.type = r.type;
    slot.size = r.size;
    if (r.latency <= slot.latency || r.latency == AccessRecord::kNoLatency) {
      slot.latency = r.latency;
      slot.flags = r.flags;
    }
    follow(r);
  }

  // Does the part of learn() that remains when every field was predicted.
  void follow(const AccessRecord& r) {
    if (r.type != AccessType::Fetch) {
      DataEntry& entry = data_[hash(r.pc) % kData];
      entry.stride = r.address - entry.last;
      entry.last = r.address;
    }
    const uint64_t own = (r.pc * 8 + uint64_t(r.type)) * 0x9e3779b97f4a7c15ULL;
    key_ = (own + older_) >> (64 - kSuccessorBits);
    older_ = (own >> 7) * 0xd6e8feb86659fd93ULL;  // off the critical path: needed one record later
    last_.pc = r.pc;
    last_.cycle = r.cycle;
    last_.latency = r.latency;
  }

 private:
  static constexpr int kSuccessorBits = 13;
  static constexpr size_t kSuccessors = size_t{1} << kSuccessorBits;
  static constexpr size_t kData = 4096;
  static uint64_t hash(uint64_t x) {
    return (x * 0xd6e8feb86659fd93ULL) >> 40;
  }

  std::array<Successor, kSuccessors> successors_;
  std::array<DataEntry, kData> data_;
  AccessRecord last_;
  uint64_t key_ = 0;
  uint64_t older_ = 0;
};

void encode_blame(const AccessRecord& r, Predictor& predictor, std::string& out) {
  put_varint(out, r.culprit);
  out += char(r.cause);
  put_varint(out, r.blamed);
  put_varint(out, zigzag(r.culprit_pc - predictor.last_culprit_pc));
  predictor.last_culprit_pc = r.culprit_pc;
}

bool blameless(const AccessRecord& r) {
  return r.culprit == AccessRecord::kNoCpu && r.cause == DelayCause::None && r.blamed == 0 &&
         r.culprit_pc == 0;
}

// Encodes the difference of a record from its prediction. One token marks the columns that differ.
void encode_one(const AccessRecord& r, Predictor& predictor, std::array<std::string, kColumns>& columns) {
  Successor& expected = predictor.successor();
  uint8_t token = 0;
  if (r.pc != expected.pc) {
    token |= kPc;
    put_varint(columns[kPcs], zigzag(r.pc - predictor.last().pc));
  }
  if (r.type != expected.type || r.size != expected.size) {
    token |= kShape;
    columns[kShapes] += char(r.type);
    columns[kShapes] += char(r.size);
    expected.type = r.type;
  }
  const uint64_t address = predictor.address(expected, r.pc);
  if (r.address != address) {
    token |= kHasAddress;
    put_varint(columns[kAddresses], zigzag(r.address - address));
  }
  const uint64_t gap = r.cycle - predictor.base_cycle();
  if (gap != uint64_t(expected.gap)) {
    token |= kGap;
    put_varint(columns[kGaps], zigzag(gap));
  }
  if (r.latency != expected.latency) {
    token |= kLatency;
    put_varint(columns[kLatencies], r.latency);
  }
  if (r.flags != expected.flags) {
    token |= kFlags;
    columns[kFlagBytes] += char(r.flags);
  }
  if (!blameless(r)) {
    token |= kBlame;
    encode_blame(r, predictor, columns[kBlames]);
  }
  columns[kTokens] += char(token);
  predictor.learn(expected, r, gap);
}

// Decodes the delaying CPU, its program counter, cause and cycles.
void decode_blame(AccessRecord& r, Predictor& predictor, Bytes& in) {
  r.culprit = uint16_t(in.varint());
  const uint8_t cause = in.byte();
  in.bad |= cause >= kDelayCauses;
  r.cause = static_cast<DelayCause>(cause);
  r.blamed = uint32_t(in.varint());
  r.culprit_pc = predictor.last_culprit_pc += unzigzag(in.varint());
}

// Reads the fields whose bits the token sets.
void read_mispredicted(
    uint8_t token,
    AccessRecord& r,
    Predictor& predictor,
    Successor& expected,
    std::array<Bytes, kColumns>& in,
    uint64_t& gap) {
  if (token & kPc)
    r.pc = predictor.last().pc + unzigzag(in[kPcs].varint());
  if (token & kShape) {
    const uint8_t type = in[kShapes].byte();
    in[kShapes].bad |= type >= kAccessTypes;
    r.type = expected.type = static_cast<AccessType>(type % kAccessTypes);
    r.size = in[kShapes].byte();
  }
  r.address = predictor.address(expected, r.pc);
  if (token & kHasAddress)
    r.address += unzigzag(in[kAddresses].varint());
  if (token & kGap)
    gap = unzigzag(in[kGaps].varint());
  if (token & kLatency)
    r.latency = uint32_t(in[kLatencies].varint());
  if (token & kFlags)
    r.flags = in[kFlagBytes].byte();
  if (token & kBlame)
    decode_blame(r, predictor, in[kBlames]);
}

// Writes `count` records of one CPU to `out` and their cycles to `cycles`.
void decode_stream(
    uint16_t cpu,
    uint64_t count,
    Predictor& predictor,
    std::array<Bytes, kColumns>& in,
    AccessRecord* out,
    uint64_t* cycles) {
  for (uint64_t i = 0; i < count; ++i) {
    Successor& expected = predictor.successor();
    const uint8_t token = in[kTokens].at[i];
    AccessRecord& r = out[i];
    r = {};
    r.cpu = cpu;
    r.pc = expected.pc;
    r.type = expected.type;
    r.size = expected.size;
    r.flags = expected.flags;
    r.latency = expected.latency;
    uint64_t gap = uint64_t(expected.gap);
    if (token == 0) [[likely]] {
      r.address = predictor.address(expected, r.pc);
      cycles[i] = r.cycle = predictor.base_cycle() + gap;
      predictor.follow(r);
      continue;
    }
    read_mispredicted(token, r, predictor, expected, in, gap);
    cycles[i] = r.cycle = predictor.base_cycle() + gap;
    predictor.learn(expected, r, gap);
  }
  in[kTokens].at += count;
}

// Encodes thread, process, node and service as runs: length, thread, process, node, service. Writes nothing
// when no record has any of them.
void encode_context(std::span<const AccessRecord> records, std::string& out) {
  const auto same = [](const AccessRecord& a, const AccessRecord& b) {
    return a.thread == b.thread && a.process == b.process && a.node == b.node && a.service == b.service;
  };
  if (std::ranges::none_of(records, [](const auto& r) {
        return r.has_context();
      }))
    return;
  for (size_t at = 0; at < records.size();) {
    size_t end = at + 1;
    while (end < records.size() && same(records[at], records[end]))
      ++end;
    const AccessRecord& r = records[at];
    put_varint(out, end - at);
    put_varint(out, r.thread);
    put_varint(out, r.process);
    out += char(r.node);
    out += char(r.service);
    at = end;
  }
}

// Decodes thread, process, node and service, stored once for each run of equal values. Returns false when the
// bytes are damaged.
bool decode_context(Bytes in, std::span<AccessRecord> records) {
  if (in.at == in.end)
    return true;
  for (size_t at = 0; at < records.size();) {
    const uint64_t count = in.varint();
    AccessRecord context;
    context.thread = uint32_t(in.varint());
    context.process = uint16_t(in.varint());
    context.node = in.byte();
    const uint8_t service = in.byte();
    if (in.bad || count == 0 || count > records.size() - at || service >= kServices)
      return false;
    context.service = static_cast<Service>(service);
    for (uint64_t i = 0; i < count; ++i, ++at) {
      records[at].thread = context.thread;
      records[at].process = context.process;
      records[at].node = context.node;
      records[at].service = context.service;
    }
  }
  return true;
}

// Merges records that are grouped by rising CPU, each group in its order, into trace order at `out`. `cycles`
// holds their cycles. A counting sort applies when the cycles are dense: it is linear, and only its last pass
// moves records.
void merge_groups(
    std::span<const AccessRecord> records,
    std::span<const uint64_t> cycles,
    AccessRecord* out) {
  if (records.empty())
    return;
  const auto [low, high] = std::minmax_element(cycles.begin(), cycles.end());
  const uint64_t first = *low;
  const uint64_t span = *high - first;
  if (span / 8 >= records.size()) {
    std::ranges::copy(records, out);
    std::stable_sort(out, out + records.size(), [](const auto& a, const auto& b) {
      return a.cycle < b.cycle;
    });
    return;
  }
  static thread_local std::vector<uint32_t> starts;
  starts.assign(span + 2, 0);
  for (const uint64_t cycle : cycles)
    ++starts[cycle - first + 1];
  for (size_t i = 1; i < starts.size(); ++i)
    starts[i] += starts[i - 1];
  for (size_t i = 0; i < records.size(); ++i)
    out[starts[cycles[i] - first]++] = records[i];
}

// Returns (CPU, number of records) by rising CPU.
std::vector<std::pair<uint16_t, uint64_t>> count_cpus(std::span<const AccessRecord> records) {
  std::vector<uint64_t> counts;
  for (const AccessRecord& r : records) {
    if (r.cpu >= counts.size())
      counts.resize(r.cpu + 1u);
    ++counts[r.cpu];
  }
  std::vector<std::pair<uint16_t, uint64_t>> out;
  for (size_t cpu = 0; cpu < counts.size(); ++cpu) {
    if (counts[cpu])
      out.emplace_back(uint16_t(cpu), counts[cpu]);
  }
  return out;
}

// Returns the records sorted by CPU, each CPU in order.
std::vector<AccessRecord> grouped_by_cpu(
    std::span<const AccessRecord> records,
    const std::vector<std::pair<uint16_t, uint64_t>>& groups) {
  std::vector<uint64_t> at(groups.empty() ? 0 : groups.back().first + 1u);
  uint64_t sum = 0;
  for (const auto& [cpu, count] : groups) {
    at[cpu] = sum;
    sum += count;
  }
  std::vector<AccessRecord> out(records.size());
  for (const AccessRecord& r : records)
    out[at[r.cpu]++] = r;
  return out;
}

}  // namespace

void sort_by_cycle(std::vector<AccessRecord>& records) {
  const auto groups = count_cpus(records);
  const std::vector<AccessRecord> grouped = grouped_by_cpu(records, groups);
  std::vector<uint64_t> cycles;
  cycles.reserve(grouped.size());
  for (const AccessRecord& r : grouped)
    cycles.push_back(r.cycle);
  merge_groups(grouped, cycles, records.data());
}

// Layout, all numbers varints: number of groups. For each group: cpu, count, first cycle. Then the size of
// each column except the tokens (their size is the event count), the columns, and the contexts up to the end.
std::string encode_accesses(std::span<const AccessRecord> records) {
  const auto groups = count_cpus(records);
  const std::vector<AccessRecord> grouped = grouped_by_cpu(records, groups);
  const auto predictor = std::make_unique<Predictor>();
  std::array<std::string, kColumns> columns;
  std::string out;
  put_varint(out, groups.size());
  const AccessRecord* at = grouped.data();
  for (const auto& [cpu, count] : groups) {
    put_varint(out, cpu), put_varint(out, count), put_varint(out, at->cycle);
    predictor->start(cpu, at->cycle);
    for (uint64_t i = 0; i < count; ++i)
      encode_one(*at++, *predictor, columns);
  }
  for (int c = kPcs; c < kColumns; ++c)
    put_varint(out, columns[c].size());
  for (const std::string& column : columns)
    out += column;
  encode_context(grouped, out);
  return out;
}

bool decode_accesses(std::string_view bytes, uint64_t events, std::vector<AccessRecord>& out) {
  Bytes in{
      reinterpret_cast<const uint8_t*>(bytes.data()),
      reinterpret_cast<const uint8_t*>(bytes.data()) + bytes.size()};
  if (events > bytes.size())
    return false;  // one token byte each
  struct Group {
    uint16_t cpu;
    uint64_t count;
    uint64_t cycle;
  };
  std::vector<Group> groups(std::min<uint64_t>(in.varint(), 65536));
  uint64_t sum = 0;
  for (Group& group : groups) {
    group = {uint16_t(in.varint()), in.varint(), in.varint()};
    if (group.count > events - sum || in.bad)
      return false;
    sum += group.count;
  }
  if (sum != events)
    return false;
  std::array<uint64_t, kColumns> sizes{events};
  for (int c = kPcs; c < kColumns; ++c)
    sizes[c] = in.varint();
  std::array<Bytes, kColumns> columns;
  for (int c = 0; c < kColumns; ++c) {
    if (in.bad || sizes[c] > uint64_t(in.end - in.at))
      return false;
    columns[c] = {in.at, in.at + sizes[c]};
    in.at += sizes[c];
  }
  const auto predictor = std::make_unique<Predictor>();
  static thread_local std::vector<AccessRecord> grouped;
  static thread_local std::vector<uint64_t> cycles;
  grouped.resize(events);
  cycles.resize(events);
  size_t done = 0;
  for (const Group& group : groups) {
    predictor->start(group.cpu, group.cycle);
    decode_stream(group.cpu, group.count, *predictor, columns, grouped.data() + done, cycles.data() + done);
    done += group.count;
  }
  for (const Bytes& column : columns) {
    if (column.bad)
      return false;
  }
  if (!decode_context(in, grouped))
    return false;
  const size_t before = out.size();
  out.resize(before + events);
  merge_groups(grouped, cycles, out.data() + before);
  return true;
}

}  // namespace lento::memory
