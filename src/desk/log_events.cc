// Adds the events of kernel logs to a watch of metrics, because they show why a machine is slow. Files are
// read whole by the readers of the desk, since a line may need earlier lines, and only when they changed.
// When all files together exceed kMostBytes, the largest are left out.
#include "desk/log_events.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "desk/diagnose.h"
#include "desk/kernel/kernel.h"
#include "desk/read/log_date.h"

namespace lento::desk {
namespace {

constexpr uint64_t kMostBytes = uint64_t{64} << 20;  // of all files: a second of reading
constexpr int64_t kEvery_ms = 10'000;

int64_t wall_ms() {
  return fleet::system_clock().wall_ms();
}

// Returns the time of an event in milliseconds since 1970, or nothing when its clock has no date. A time
// without a year is placed in this year or, when that is more than a day in the future, in the last one.
std::optional<int64_t> time_of(const Event& e) {
  if (e.time.clock == Clock::Unix)
    return int64_t(e.time.seconds * 1000);
  if (e.time.clock != Clock::Yearless)
    return std::nullopt;
  return int64_t(with_year(e.time.seconds, double(wall_ms()) / 1000) * 1000);
}

std::string text_of(const Event& e) {
  constexpr size_t kMost = 120;
  std::string text = e.meaning.empty() ? e.kind : e.meaning;
  if (!e.subject.device.empty())
    text = e.subject.device + ": " + text;
  if (e.kind.starts_with("xid/"))
    text = "Xid " + e.kind.substr(4) + ", " + text;
  return text.substr(0, kMost);
}

}  // namespace

fleet::CodeMeaning meaning_of_xid(int64_t code) {
  const Xid* known = xid(code);
  if (!known)
    return {};
  const bool fault = known->severity == Severity::Fault &&
                     (known->origin == Origin::Hardware || known->origin == Origin::Link);
  return {known->meaning, known->action, fault};
}

LogEvents::LogEvents(std::vector<std::string> paths, std::function<void(const std::string&)> note)
    : paths_(std::move(paths)),
      note_(std::move(note)) {
}

LogEvents::Stamps LogEvents::stamps() const {
  Stamps out;
  size_t left_out = 0;
  uint64_t bytes = 0;
  for (const std::string& path : files_of(paths_, left_out)) {
    std::error_code code;
    const uint64_t size = std::filesystem::file_size(path, code);
    const auto changed = std::filesystem::last_write_time(path, code);
    if (code)
      continue;
    bytes += size;
    out[path] = {size, int64_t(changed.time_since_epoch().count())};
  }
  while (bytes > kMostBytes && !out.empty()) {
    const auto largest = std::ranges::max_element(out, {}, [](const auto& file) {
      return file.second.first;
    });
    bytes -= largest->second.first;
    out.erase(largest);
  }
  return out;
}

void LogEvents::read(const Stamps& files) {
  std::vector<std::string> paths;
  for (const auto& [path, stamp] : files)
    paths.push_back(path);
  const Records records = read_all_files(paths);
  events_.clear();
  for (const Event& e : records.events()) {
    const std::optional<int64_t> ms = time_of(e);
    if (ms && e.severity != Severity::Note && !e.subject.host.empty())
      events_.push_back({e.subject.host, *ms, text_of(e)});
  }
  std::ranges::stable_sort(events_, {}, &fleet::MachineEvent::time_ms);
}

std::vector<fleet::MachineEvent> LogEvents::since(int64_t begin_ms) {
  const int64_t now = fleet::system_clock().steady_ms();
  if (looked_ms_ == INT64_MIN || now - looked_ms_ >= kEvery_ms) {
    looked_ms_ = now;
    try {
      Stamps files = stamps();
      if (files != read_)
        read(files);
      read_ = std::move(files);
      noted_ = false;
    } catch (const std::exception& e) {
      if (!std::exchange(noted_, true))
        note_(e.what());
    }
  }
  std::vector<fleet::MachineEvent> out;
  for (const fleet::MachineEvent& e : events_) {
    if (e.time_ms >= begin_ms)
      out.push_back(e);
  }
  return out;
}

}  // namespace lento::desk
