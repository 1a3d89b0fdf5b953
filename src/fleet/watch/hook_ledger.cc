// Reads and appends the ledger of hooks under a file lock, and decides whether a hook may run.
#include "fleet/watch/hook_ledger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace lento::fleet {
namespace {

constexpr int64_t kElsewhere =
    900'000;  // ms after which a start on another host without an outcome is unknown
constexpr off_t kMostBytes = off_t{64} << 20;

// Returns field 22 of /proc/PID/stat: when the process began, in ticks since boot. "" without such a
// process.
std::string start_of(const std::string& pid) {
  std::string text;
  try {
    text = base::read_file("/proc/" + pid + "/stat", 1 << 16);
  } catch (const base::Error&) {
    return "";
  }
  size_t at = text.rfind(')');  // the name before it may hold spaces
  for (int field = 2; field < 22 && at != std::string::npos; ++field)
    at = text.find(' ', at + 1);
  if (at == std::string::npos)
    return "";
  return text.substr(at + 1, text.find(' ', at + 1) - at - 1);
}

std::string host_name() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string line_of(const HookLedger::Event& e) {
  base::Json json = base::Json::object();
  json.set("time", e.time_ms);
  json.set("task", e.task);
  json.set("machine", e.machine);
  json.set("event", e.event);
  if (e.event == "ended")
    json.set("status", int64_t(e.status));
  json.set("by", e.by);
  return base::write_json(json) + "\n";
}

// The last event of a machine in a task, and the last start of its hook. Null: none.
struct Last {
  const HookLedger::Event* any = nullptr;
  const HookLedger::Event* start = nullptr;
};

std::map<std::string, Last> last_of(const std::vector<HookLedger::Event>& events, const std::string& task) {
  std::map<std::string, Last> last;
  for (const HookLedger::Event& e : events) {
    if (e.task != task)
      continue;
    Last& l = last[e.machine];
    l.any = &e;
    if (e.event == "started")
      l.start = &e;
  }
  return last;
}

}  // namespace

// Holds the open file under an exclusive lock. Blocks until other processes release theirs.
class HookLedger::Locked {
 public:
  explicit Locked(const std::string& path)
      : path_(path) {
    if (path.empty())
      return;
    const bool fresh = !std::filesystem::exists(path);
    file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file_ < 0 || ::flock(file_, LOCK_EX) != 0)
      fail("cannot open and lock the ledger of hooks");
    if (fresh)
      sync_folder();
  }
  ~Locked() {
    if (file_ >= 0)
      ::close(file_);
  }
  Locked(const Locked&) = delete;

  std::string text() const {
    const off_t size = ::lseek(file_, 0, SEEK_END);
    if (size < 0 || size > kMostBytes)
      fail("the ledger of hooks is over 64 MiB: move it away");
    std::string out(size_t(size), '\0');
    if (::pread(file_, out.data(), out.size(), 0) != size)
      fail("cannot read the ledger of hooks");
    return out;
  }

  // Appends a line and syncs it to the disk. Throws base::Error and removes the line when either fails.
  void append(std::string line) const {
    const off_t size = ::lseek(file_, 0, SEEK_END);
    char last = '\n';
    if (size > 0 && ::pread(file_, &last, 1, size - 1) != 1)
      fail("cannot read the ledger of hooks");
    if (last != '\n')
      line = "\n" + line;
    const ssize_t wrote = ::pwrite(file_, line.data(), line.size(), size);
    if (wrote != static_cast<ssize_t>(line.size()) || ::fsync(file_) != 0) {
      if (::ftruncate(file_, size) != 0)
        fail("cannot write the ledger of hooks, nor mend it");
      fail("cannot write the ledger of hooks");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw base::Error({path_}, what + ": " + std::strerror(errno), "no hook is run without it");
  }
  void sync_folder() const {
    const std::string folder = std::filesystem::absolute(path_).parent_path();
    const int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (at < 0)
      return;
    ::fsync(at);
    ::close(at);
  }

  std::string path_;
  int file_ = -1;
};

HookLedger::HookLedger(std::string path, std::string by)
    : path_(std::move(path)),
      by_(std::move(by)) {
}

std::string HookLedger::process_name() {
  const std::string pid = std::to_string(::getpid());
  return host_name() + ":" + pid + ":" + start_of(pid);
}

bool HookLedger::alive(const std::string& by) {
  const size_t second = by.rfind(':');
  const size_t first = second == std::string::npos || second == 0 ? second : by.rfind(':', second - 1);
  if (first == std::string::npos)
    return false;
  const std::string start = start_of(by.substr(first + 1, second - first - 1));
  return !start.empty() && start == by.substr(second + 1);
}

std::vector<HookLedger::Event> HookLedger::events(Locked& file) {
  if (path_.empty())
    return memory_;
  std::vector<Event> out;
  const std::string text = file.text();
  const base::Location where{path_};
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.empty())
      continue;
    try {
      const base::Json json = base::parse_json(line, path_);
      Event e{
          json.at("time", where).integer(where),
          json.at("task", where).string(where),
          json.at("machine", where).string(where),
          json.at("event", where).string(where),
          json.at("by", where).string(where)};
      e.status = int(std::clamp(json.number_or("status", 0, where), double(INT32_MIN), double(INT32_MAX)));
      out.push_back(std::move(e));
    } catch (const base::Error&) {
      continue;  // a line cut by a crash
    }
  }
  return out;
}

void HookLedger::append(Locked& file, const Event& event) {
  if (path_.empty())
    memory_.push_back(event);
  else
    file.append(line_of(event));
}

HookLedger::Answer
HookLedger::claim(const std::string& task, const std::string& machine, int64_t now_ms, size_t per_hour) {
  Locked file(path_);
  const std::vector<Event> known = events(file);
  const auto last = last_of(known, task);
  // A time in the future, from a clock that stepped back since, counts as within the last hour.
  const auto recent = [&](const Event& e) {
    return e.time_ms > now_ms - kHour;
  };
  if (const auto at = last.find(machine); at != last.end() && at->second.start) {
    if (at->second.any->event != "cleared" || recent(*at->second.start))
      return Answer::Before;
  }
  const auto used = size_t(std::ranges::count_if(known, [&](const Event& e) {
    return e.task == task && e.event == "started" && recent(e);
  }));
  if (used >= per_hour)
    return Answer::Capped;
  append(file, {now_ms, task, machine, "started", by_});
  return Answer::Run;
}

void HookLedger::ended(const std::string& task, const std::string& machine, int64_t now_ms, int status) {
  Locked file(path_);
  append(file, {now_ms, task, machine, "ended", by_, status});
}

void HookLedger::cleared(const std::string& task, const std::string& machine, int64_t now_ms) {
  Locked file(path_);
  const std::vector<Event> known = events(file);
  const auto last = last_of(known, task);
  const auto at = last.find(machine);
  if (at == last.end() || at->second.any->event == "cleared")
    return;
  append(file, {now_ms, task, machine, "cleared", by_});
}

std::vector<HookLedger::Event> HookLedger::unknown(const std::string& task, int64_t now_ms) {
  Locked file(path_);
  const std::vector<Event> known = events(file);
  std::vector<Event> out;
  for (const auto& [machine, last] : last_of(known, task)) {
    if (last.any->event != "started")
      continue;
    const std::string host = last.any->by.substr(0, last.any->by.find(':'));
    const bool here = host == host_name();
    const bool gone = here ? !alive(last.any->by) : now_ms - last.any->time_ms > kElsewhere;
    if (gone)
      out.push_back(*last.any);
  }
  return out;
}

void HookLedger::told_unknown(const Event& start, int64_t now_ms) {
  Locked file(path_);
  append(file, {now_ms, start.task, start.machine, "unknown", by_});
}

}  // namespace lento::fleet
