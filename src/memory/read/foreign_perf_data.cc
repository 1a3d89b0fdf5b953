// Reads perf.data, the file of `perf record` and `perf mem record` (linux/perf_event.h,
// perf.data-file-format.txt).
//
//   file    = "PERFILE2" u64 header_size  u64 attr_size  section attrs  section data  section  bitmap
//   section = u64 offset  u64 size;  attrs = (perf_event_attr, section ids)*;  data = record*
//   pipe    = "PERFILE2" u64 16  record*                      (attributes come as records)
//   record  = u32 type  u16 misc  u16 size  body
//
// The bits of an event's sample_type name the fields of a sample, in a fixed order. FINISHED_ROUND promises
// that no later record is older than the newest one of the round before. Samples wait in memory until such a
// promise covers them.
#include <algorithm>
#include <bit>
#include <unordered_map>

#include "base/error.h"
#include "base/file.h"
#include "memory/read/foreign.h"
#include "memory/read/process_numbers.h"

namespace lento::memory {
namespace {

using base::Error;

enum RecordType : uint32_t {
  kMmap = 1,
  kComm = 3,
  kSampleRecord = 9,
  kMmap2 = 10,
  kAttributeRecord = 64,
  kTracingData = 66,
  kFinishedRound = 68,
  kAuxTrace = 71,
  kCompressed = 81,
  kCompressed2 = 83,
};

enum SampleBit : uint64_t {
  kIp = 1 << 0,
  kTid = 1 << 1,
  kTime = 1 << 2,
  kAddress = 1 << 3,
  kRead = 1 << 4,
  kCallChain = 1 << 5,
  kId = 1 << 6,
  kCpu = 1 << 7,
  kPeriod = 1 << 8,
  kStreamId = 1 << 9,
  kRaw = 1 << 10,
  kBranchStack = 1 << 11,
  kUserRegisters = 1 << 12,
  kUserStack = 1 << 13,
  kWeight = 1 << 14,
  kDataSource = 1 << 15,
  kIdentifier = 1 << 16,
  kWeightStruct = 1 << 24,
};

constexpr uint64_t kMostHeader = uint64_t{64} << 20;
constexpr uint32_t kBreakpoint = 5;  // perf_event_attr.type

uint64_t little(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count && at + i < bytes.size(); ++i)
    value |= uint64_t{uint8_t(bytes[at + i])} << (8 * i);
  return value;
}

struct Event {
  uint64_t sample_type = 0;
  uint64_t read_format = 0;
  uint64_t branch_type = 0;
  uint64_t user_registers = 0;
  bool watches_writes = false;  // a breakpoint on stores
};

Event parse_event(std::string_view attr) {
  Event e;
  e.sample_type = little(attr, 24, 8);
  e.read_format = little(attr, 32, 8);
  e.branch_type = little(attr, 72, 8);
  e.user_registers = little(attr, 80, 8);
  e.watches_writes = little(attr, 0, 4) == kBreakpoint && little(attr, 52, 4) == 2;
  return e;
}

// Reads the words of a sample one after another. A read past the end returns zeros and sets `bad`.
struct Words {
  std::string_view bytes;
  size_t at = 0;
  bool bad = false;

  uint64_t next() {
    bad |= bytes.size() - at < 8;
    if (bad)
      return 0;
    at += 8;
    return little(bytes, at - 8, 8);
  }
  void skip(uint64_t count, uint64_t size) {
    bad |= count > (bytes.size() - at) / size;
    if (!bad)
      at += count * size;
  }
};

void skip_read(Words& in, uint64_t format) {
  const bool group = format & 8;
  const uint64_t values = 1 + (format >> 2 & 1) + (format >> 4 & 1);
  const uint64_t count = group ? in.next() : 1;
  in.skip((format & 1) + (format >> 1 & 1), 8);
  in.skip(count, 8 * values);
}

// Skips the fields before the data source: call chain, raw data, stacks and registers.
void skip_stacks(Words& in, const Event& e) {
  if (e.sample_type & kCallChain)
    in.skip(in.next(), 8);
  if (e.sample_type & kRaw) {
    const uint64_t size = in.next() & UINT32_MAX;  // the size itself takes 4 of the first word's bytes
    if (size > 4)
      in.skip((size - 4 + 7) / 8, 8);
  }
  if (e.sample_type & kBranchStack) {
    const uint64_t count = in.next();
    if (e.branch_type >> 17 & 1)
      in.next();
    in.skip(count, 24 + 8 * (e.branch_type >> 19 & 1));
  }
  if ((e.sample_type & kUserRegisters) && in.next() != 0)
    in.skip(uint64_t(std::popcount(e.user_registers)), 8);
  if (e.sample_type & kUserStack) {
    const uint64_t size = in.next();
    in.skip(size, 1);
    if (size > 0)
      in.next();
  }
}

// Fields of a sample that describe its process and rate, not the access.
struct SampleContext {
  uint32_t pid = 0;
  uint64_t period = 0;
};

// Returns nullptr, or the reason why the sample is no access.
const char* parse_sample(std::string_view body, const Event& e, AccessRecord& r, SampleContext& context) {
  const uint64_t type = e.sample_type;
  if (!(type & kTime) || !(type & kCpu))
    return "no CPU and time: record with -a or --sample-cpu";
  if (!(type & kAddress))
    return "no data address: record with perf mem, -d or a breakpoint";
  Words in{body};
  if (type & kIdentifier)
    in.next();
  if (type & kIp)
    r.pc = in.next();
  if (type & kTid) {
    const uint64_t ids = in.next();
    context.pid = uint32_t(ids);
    r.thread = uint32_t(ids >> 32);
  }
  r.cycle = in.next();
  r.address = in.next();
  if (type & kId)
    in.next();
  if (type & kStreamId)
    in.next();
  const uint64_t cpu = in.next() & UINT32_MAX;
  if (cpu >= AccessRecord::kNoCpu)
    return "the CPU number is too large";
  r.cpu = uint16_t(cpu);
  if (type & kPeriod)
    context.period = in.next();
  if (type & kRead)
    skip_read(in, e.read_format);
  skip_stacks(in, e);
  const uint64_t weight = type & (kWeight | kWeightStruct) ? in.next() : 0;
  r.flags = AccessRecord::kSampled;
  r.type = e.watches_writes ? AccessType::Store : AccessType::Load;
  if (type & kDataSource)
    apply_perf_data_source(in.next(), r);
  if (in.bad)
    return "a sample is shorter than its fields";
  const uint64_t latency = type & kWeightStruct ? weight & UINT32_MAX : weight;
  if (latency > 0)
    r.latency = uint32_t(std::min<uint64_t>(latency, UINT32_MAX - 1));
  if (r.address == 0)
    return "no data address";
  return nullptr;
}

class PerfDataFile : public BatchSource {
 public:
  PerfDataFile(const std::string& path, base::ReadReport& report, program::TraceFacts* facts)
      : in_(path),
        report_(report),
        processes_(facts),
        facts_(facts) {
    if (facts) {
      facts->usual_line_bytes = 64;
      facts->time_unit = "ns";
    }
    const std::string start = read(16);
    if (start.substr(0, 8) == "2ELIFREP")
      throw Error({path}, "is of a machine with the other byte order", "convert it there: perf script");
    if (start.size() < 16 || start.substr(0, 8) != "PERFILE2")
      throw Error({path}, "is no perf.data");
    const uint64_t header = little(start, 8, 8);
    if (header > 16)
      read_header(start);
  }

 private:
  void fill(std::vector<AccessRecord>& out) override {
    while (ready_ == sorted_ && !done_)
      read_record();
    const size_t n = std::min(kBatch, sorted_ - ready_);
    out.assign(
        waiting_.begin() + static_cast<std::ptrdiff_t>(ready_),
        waiting_.begin() + static_cast<std::ptrdiff_t>(ready_ + n));
    ready_ += n;
  }

  std::string read(uint64_t size) {
    std::string bytes(size, '\0');
    bytes.resize(in_.read(bytes));
    at_ += bytes.size();
    return bytes;
  }

  // Reads everything before the data at once, because the attributes lie at any offset before it.
  void read_header(std::string start) {
    start += read(56);
    const uint64_t attr_size = little(start, 16, 8);
    const uint64_t attrs = little(start, 24, 8);
    const uint64_t bytes = little(start, 32, 8);
    const uint64_t data = little(start, 40, 8);
    end_ = data + little(start, 48, 8);
    if (data < start.size() || data > kMostHeader || attr_size < 80 || attr_size > 4096 || attrs > data ||
        bytes > data - attrs) {
      throw Error({in_.path()}, "the header of the perf.data is damaged");
    }
    if (end_ <= data)
      end_ = UINT64_MAX;  // the recording was cut off: read on
    start += read(data - start.size());
    for (uint64_t at = attrs; at + attr_size <= std::min<uint64_t>(attrs + bytes, start.size());
         at += attr_size) {
      const std::string_view entry = std::string_view(start).substr(at, attr_size);
      const uint64_t ids = little(entry, attr_size - 16, 8);
      const uint64_t size = little(entry, attr_size - 8, 8);
      const bool sane = ids <= start.size() && size <= start.size() - ids;
      add_event(entry, sane ? std::string_view(start).substr(ids, size) : std::string_view());
    }
  }

  void add_event(std::string_view attr, std::string_view ids) {
    events_.push_back(parse_event(attr));
    for (size_t at = 0; at + 8 <= ids.size(); at += 8)
      by_id_[little(ids, at, 8)] = events_.size() - 1;
  }

  // Reads the next record of the file.
  void read_record() {
    if (at_ >= end_)
      return finish();
    const std::string head = read(8);
    if (head.empty())
      return finish();
    const uint64_t type = little(head, 0, 4);
    const uint64_t size = little(head, 6, 2);
    if (head.size() < 8 || size < 8)
      return damaged();
    const std::string body = read(size - 8);
    if (body.size() < size - 8)
      return damaged();
    if (type == kSampleRecord)
      return take(body);
    if (type == kMmap || type == kMmap2)
      return take_mapping(type, little(head, 4, 2), body);
    if (type == kComm)
      return take_name(body);
    if (type == kFinishedRound)
      return end_round();
    if (type == kCompressed || type == kCompressed2)
      throw Error({in_.path()}, "holds compressed records", "record without -z");
    if (type == kAuxTrace)
      return pass_trace(little(body, 0, 8));
    if (type == kTracingData)
      return pass((little(body, 0, 4) + 7) & ~uint64_t{7});
    if (type == kAttributeRecord) {
      const uint64_t attr = std::min<uint64_t>(little(body, 4, 4), body.size());
      add_event(body, std::string_view(body).substr(attr));
    }
  }

  // MMAP: pid tid addr len pgoff name. MMAP2: the same up to pgoff, then device and inode or build id (24
  // bytes), prot, flags, name.
  void take_mapping(uint64_t type, uint64_t misc, std::string_view body) {
    constexpr uint64_t kHasBuildId = 1 << 14;
    const size_t name_at = type == kMmap2 ? 64 : 32;
    const auto pid = uint32_t(little(body, 0, 4));
    if (body.size() <= name_at || pid == UINT32_MAX)
      return;  // damaged, or the kernel's own
    program::Mapping m;
    m.process = processes_.of(pid);  // numbered without facts_ too, so that every pass gives the same numbers
    if (!facts_)
      return;
    m.low = little(body, 8, 8);
    m.high = m.low + little(body, 16, 8);
    m.file_offset = little(body, 24, 8);
    if (type == kMmap2 && (misc & kHasBuildId)) {
      const size_t size = std::min<uint64_t>(little(body, 32, 1), 20);
      for (size_t i = 0; i < size; ++i)
        m.build_id += hex_byte(uint8_t(body[36 + i]));
    }
    const std::string_view name = body.substr(name_at);
    m.path = std::string(name.substr(0, name.find('\0')));
    facts_->names.add_mapping(std::move(m));
  }

  static std::string hex_byte(uint8_t byte) {
    static constexpr char kDigits[] = "0123456789abcdef";
    return {kDigits[byte >> 4], kDigits[byte & 15]};
  }

  // Takes the name of a process.
  void take_name(std::string_view body) {
    if (body.size() <= 8 || little(body, 0, 4) != little(body, 4, 4))
      return;  // a thread's name
    const auto pid = uint32_t(little(body, 0, 4));
    const uint16_t process = processes_.of(pid);
    if (!facts_)
      return;
    const std::string_view name = body.substr(8);
    facts_->names.note_process(process, pid, std::string(name.substr(0, name.find('\0'))));
  }

  void pass_trace(uint64_t bytes) {
    report_.skip({in_.path()}, "undecoded hardware trace: turn it into samples with perf inject --itrace=M");
    pass(bytes);
  }

  void pass(uint64_t bytes) {
    constexpr uint64_t kPiece = 1 << 20;
    for (; bytes > 0; bytes -= std::min(bytes, kPiece)) {
      if (read(std::min(bytes, kPiece)).empty())
        return damaged();
    }
  }

  // Takes a sample: finds its event and decodes the fields that the event recorded.
  void take(std::string_view body) {
    if (events_.empty())
      return report_.skip({in_.path()}, "a sample of no known event");
    const Event* event = &events_.front();
    if (event->sample_type & kIdentifier) {
      const auto at = by_id_.find(little(body, 0, 8));
      if (at != by_id_.end())
        event = &events_[at->second];
    }
    AccessRecord r;
    SampleContext context;
    if (const char* reason = parse_sample(body, *event, r, context))
      return report_.skip({in_.path()}, reason);
    if (context.pid != 0)
      r.process = processes_.of(context.pid);
    if (facts_)
      facts_->period = std::max(facts_->period, double(context.period));
    ++report_.taken;
    newest_ = std::max(newest_, r.cycle);
    waiting_.push_back(r);
  }

  void end_round() {
    release(round_before_);
    round_before_ = newest_;
  }

  // Marks the samples up to `limit` as ready, in trace order.
  void release(uint64_t limit) {
    waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(ready_));
    ready_ = 0;
    std::ranges::stable_sort(waiting_, [](const AccessRecord& a, const AccessRecord& b) {
      if (a.cycle != b.cycle)
        return a.cycle < b.cycle;
      return a.cpu < b.cpu;
    });
    const auto end =
        std::upper_bound(waiting_.begin(), waiting_.end(), limit, [](uint64_t c, const AccessRecord& r) {
          return c < r.cycle;
        });
    sorted_ = size_t(end - waiting_.begin());
  }

  void damaged() {
    report_.skip({in_.path()}, "the file is cut off or damaged here");
    finish();
  }

  void finish() {
    done_ = true;
    release(UINT64_MAX);
  }

  base::InputStream in_;
  base::ReadReport& report_;
  ProcessNumbers processes_;
  program::TraceFacts* facts_;
  std::vector<Event> events_;
  std::unordered_map<uint64_t, size_t> by_id_;
  std::vector<AccessRecord> waiting_;  // [ready_, sorted_) can be given out
  size_t ready_ = 0;
  size_t sorted_ = 0;
  uint64_t at_ = 0;
  uint64_t end_ = UINT64_MAX;
  uint64_t newest_ = 0;
  uint64_t round_before_ = 0;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<AccessSource>
open_perf_data(const std::string& path, base::ReadReport& report, program::TraceFacts* facts) {
  return std::make_unique<PerfDataFile>(path, report, facts);
}

}  // namespace lento::memory
