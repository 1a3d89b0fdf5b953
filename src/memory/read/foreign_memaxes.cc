// Reads samples of Mitos / MemAxes: CSV with a header that names at least time (hexadecimal), cpu and
// latency. The columns `variable`, `source` and `line` become the names of the trace. `dataSource` holds the
// bits of Intel's load latency facility: the level (4 bits), a miss of the second TLB, a locked access. It is
// decimal, but hexadecimal in files in which any value has a letter.
#include <algorithm>
#include <array>
#include <set>

#include "base/error.h"
#include "base/scan/csv.h"
#include "memory/read/foreign_lines.h"

namespace lento::memory {
namespace {

// Returns the service by the lowest four bits of Intel's data source (Linux, arch/x86/events/intel/ds.c).
Service service_of(uint64_t source) {
  constexpr std::array<Service, 16> kBySource = {
      Service::Unknown,  // missed the last cache; the source is not stated
      Service::L1,
      Service::Buffer,
      Service::L2,
      Service::L3,
      Service::L3,  // no other core had the line
      Service::L3,  // other cores had the line too
      Service::LocalPeer,
      Service::RemoteMemory,  // a cache of another node, not modified: it answers like its memory
      Service::RemotePeer,
      Service::LocalMemory,
      Service::RemoteMemory,
      Service::LocalMemory,
      Service::RemoteMemory,
      Service::Unknown,  // input and output
      Service::Unknown};
  return kBySource[source & 15];
}

class MemAxesSource : public BatchSource {
 public:
  MemAxesSource(const std::string& path, base::ReadReport& report, program::TraceFacts* facts)
      : in_(path, report),
        report_(report),
        facts_(facts) {
    time_ = in_.require("time");
    cpu_ = in_.require("cpu");
    latency_ = in_.require("latency");
    address_ = in_.find("addr");
    ip_ = in_.find("ip");
    index_ = in_.find("index");
    variable_ = in_.find("variable");
    source_ = in_.find("source");
    line_ = in_.find("line");
    type_ = in_.find("op_type");
    node_ = in_.find("node") >= 0 ? in_.find("node") : in_.find("numa");
    thread_ = in_.find("tid");
    level_ = in_.find("level");
    hit_ = in_.find("hit_type");
    data_source_ = in_.find("dataSource");
    if (!facts_)
      return;
    facts_->usual_line_bytes = 64;
    facts_->time_unit = "ticks";
  }

 private:
  // Samples come CPU by CPU or in order of time. They are read whole, 2^22 of them at most, and sorted.
  void fill(std::vector<AccessRecord>& out) override {
    if (!read_)
      read_all();
    read_ = true;
    const size_t n = std::min(kBatch, records_.size() - at_);
    out.assign(
        records_.begin() + static_cast<std::ptrdiff_t>(at_),
        records_.begin() + static_cast<std::ptrdiff_t>(at_ + n));
    at_ += n;
  }

  // Reads all samples. The data sources are decoded at the end.
  void read_all() {
    while (in_.next()) {
      AccessRecord r;
      const auto time = hex_number(in_.text(time_));
      const auto cpu = base::try_uint(in_.text(cpu_));
      const auto latency = base::try_uint(in_.text(latency_));
      if (!time || !cpu || !latency || *cpu >= AccessRecord::kNoCpu || *latency >= UINT32_MAX) {
        report_.skip(in_.where(time_), "time, cpu or latency is no number");
        continue;
      }
      if (records_.size() == kMostSamples) {
        report_.skip(in_.where(time_), "more than 4194304 samples in one file");
        continue;
      }
      ++report_.taken;
      r.cycle = *time;
      r.cpu = uint16_t(*cpu);
      r.latency = uint32_t(*latency);
      r.flags = AccessRecord::kSampled;
      r.address = address_ >= 0 ? hex_number(in_.text(address_)).value_or(0) : synthetic_address();
      r.pc = ip_ >= 0 ? hex_number(in_.text(ip_)).value_or(0) : synthetic_pc();
      if (thread_ >= 0)
        r.thread = uint32_t(base::try_uint(in_.text(thread_)).value_or(0));
      if (node_ >= 0) {
        const auto node = base::try_uint(in_.text(node_));
        if (node && *node < AccessRecord::kNoNode)
          r.node = uint8_t(*node);
      }
      if (level_ >= 0)
        take_level(r);
      if (data_source_ >= 0)
        sources_.push_back(in_.text(data_source_));
      if (type_ >= 0 && in_.text(type_).find("tore") != std::string::npos)
        r.type = AccessType::Store;
      records_.push_back(r);
    }
    take_sources();
    std::ranges::stable_sort(records_, [](const AccessRecord& a, const AccessRecord& b) {
      if (a.cycle != b.cycle)
        return a.cycle < b.cycle;
      return a.cpu < b.cpu;
    });
  }

  // Decodes the collected data sources, as hexadecimal when one of them needs it.
  void take_sources() {
    // A cell that is no number in either base is no evidence for a base.
    const bool letters = std::ranges::any_of(sources_, [](const std::string& text) {
      return hex_number(text) && !base::try_uint(text);
    });
    for (size_t i = 0; i < sources_.size(); ++i) {
      const auto source = letters ? hex_number(sources_[i]) : base::try_uint(sources_[i]);
      if (!source || records_[i].service != Service::Unknown)
        continue;
      constexpr uint64_t kLocked = 32;
      if (*source & kLocked)
        records_[i].type = AccessType::Atomic;
      set_service(service_of(*source), records_[i]);
    }
    sources_ = {};
  }

  static void set_service(Service service, AccessRecord& r) {
    r.service = service;
    r.flags |= AccessRecord::kServiceKnown;
    if (service == Service::L1)
      r.flags |= AccessRecord::kLocal;
  }

  // Takes a level such as "L1", "LFB", "L2", "L3", "Local RAM", "Remote RAM 1 Hop" or "Remote Cache 1 Hops".
  void take_level(AccessRecord& r) const {
    const std::string& level = in_.text(level_);
    const bool remote = level.find("Remote") != std::string::npos;
    const bool memory = level.find("RAM") != std::string::npos;
    if (level.starts_with("L1"))
      r.service = Service::L1;
    if (level.starts_with("LFB"))
      r.service = Service::Buffer;
    if (level.starts_with("L2"))
      r.service = Service::L2;
    if (level.starts_with("L3"))
      r.service = Service::L3;
    if (memory || remote)
      r.service = remote ? Service::RemoteMemory : Service::LocalMemory;
    const bool modified = hit_ >= 0 && in_.text(hit_).find("HITM") != std::string::npos;
    if (modified)
      r.service = remote ? Service::RemotePeer : Service::LocalPeer;
    if (r.service != Service::Unknown)
      set_service(r.service, r);
  }

  // Composes a code address of source file and line, 2^24 lines per file, for files without instruction
  // addresses.
  uint64_t synthetic_pc() {
    if (line_ < 0)
      return 0;
    const std::string file = source_ >= 0 ? in_.text(source_) : "";
    const uint64_t line = base::try_uint(in_.text(line_)).value_or(0) & 0xffffff;
    auto at = std::ranges::find(files_, file);
    if (at == files_.end())
      at = files_.insert(at, file);
    const uint64_t pc = (uint64_t(at - files_.begin()) + 1) << 24 | line;
    if (facts_ && lines_.insert(pc).second)
      facts_->names.add_code({0, pc, pc + 1, file + ":" + std::to_string(line), ""});
    return pc;
  }

  // Composes an address of variable and element for files without addresses. Each variable gets 2^32 bytes of
  // its own, 8 bytes per element.
  uint64_t synthetic_address() {
    const std::string name = variable_ >= 0 ? in_.text(variable_) : "";
    auto at = std::ranges::find(names_, name);
    const bool fresh = at == names_.end();
    if (fresh)
      at = names_.insert(at, name);
    const uint64_t low = (uint64_t(at - names_.begin()) + 1) << 32;
    if (fresh && facts_ && !name.empty())
      facts_->names.add_data({0, low, low + (uint64_t{1} << 32), name, ""});
    const uint64_t index = index_ >= 0 ? base::try_uint(in_.text(index_)).value_or(0) : 0;
    return low | (index * 8 & UINT32_MAX);
  }

  static constexpr size_t kMostSamples = size_t{1} << 22;
  base::CsvReader in_;
  base::ReadReport& report_;
  program::TraceFacts* facts_;
  int time_;
  int cpu_;
  int latency_;
  int address_;
  int ip_;
  int index_;
  int variable_;
  int source_;
  int line_;
  int type_;
  int node_;
  int thread_;
  int level_;
  int hit_;
  int data_source_;
  std::vector<std::string> names_;
  std::vector<std::string> files_;
  std::set<uint64_t> lines_;
  std::vector<AccessRecord> records_;
  std::vector<std::string> sources_;  // by record, until all are read
  size_t at_ = 0;
  bool read_ = false;
};

}  // namespace

std::unique_ptr<AccessSource>
open_memaxes(const std::string& path, base::ReadReport& report, program::TraceFacts* facts) {
  return std::make_unique<MemAxesSource>(path, report, facts);
}

}  // namespace lento::memory
