#include "serve/folder.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"
#include "base/file.h"

namespace lento::serve {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Json;

constexpr size_t kMostFiles = 2000;
constexpr uint64_t kMostBytes = uint64_t{256} << 20;

int64_t unix_seconds(fs::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return std::chrono::duration_cast<std::chrono::seconds>(system.time_since_epoch()).count();
}

}  // namespace

Folder::Folder(const std::string& path) {
  std::error_code code;
  root_ = fs::canonical(path, code);
  if (code || !fs::is_directory(root_))
    throw Error({path}, "is not a folder", "give the folder that holds the JSON diagnoses");
}

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
      base::parse_json(base::read_file(resolve(name).string(), kMostBytes), name), name);
}

Json Folder::describe(const std::string& name, int64_t modified) const {
  Json entry = Json::object();
  entry.set("name", name).set("modified", modified);
  try {
    const finding::Diagnosis d = open(name);
    entry.set("scale", d.scale)
        .set("title", d.title)
        .set("verdict", d.verdict)
        .set("findings", static_cast<uint64_t>(d.findings.size()));
  } catch (const Error& e) {
    entry.set("error", std::string(e.what()));
  }
  return entry;
}

std::string Folder::list() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, Known> now;
  std::error_code code;
  for (fs::directory_iterator it(root_, code), end; it != end && now.size() < kMostFiles;
       it.increment(code)) {
    const std::string name = it->path().filename().string();
    if (code || !name.ends_with(".json") || name.front() == '.' || !it->is_regular_file(code)) continue;
    Known file{it->last_write_time(code), it->file_size(code), {}};
    if (code) continue;
    const auto old = known_.find(name);
    const bool same =
        old != known_.end() && old->second.written == file.written && old->second.size == file.size;
    file.entry = same ? old->second.entry : describe(name, unix_seconds(file.written));
    now.emplace(name, std::move(file));
  }
  known_ = std::move(now);
  std::vector<const Known*> order;
  for (const auto& [name, file] : known_) order.push_back(&file);
  std::stable_sort(order.begin(), order.end(),
                   [](const Known* a, const Known* b) { return a->written > b->written; });
  Json all = Json::array();
  for (const Known* file : order) all.push(file->entry);
  return base::write_json(all);
}

}  // namespace lento::serve
