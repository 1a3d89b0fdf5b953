// Writes probe records as events of the Chrome trace format, buffered in blocks of 1 MiB. Tracks are numbered
// by core and kind, and overlapping records of one kind get further tracks.
#include "chip/sim/chrome_trace.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/json.h"
#include "chip/map/grid.h"

namespace lento::chip {
namespace {

constexpr size_t kFlush = 1 << 20;
constexpr size_t kMostLanes = 10'000;  // tracks reserved for each kind
constexpr std::array<const char*, 4> kKinds{"compute", "message", "read", "write"};

}  // namespace

ChromeTrace::ChromeTrace(const std::string& path, const Mapping& mapping, const spec::Chip& chip)
    : file_(path),
      microseconds_(1e6 / chip.clock_hz) {
  for (const MappedLayer& layer : mapping.layers) {
    if (names_.size() <= size_t(layer.id))
      names_.resize(layer.id + 1, "\"\"");
    names_[layer.id] =
        base::write_json(base::Json(layer.name.empty() ? "layer" + std::to_string(layer.id) : layer.name));
  }
  buffer_ = "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n";
  const Grid grid(chip);
  for (int core = 0; core < grid.core_count(); ++core) {
    buffer_ += std::string(core > 0 ? ",\n" : "") +
               "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + std::to_string(core) +
               ",\"args\":{\"name\":\"" + grid.core_name(core) + "\"}}";
  }
}

// Returns the number of the first track for the record's core and kind that is free at its begin. The spans
// of one track must not overlap, as messages of one core may.
size_t ChromeTrace::track(const ProbeRecord& r) {
  const size_t kind = size_t(r.kind);
  const size_t first = r.core * kKinds.size() + kind;
  if (lanes_.size() <= first)
    lanes_.resize(first + 1);
  std::vector<uint64_t>& ends = lanes_[first];
  size_t lane = 0;
  while (lane < ends.size() && ends[lane] > r.begin)
    ++lane;
  const size_t id = kind * kMostLanes + std::min(lane, kMostLanes - 1);
  if (lane == ends.size()) {
    ends.push_back(0);
    buffer_ += ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" + std::to_string(r.core) +
               ",\"tid\":" + std::to_string(id) + ",\"args\":{\"name\":\"" + kKinds[kind] + "\"}}";
  }
  ends[lane] = r.end;
  return id;
}

chip::RecordSink::Outcome ChromeTrace::record(const ProbeRecord& r) {
  const size_t tid = track(r);
  char text[320];
  std::snprintf(
      text,
      sizeof text,
      ",\n{\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%u,\"tid\":%zu,\"args\":{\"work\":%llu,\"peer\":%u,"
      "\"inference\":%u,\"step\":%u},\"name\":",
      double(r.begin) * microseconds_,
      double(r.end - r.begin) * microseconds_,
      r.core,
      tid,
      static_cast<unsigned long long>(r.work),
      r.peer,
      r.inference,
      r.step);
  buffer_.append(text).append(r.layer < names_.size() ? names_[r.layer] : "\"\"").append("}");
  if (buffer_.size() >= kFlush) {
    file_.write(buffer_);
    buffer_.clear();
  }
  return {};
}

void ChromeTrace::commit() {
  file_.write(buffer_ + "\n]}\n");
  file_.commit();
}

}  // namespace lento::chip
