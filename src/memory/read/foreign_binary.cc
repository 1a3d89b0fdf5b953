// Reads the binary foreign traces. All lengths come from the input, so each is bounded before it is used.
// Memory: a drmemtrace zip is held whole (at most 1 GiB), and at most 65,536 requests of gem5 wait for their
// response.
//
//   champsim    records of 64 bytes: ip 8, is_branch 1, taken 1, 2 + 4 registers, 2 x 8 stores, 4 x 8 loads
//   drmemtrace  a zip whose members, in order, hold 12-byte records {u16 type, u16 size, u64 address}
//   gem5        "gem5", then length-delimited protobuf: a header, then packets
#include <zlib.h>

#include <map>

#include "base/bytes.h"
#include "base/error.h"
#include "base/file.h"
#include "memory/read/foreign.h"
#include "memory/read/process_numbers.h"

namespace lento::memory {
namespace {

using base::Error;
using base::ReadReport;

constexpr uint64_t kLargestFile = uint64_t{1} << 30;

uint64_t little(const char* bytes, size_t count) {
  uint64_t value = 0;
  for (size_t i = 0; i < count; ++i)
    value |= uint64_t{uint8_t(bytes[i])} << (8 * i);
  return value;
}

class ChampSimSource : public BatchSource {
 public:
  ChampSimSource(const std::string& path, ReadReport& report)
      : in_(path),
        report_(report) {
  }

 private:
  void fill(std::vector<AccessRecord>& out) override {
    char bytes[64];
    while (out.size() < kBatch) {
      const size_t n = in_.read(bytes);
      if (n == 0)
        return;
      if (n < sizeof bytes)
        return report_.skip({in_.path()}, "the last instruction record is cut off");
      ++tick_;
      AccessRecord r;
      r.cycle = tick_;
      r.pc = r.address = little(bytes, 8);
      r.type = AccessType::Fetch;
      add(r, out);
      for (size_t slot = 0; slot < 6; ++slot) {
        r.address = little(bytes + 16 + 8 * slot, 8);
        r.type = slot < 2 ? AccessType::Store : AccessType::Load;
        if (r.address != 0)
          add(r, out);
      }
    }
  }

  void add(const AccessRecord& r, std::vector<AccessRecord>& out) {
    ++report_.taken;
    out.push_back(r);
  }

  base::InputStream in_;
  ReadReport& report_;
  uint64_t tick_ = 0;
};

// Inflates the members of a zip piece by piece, in the order of their local headers. Only members as
// DynamoRIO writes them are accepted: deflated, with their sizes in the header.
class ZipMembers {
 public:
  explicit ZipMembers(const std::string& path)
      : path_(path),
        file_(base::read_file(path, kLargestFile)) {
  }
  ~ZipMembers() {
    if (inflating_)
      inflateEnd(&stream_);
  }
  ZipMembers(const ZipMembers&) = delete;
  ZipMembers& operator=(const ZipMembers&) = delete;

  // Reads up to `size` bytes of the members one after another. Returns 0 at the end.
  size_t read(char* out, size_t size) {
    for (;;) {
      if (!inflating_ && !open_member())
        return 0;
      stream_.next_out = reinterpret_cast<Bytef*>(out);
      stream_.avail_out = static_cast<uInt>(size);
      const int state = inflate(&stream_, Z_NO_FLUSH);
      const size_t got = size - stream_.avail_out;
      if (state == Z_STREAM_END) {
        inflateEnd(&stream_);
        inflating_ = false;
      } else if (state != Z_OK || got == 0) {
        throw Error({path_}, "a member of the zip is damaged");
      }
      if (got > 0)
        return got;
    }
  }

 private:
  // Opens the next file in the zip archive. Returns false at the end.
  bool open_member() {
    if (file_.compare(at_, 4, "PK\x03\x04") != 0)
      return false;
    if (file_.size() - at_ < 30)
      throw Error({path_}, "the zip is cut off");
    const char* h = file_.data() + at_;
    const uint64_t flags = little(h + 6, 2);
    const uint64_t method = little(h + 8, 2);
    const uint64_t packed = little(h + 18, 4);
    const uint64_t skip = 30 + little(h + 26, 2) + little(h + 28, 2);
    if ((flags & 9) != 0 || method != 8)
      throw Error({path_}, "a zip member is not plainly deflated");
    if (skip + packed > file_.size() - at_)
      throw Error({path_}, "the zip is cut off");
    stream_ = {};
    stream_.next_in = reinterpret_cast<Bytef*>(file_.data() + at_ + skip);
    stream_.avail_in = static_cast<uInt>(packed);
    at_ += skip + packed;
    inflating_ = inflateInit2(&stream_, -MAX_WBITS) == Z_OK;
    return inflating_;
  }

  std::string path_;
  std::string file_;
  size_t at_ = 0;
  z_stream stream_ = {};
  bool inflating_ = false;
};

// Reads DynamoRIO's records. Time and CPU come from markers, and the pc from the instruction before an
// access.
class DrMemTraceSource : public BatchSource {
 public:
  DrMemTraceSource(const std::string& path, ReadReport& report, program::TraceFacts* facts)
      : zip_(path),
        report_(report),
        path_(path),
        processes_(facts),
        facts_(facts) {
    if (!facts)
      return;
    facts->usual_line_bytes = 64;
    facts->time_unit = "us";
  }

 private:
  // Types of records.
  static constexpr uint16_t kThread = 22;
  static constexpr uint16_t kProcess = 24;
  enum Marker : uint16_t {
    kTimestamp = 2,
    kCpuId = 3,
    kLineSize = 10
  };

  void fill(std::vector<AccessRecord>& out) override {
    while (out.size() < kBatch) {
      while (held_ - used_ < 12) {
        std::copy(bytes_ + used_, bytes_ + held_, bytes_);
        held_ -= used_;
        used_ = 0;
        const size_t n = zip_.read(bytes_ + held_, sizeof bytes_ - held_);
        if (n == 0) {
          if (held_ > 0)
            report_.skip({path_}, "the last record is cut off");
          held_ = 0;
          return;
        }
        held_ += n;
      }
      const char* b = bytes_ + used_;
      used_ += 12;
      take(uint16_t(little(b, 2)), uint16_t(little(b + 2, 2)), little(b + 4, 8), out);
    }
  }

  // Takes one entry of a DynamoRIO trace: a marker, an instruction or an access.
  void take(uint16_t type, uint16_t size, uint64_t address, std::vector<AccessRecord>& out) {
    if (type == 28) {
      if (size == kTimestamp)
        time_ = address;
      if (size == kCpuId)
        cpu_ = address < AccessRecord::kNoCpu ? uint16_t(address) : 0;
      if (size == kLineSize && facts_ && address <= 4096)
        facts_->line_bytes = uint32_t(address);
      return;
    }
    if (type == kThread)
      thread_ = uint32_t(address);
    if (type == kProcess)
      process_ = processes_.of(uint32_t(address));
    AccessRecord r;
    const bool instruction =
        (type >= 10 && type <= 16) || type == 30 || type == 31 || type == 48 || type == 49;
    if (instruction) {
      pc_ = address;
      r.type = AccessType::Fetch;
    } else if (type <= 1) {
      r.type = type == 0 ? AccessType::Load : AccessType::Store;
    } else if ((type >= 2 && type <= 9) || (type >= 32 && type <= 46)) {
      r.type = AccessType::Prefetch;
    } else {
      return;
    }
    r.cycle = time_;
    r.cpu = cpu_;
    r.pc = pc_;
    r.address = address;
    r.thread = thread_;
    r.process = process_;
    r.size = uint8_t(size > 255 ? 0 : size);
    ++report_.taken;
    out.push_back(r);
  }

  ZipMembers zip_;
  ReadReport& report_;
  std::string path_;
  char bytes_[12 * 4096];
  size_t held_ = 0;
  size_t used_ = 0;
  ProcessNumbers processes_;
  program::TraceFacts* facts_;
  uint64_t time_ = 0;
  uint64_t pc_ = 0;
  uint32_t thread_ = 0;
  uint16_t cpu_ = 0;
  uint16_t process_ = 0;
};

// Refuses cpu_schedule.bin.zip by its name. It lies in the same folder, and its records cannot be
// distinguished by content.
void refuse_schedule(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  if (name.find("cpu_schedule") == std::string::npos && name.find("serial_schedule") == std::string::npos)
    return;
  throw Error(
      {path},
      "is DynamoRIO's record of which thread ran when, not of accesses",
      "give the files drmemtrace.*.zip; they hold the CPUs too");
}

// Decodes one protobuf message into its numeric fields below number 16. Throws when it is damaged.
class Protobuf {
 public:
  explicit Protobuf(std::string_view bytes)
      : bytes_(bytes) {
    while (at_ < bytes_.size()) {
      const uint64_t key = varint();
      const uint64_t field = key >> 3;
      switch (key & 7) {
        case 0:
          set(field, varint());
          break;
        case 1:
          skip(8);
          break;
        case 2:
          skip(varint());
          break;
        case 5:
          skip(4);
          break;
        default:
          fail();
      }
    }
  }
  bool has(size_t field) const {
    return field < 16 && (known_ >> field & 1);
  }
  uint64_t at(size_t field) const {
    if (has(field))
      return values_[field];
    return 0;
  }

 private:
  // Decodes a variable-length integer.
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size())
        fail();
      const auto byte = uint8_t(bytes_[at_++]);
      value |= uint64_t{byte & 127u} << shift;
      if (byte < 128)
        return value;
    }
    fail();
  }
  void skip(uint64_t count) {
    if (count > bytes_.size() - at_)
      fail();
    at_ += count;
  }
  void set(uint64_t field, uint64_t value) {
    if (field < 16) {
      values_[field] = value;
      known_ |= 1u << field;
    }
  }
  [[noreturn]] static void fail() {
    throw Error({}, "a packet message is damaged");
  }

  std::string_view bytes_;
  size_t at_ = 0;
  uint64_t values_[16] = {};
  uint32_t known_ = 0;
};

// Joins each request with the response of the same requestor and address. The difference of their ticks is
// the latency.
class Gem5Source : public BatchSource {
 public:
  Gem5Source(const std::string& path, ReadReport& report, program::TraceFacts* facts)
      : in_(path),
        report_(report) {
    char magic[4];
    if (in_.read(magic) != 4 || std::string_view(magic, 4) != "gem5")
      throw Error({path}, "does not start with 'gem5'");
    std::string header;
    message(header);
    // Ticks have a fixed rate, nearly always picoseconds. The trace does not hold the cycle time of a CPU.
    const uint64_t rate = Protobuf(header).at(3);
    if (!facts)
      return;
    facts->usual_line_bytes = 64;
    facts->time_unit = rate == 1'000'000'000'000 ? "ps" : "ticks";
    facts->latency_unit = facts->time_unit;
  }

 private:
  static constexpr size_t kMostWaiting = size_t{1} << 16;
  static constexpr uint64_t kLargestMessage = 1 << 20;

  // Reads the next message of the protobuf stream. Returns false at the end of the file.
  bool message(std::string& out) {
    uint64_t size = 0;
    for (int shift = 0;; shift += 7) {
      char byte;
      if (in_.read({&byte, 1}) == 0)
        return false;
      size |= uint64_t{uint8_t(byte) & 127u} << shift;
      if (uint8_t(byte) < 128)
        break;
      if (shift > 28)
        throw Error({in_.path()}, "a message length is damaged");
    }
    if (size > kLargestMessage)
      throw Error({in_.path()}, "a message is longer than 1 MiB");
    out.resize(size);
    if (in_.read(out) != size) {
      report_.skip({in_.path()}, "the last message is cut off");
      return false;
    }
    return true;
  }

  // Codes of MemCmd: 1 ReadReq, 2 ReadResp, 3 ReadRespWithInvalidate, 4 WriteReq, 5 WriteResp.
  void fill(std::vector<AccessRecord>& out) override {
    std::string bytes;
    while (out.size() < kBatch && !ended_) {
      if (!message(bytes)) {
        ended_ = true;
        break;
      }
      const Protobuf packet(bytes);
      const uint64_t command = packet.at(2);
      const std::pair<uint64_t, uint64_t> key{packet.at(6), packet.at(3)};
      if (command == 1 || command == 4) {
        request(packet, key);
      } else if (command == 2 || command == 3 || command == 5) {
        response(packet.at(1), key);
      } else {
        report_.skip({in_.path()}, "a packet that is neither read nor write");
      }
      release(out);
    }
    if (ended_) {
      for (auto& [order, r] : records_)
        out.push_back(r), ++report_.taken;
      records_.clear();
    }
  }

  // Adds a request packet as an access that waits for its response.
  void request(const Protobuf& packet, const std::pair<uint64_t, uint64_t>& key) {
    AccessRecord r;
    r.cycle = packet.at(1);
    r.address = packet.at(3);
    r.pc = packet.at(7);
    r.cpu = uint16_t(packet.at(6) % AccessRecord::kNoCpu);
    r.type = packet.at(2) == 4 ? AccessType::Store : AccessType::Load;
    r.size = uint8_t(packet.at(4) > 255 ? 0 : packet.at(4));
    records_.emplace(next_, r);
    waiting_[key] = next_++;
  }

  // Sets the latency of an access from its response packet.
  void response(uint64_t tick, const std::pair<uint64_t, uint64_t>& key) {
    const auto at = waiting_.find(key);
    if (at == waiting_.end())
      return report_.skip({in_.path()}, "a response without its request");
    const auto r = records_.find(at->second);
    if (r != records_.end() && tick >= r->second.cycle && tick - r->second.cycle < UINT32_MAX) {
      r->second.latency = uint32_t(tick - r->second.cycle);
    }
    waiting_.erase(at);
  }

  // Releases the oldest requests once they are answered, or when too many wait.
  void release(std::vector<AccessRecord>& out) {
    while (!records_.empty()) {
      const auto first = records_.begin();
      if (first->second.latency == AccessRecord::kNoLatency && records_.size() < kMostWaiting)
        return;
      if (waiting_.size() >= kMostWaiting)
        waiting_.clear();
      out.push_back(first->second);
      ++report_.taken;
      records_.erase(first);
    }
  }

  base::InputStream in_;
  ReadReport& report_;
  std::map<uint64_t, AccessRecord> records_;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> waiting_;
  uint64_t next_ = 0;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<AccessSource>
open_gem5(const std::string& path, ReadReport& report, program::TraceFacts* facts) {
  return std::make_unique<Gem5Source>(path, report, facts);
}
std::unique_ptr<AccessSource>
open_drmemtrace(const std::string& path, ReadReport& report, program::TraceFacts* facts) {
  refuse_schedule(path);
  return std::make_unique<DrMemTraceSource>(path, report, facts);
}
std::unique_ptr<AccessSource>
open_champsim(const std::string& path, ReadReport& report, program::TraceFacts* facts) {
  if (facts) {
    facts->usual_line_bytes = 64;
    facts->time_unit = "instructions";
  }
  return std::make_unique<ChampSimSource>(path, report);
}

}  // namespace lento::memory
