// Reads kernels, ranges and communicators from an Nsight Systems profile in SQLite. Tables, with the columns
// that are used (documented by the export's schema reference):
//
//   StringIds                        id, value
//   CUPTI_ACTIVITY_KIND_KERNEL       start, end, deviceId, streamId, correlationId, globalPid, shortName,
//                                    demangledName
//   CUPTI_ACTIVITY_KIND_RUNTIME      start, correlationId, globalTid
//   NVTX_EVENTS                      start, end, text, textId, globalTid, binaryData
//   NVTX_PAYLOAD_SCHEMAS             schemaId, payloadSize
//   NVTX_PAYLOAD_SCHEMA_ENTRIES      schemaId, name, type, offset
//   TARGET_INFO_SESSION_START_TIME   utcEpochNs
//   TARGET_INFO_SYSTEM_ENV           name, value
//
// A payload (NVTX_EVENTS.binaryData) is a head of 32 bytes, little endian, and the fields at the offsets of
// the schema:
//
//   u32 domain, u32 -, u32 schema, u32 -, u64 size of the fields, u64 size of all
#include "fleet/ranks/read/nsight.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "fleet/ranks/read/sqlite_file.h"

namespace lento::fleet::ranks {
namespace {

constexpr size_t kHead = 32;
constexpr const char* kCommunicator = "NCCL communicator ID";
constexpr const char* kBytes = "Message size [bytes]";
constexpr const char* kPeer = "Peer rank";
constexpr const char* kRanks = "No. of ranks";
constexpr const char* kRank = "Rank";
constexpr const char* kDevice = "CUDA device";

struct Field {
  std::string name;
  size_t offset = 0;
};

struct Schema {
  size_t size = 0;
  std::vector<Field> fields;
};

uint64_t little_endian(std::string_view bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width; ++i)
    value |= uint64_t(uint8_t(bytes[at + i])) << (8 * i);
  return value;
}

// Finds fields of a payload by name. A field is eight bytes wide, or less when the next field begins earlier.
class Payload {
 public:
  Payload(std::string_view bytes, const Schema& schema)
      : bytes_(bytes),
        schema_(schema) {
  }
  std::optional<uint64_t> find(std::string_view name) const {
    const auto field = std::ranges::find(schema_.fields, name, &Field::name);
    if (field == schema_.fields.end())
      return std::nullopt;
    size_t end = schema_.size;
    for (const Field& f : schema_.fields) {
      if (f.offset > field->offset)
        end = std::min(end, f.offset);
    }
    if (end <= field->offset)
      return std::nullopt;
    const bool wide = name == kCommunicator || name == kBytes;
    const size_t width = std::min<size_t>(end - field->offset, wide ? 8 : 4);
    if (kHead + field->offset + width > bytes_.size())
      return std::nullopt;
    return little_endian(bytes_, kHead + field->offset, width);
  }

 private:
  std::string_view bytes_;
  const Schema& schema_;
};

class NsightReader {
 public:
  NsightReader(const std::string& path, base::ReadReport& report)
      : file_(path),
        report_(report) {
    out_.file = path;
  }

  NsightTrace read() {
    if (!file_.has("CUPTI_ACTIVITY_KIND_KERNEL") && !file_.has("NVTX_EVENTS"))
      throw base::Error(
          {out_.file},
          "no kernels of a GPU and no NVTX ranges in the database",
          "profile with nsys profile --trace=cuda,nvtx and export with nsys export --type sqlite");
    read_session();
    read_names();
    read_launches();
    read_kernels();
    read_schemas();
    read_ranges();
    report_.taken += out_.kernels.size() + out_.ranges.size();
    return std::move(out_);
  }

 private:
  void read_session() {
    file_.rows("TARGET_INFO_SESSION_START_TIME", {"utcEpochNs"}, "", [&](const SqliteRow& row) {
      out_.epoch_ns = row.integer(0);
    });
    file_.rows("TARGET_INFO_SYSTEM_ENV", {"name", "value"}, "", [&](const SqliteRow& row) {
      if (row.text(0) == "Hostname")
        out_.host = std::string(row.text(1));
    });
  }

  void read_names() {
    file_.rows("StringIds", {"id", "value"}, "", [&](const SqliteRow& row) {
      index_.emplace(row.integer(0), int32_t(out_.names.size()));
      out_.names.emplace_back(row.text(1));
    });
  }

  int32_t name_of(const SqliteRow& row, int column) const {
    const auto found = row.null(column) ? index_.end() : index_.find(row.integer(column));
    if (found == index_.end())
      return -1;
    return found->second;
  }

  int32_t name_of(std::string_view text) {
    const auto [found, fresh] = texts_.emplace(text, int32_t(out_.names.size()));
    if (fresh)
      out_.names.emplace_back(text);
    return found->second;
  }

  struct Launch {
    int64_t at = 0;
    int64_t thread = 0;
  };

  static uint64_t launch_key(int64_t process, int64_t correlation) {
    return uint64_t(process) << 40 ^ uint64_t(correlation);
  }

  void read_launches() {
    file_.rows(
        "CUPTI_ACTIVITY_KIND_RUNTIME",
        {"start", "correlationId", "globalTid"},
        "",
        [&](const SqliteRow& row) {
          const int64_t thread = row.integer(2);
          launches_[launch_key(nsight_process(thread), row.integer(1))] = {row.integer(0), thread};
        });
  }

  // Reads the kernels with process, device and launch.
  void read_kernels() {
    const std::vector<std::string> columns{
        "start",
        "end",
        "deviceId",
        "streamId",
        "correlationId",
        "globalPid",
        "shortName",
        "demangledName"};
    file_.rows("CUPTI_ACTIVITY_KIND_KERNEL", columns, "start", [&](const SqliteRow& row) {
      NsightKernel k;
      k.begin_ns = row.integer(0);
      k.end_ns = row.integer(1);
      if (!plausible(k.begin_ns, k.end_ns))
        return;
      k.device = int32_t(row.integer(2));
      k.stream = int32_t(row.integer(3));
      k.process = nsight_process(row.integer(5));
      k.name = name_of(row, 6);
      if (k.name < 0)
        k.name = name_of(row, 7);
      const auto launch = launches_.find(launch_key(k.process, row.integer(4)));
      if (launch != launches_.end()) {
        k.launched_ns = launch->second.at;
        k.thread = launch->second.thread;
      }
      out_.kernels.push_back(k);
    });
  }

  void read_schemas() {
    constexpr int64_t kLargest = 1 << 20;
    file_.rows("NVTX_PAYLOAD_SCHEMAS", {"schemaId", "payloadSize"}, "", [&](const SqliteRow& row) {
      schemas_[row.integer(0)].size = size_t(std::clamp<int64_t>(row.integer(1), 0, kLargest));
    });
    file_.rows("NVTX_PAYLOAD_SCHEMA_ENTRIES", {"schemaId", "name", "offset"}, "", [&](const SqliteRow& row) {
      const auto schema = schemas_.find(row.integer(0));
      if (schema == schemas_.end())
        return;
      const int64_t offset = std::clamp<int64_t>(row.integer(2), 0, kLargest);
      schema->second.fields.push_back({std::string(row.text(1)), size_t(offset)});
    });
  }

  // Reads the NVTX ranges, among them NCCL's.
  void read_ranges() {
    const std::vector<std::string> columns{"start", "end", "globalTid", "text", "textId", "binaryData"};
    file_.rows("NVTX_EVENTS", columns, "start", [&](const SqliteRow& row) {
      NsightRange r;
      r.begin_ns = row.integer(0);
      r.end_ns = row.integer(1, r.begin_ns);
      if (!plausible(r.begin_ns, r.end_ns))
        return;
      r.thread = row.integer(2);
      r.text = row.null(3) ? name_of(row, 4) : name_of(row.text(3));
      read_payload(row.bytes(5), r);
      out_.ranges.push_back(r);
    });
  }

  // Reads communicator and size from the payload of one of NCCL's ranges.
  void read_payload(std::string_view bytes, NsightRange& r) {
    if (bytes.size() < kHead)
      return;
    const auto schema = schemas_.find(int64_t(little_endian(bytes, 8, 4)));
    if (schema == schemas_.end())
      return;
    const Payload payload(bytes, schema->second);
    const auto communicator = payload.find(kCommunicator);
    if (!communicator)
      return;
    const auto ranks = payload.find(kRanks);
    if (ranks) {
      NsightMember m;
      m.communicator = *communicator;
      m.process = nsight_process(r.thread);
      m.ranks = int32_t(std::min<uint64_t>(*ranks, 1 << 24));
      m.rank = int32_t(payload.find(kRank).value_or(0));
      m.device = int32_t(payload.find(kDevice).value_or(0));
      out_.members.push_back(m);
      return;
    }
    const auto size = payload.find(kBytes);
    if (!size)
      return;
    r.communicator = *communicator;
    r.bytes = int64_t(std::min<uint64_t>(*size, uint64_t{1} << 50));
    r.peer = int32_t(payload.find(kPeer).value_or(UINT32_MAX));
  }

  bool plausible(int64_t begin, int64_t end) {
    constexpr int64_t kLatest = int64_t{1} << 60;
    const bool whole = begin >= 0 && end >= begin && end < kLatest;
    if (!whole)
      report_.skip({out_.file}, "an event whose times cannot be");
    return whole;
  }

  SqliteFile file_;
  base::ReadReport& report_;
  NsightTrace out_;
  std::unordered_map<int64_t, int32_t> index_;
  std::unordered_map<std::string, int32_t> texts_;
  std::unordered_map<uint64_t, Launch> launches_;
  std::unordered_map<int64_t, Schema> schemas_;
};

}  // namespace

const std::string& NsightTrace::name(int32_t index) const {
  static const std::string none;
  if (index < 0 || size_t(index) >= names.size())
    return none;
  return names[size_t(index)];
}

NsightTrace read_nsight(const std::string& path, base::ReadReport& report) {
  return NsightReader(path, report).read();
}

}  // namespace lento::fleet::ranks
