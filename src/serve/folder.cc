// Reads a folder of diagnoses for the web application. Names come from the network, so each is resolved to a
// real path that must lie directly in the folder. Files are parsed again only when their time or size
// changed.
#include "serve/folder.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "base/file.h"
#include "base/sniff.h"

namespace lento::serve {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Json;

constexpr size_t kMostFiles = 2000;
constexpr size_t kMostSeen = 1'000'000;
constexpr uint64_t kMostBytes = uint64_t{256} << 20;

int64_t unix_seconds(fs::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::seconds>(system.time_since_epoch()).count();
}

// Returns a number to sort verdicts by, the worst highest: findings by their cost and certainty, then
// diagnoses that could not judge, then healthy ones.
double severity(const finding::Diagnosis& d) {
  if (d.outcome == finding::Outcome::CannotJudge)
    return 0.5;
  double worst = 0;
  for (const finding::Finding& f : d.findings) {
    const double lost = f.lost_share ? *f.lost_share : f.factor && *f.factor > 1 ? 1 - 1 / *f.factor : 0.5;
    worst = std::max(worst, 1 + f.score * lost);
  }
  return std::isfinite(worst) ? worst : 1;
}

}  // namespace

Folder::Folder(const std::string& path) {
  std::error_code code;
  root_ = fs::canonical(path, code);
  if (code || !fs::is_directory(root_))
    throw Error({path}, "is not a folder", "give the folder that holds the JSON diagnoses");
}

// Returns the path of a diagnosis. Throws base::Error for names outside the folder.
fs::path Folder::resolve(const std::string& name) const {
  const bool plain = !name.empty() && name.size() < 256 && name.find('/') == std::string::npos &&
                     name.find('\0') == std::string::npos && name.front() != '.' && name.ends_with(".json");
  std::error_code code;
  const fs::path real = plain ? fs::canonical(root_ / name, code) : fs::path();
  if (!plain || code || real.parent_path() != root_ || !fs::is_regular_file(real))
    throw Error({name.substr(0, 80)}, "no such diagnosis");
  return real;
}

finding::Diagnosis Folder::open(const std::string& name) const {
  return finding::diagnosis_from_json(
      base::parse_json(base::read_file(resolve(name).string(), kMostBytes), name),
      name);
}

Json Folder::describe(const std::string& name, int64_t modified) const {
  Json entry = Json::object();
  entry.set("name", name);
  entry.set("modified", modified);
  try {
    const finding::Diagnosis d = open(name);
    entry.set("scale", d.scale);
    entry.set("title", d.title);
    entry.set("verdict", d.verdict);
    entry.set("outcome", std::string(finding::name(d.outcome)));
    entry.set("severity", severity(d));
    entry.set("findings", uint64_t(d.findings.size()));
    if (!d.findings.empty())
      entry.set("much", finding::factor_text(d.findings.front()));
  } catch (const Error& e) {
    // A file of another kind, such as a mapping or a profiler's trace, is not listed as a damaged diagnosis.
    const base::FileKind kind = base::kind_of_file((root_ / name).string());
    if (kind.format != "JSON" && !kind.format.empty() && kind.noun != "diagnosis")
      return {};
    entry.set("error", std::string(e.what()));
  }
  return entry;
}

std::string Folder::stamp(const std::string& name) const {
  const fs::path file = resolve(name);
  std::error_code code;
  const auto written = fs::last_write_time(file, code).time_since_epoch().count();
  return std::to_string(written) + " " + std::to_string(fs::file_size(file, code));
}

// Returns the newest files by falling time, then by name.
std::vector<Folder::Listed> Folder::list_newest() const {
  std::vector<Listed> files;
  std::error_code code;
  for (fs::directory_iterator it(root_, code), end; !code && it != end && files.size() < kMostSeen;
       it.increment(code)) {
    std::error_code own;  // a file that is removed meanwhile is left out
    const std::string name = it->path().filename().string();
    if (!name.ends_with(".json") || name.front() == '.' || !it->is_regular_file(own))
      continue;
    Listed file{name, it->last_write_time(own), it->file_size(own), {}};
    if (!own)
      files.push_back(std::move(file));
  }
  const auto newer = [](const Listed& a, const Listed& b) {
    if (a.written != b.written)
      return a.written > b.written;
    return a.name < b.name;
  };
  std::ranges::sort(files, newer);
  if (files.size() > kMostFiles)
    files.resize(kMostFiles);
  return files;
}

std::string Folder::list() {
  // While one request reads changed files, which may be large, other requests get the previous list.
  const std::unique_lock reading(mutex_, std::try_to_lock);
  if (!reading) {
    const std::lock_guard lock(text_mutex_);
    if (!text_.empty())
      return text_;
  }
  const std::unique_lock waited = reading ? std::unique_lock<std::mutex>() : std::unique_lock(mutex_);
  std::map<std::string, Listed> now;
  Json all = Json::array();
  for (Listed& file : list_newest()) {
    const auto old = listed_.find(file.name);
    const bool same =
        old != listed_.end() && old->second.written == file.written && old->second.size == file.size;
    file.entry = same ? old->second.entry : describe(file.name, unix_seconds(file.written));
    if (!file.entry.is_null())
      all.push(file.entry);
    now.emplace(file.name, std::move(file));
  }
  listed_ = std::move(now);
  std::string text = base::write_json(all);
  const std::lock_guard lock(text_mutex_);
  text_ = text;
  return text;
}

}  // namespace lento::serve
