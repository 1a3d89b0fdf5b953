// The folder of an app store: appends entries to the log, signs each new head, answers clients, and audits
// the whole. Only log lines below the signed size count, so a publish that was interrupted adds no entry. A
// lock file admits one writer at a time. Cost: a publish reads, hashes and writes the whole log.
#include "tile/seal/store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/json.h"
#include "base/number.h"

namespace lento::tile {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr uint64_t kMaxObject = uint64_t{4} << 20;
constexpr uint64_t kMaxLog = uint64_t{256} << 20;

std::vector<std::string> read_log(const std::string& folder) {
  const std::string text = base::read_file(folder + "/log.jsonl", kMaxLog);
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) {
      throw base::Error({folder + "/log.jsonl", int(lines.size() + 1)}, "the last line is cut short");
    }
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<Digest> leaves_of(const std::vector<std::string>& lines) {
  std::vector<Digest> leaves;
  for (const std::string& line : lines)
    leaves.push_back(leaf_digest(line));
  return leaves;
}

// Writes size and root of the log, with their signature, into one file, so that no reader finds one without
// the other.
void sign_head(const std::string& folder, const SecretKey& key, const std::vector<std::string>& lines) {
  const std::string text = write_head({lines.size(), tree_root(leaves_of(lines))});
  base::write_file(folder + "/head", text + sign(key, text, "tile store head"));
}

std::string read_head(const std::string& folder) {
  return base::read_file(folder + "/head", kMaxObject);
}

// Returns the lines of the log up to the size in its head, whose signature is not checked here. Later lines
// belong to a publish that was interrupted.
std::vector<std::string> signed_log(const std::string& folder) {
  const uint64_t size = parse_head(parse_signed_head(read_head(folder)).text, folder + "/head").size;
  std::vector<std::string> lines = read_log(folder);
  if (lines.size() > size)
    lines.resize(size);
  return lines;
}

// Holds the lock of a store, so that there is one writer at a time, also across processes.
class StoreLock {
 public:
  explicit StoreLock(const std::string& folder)
      : file_(::open((folder + "/lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    if (file_ < 0 || ::flock(file_, LOCK_EX) != 0) {
      if (file_ >= 0)
        ::close(file_);
      throw base::Error({folder + "/lock"}, "cannot lock the store");
    }
  }
  ~StoreLock() {
    ::close(file_);
  }
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  int file_;
};

// Returns the log. Throws base::Error unless its head is that log's and signed by `key`, because the key must
// only sign extensions of that log.
std::vector<std::string> own_log(const std::string& folder, const SecretKey& key) {
  const std::vector<std::string> lines = signed_log(folder);
  const TreeHead head = trusted_head(ask_folder(folder), public_part(key), {});
  if (head != TreeHead{lines.size(), tree_root(leaves_of(lines))})
    throw base::Error(
        {folder + "/log.jsonl"},
        "the log is not the one that its head signs",
        "it was changed by something else than 'store publish'");
  return lines;
}

std::string put_object(const std::string& folder, const std::string& bytes) {
  const std::string digest = sha256_hex(bytes);
  base::write_file(folder + "/objects/" + digest, bytes);
  return digest;
}

std::string proof_json(const std::vector<Digest>& proof) {
  Json out = Json::array();
  for (const Digest& digest : proof)
    out.push(to_hex(digest));
  return base::write_json(out);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

// Returns "INDEX\nENTRY" of a program's newest log entry among the first `size`, or nothing.
std::optional<std::string>
find_entry(const std::vector<std::string>& lines, const std::string& name, uint64_t size) {
  for (size_t i = std::min<uint64_t>(size, lines.size()); i-- > 0;) {
    if (parse_entry(lines[i], "log.jsonl").name == name)
      return std::to_string(i) + "\n" + lines[i];
  }
  return std::nullopt;
}

constexpr uint64_t kNoNumber = UINT64_MAX;

uint64_t number_at(const std::vector<std::string>& parts, size_t i) {
  return i < parts.size() ? base::try_uint(parts[i]).value_or(kNoNumber) : kNoNumber;
}

// Answers a request (Ask), split at '/', for an entry, a proof or the newest entry of a name. Returns nothing
// when the log has no answer.
std::optional<std::string> answer_log(const std::string& folder, const std::vector<std::string>& parts) {
  const std::vector<std::string> lines = signed_log(folder);
  const uint64_t first = number_at(parts, 1);
  const uint64_t second = number_at(parts, 2);
  if (parts[0] == "find" && second != kNoNumber)
    return find_entry(lines, parts[1], second);
  if (parts[0] == "entry" && first < lines.size())
    return lines[first];
  if (second > lines.size())
    return std::nullopt;
  if (parts[0] == "inclusion" && first < second)
    return proof_json(inclusion_proof(leaves_of(lines), first, second));
  if (parts[0] == "consistency" && first >= 1 && first <= second)
    return proof_json(consistency_proof(leaves_of(lines), first, second));
  return std::nullopt;
}

// Adds a problem for each file of a log entry that is missing or does not have the logged digest. When all
// have it, checks the developer and the rollback counter of the image against those in the log.
void audit_objects(const std::string& folder, const LogEntry& entry, Audit& out) {
  const size_t before = out.problems.size();
  for (const std::string* digest :
       {&entry.image,
        &entry.signature,
        &entry.certificate,
        &entry.certificate_signature,
        &entry.approval,
        &entry.approval_signature}) {
    if (digest->empty())
      continue;
    ++out.objects;
    const std::string path = folder + "/objects/" + *digest;
    std::error_code error;
    if (!fs::exists(path, error))
      out.problems.push_back("object " + *digest + " of '" + entry.name + "' is missing");
    else if (sha256_hex(base::read_file(path, kMaxObject)) != *digest) {
      out.problems.push_back("object " + *digest + " of '" + entry.name + "' was changed");
    }
  }
  if (out.problems.size() > before)
    return;
  const auto text = [&](const std::string& digest) {
    return base::read_file(folder + "/objects/" + digest, kMaxObject);
  };
  Submission submission{{entry.name + ".ypu", text(entry.image), text(entry.signature)}, {}, {}, {}};
  if (!entry.certificate.empty())
    submission.certificate =
        Signed{entry.name + ".cert", text(entry.certificate), text(entry.certificate_signature)};
  if (developer_of(submission) != entry.developer)
    out.problems.push_back("an entry of '" + entry.name + "' names another developer than its image has");
  const std::string image = folder + "/objects/" + entry.image;
  if (parse_image(base::read_file(image, kMaxObject), image).rollback != entry.rollback)
    out.problems.push_back(
        "the counter of '" + entry.name + "' in the log is not that of image " + entry.image);
}

}  // namespace

// Makes a store whose log is empty, with its head signed by `key`. Throws base::Error when the folder holds a
// store already.
void init_store(const std::string& folder, const SecretKey& key) {
  std::error_code error;
  if (fs::exists(folder + "/log.jsonl", error))
    throw base::Error({folder}, "there is a store already");
  fs::create_directories(folder + "/objects", error);
  if (error)
    throw base::Error({folder}, "cannot make the folder: " + error.message());
  base::write_file(folder + "/log.jsonl", "");
  sign_head(folder, key, {});
}

uint64_t publish(
    const std::string& folder,
    const SecretKey& key,
    const std::string& name,
    const Submission& submission) {
  check_program_name(name);
  const StoreLock lock(folder);
  std::vector<std::string> lines = own_log(folder, key);
  LogEntry entry;
  entry.name = name;
  entry.rollback = parse_image(submission.image.text, submission.image.name).rollback;
  const auto last = find_entry(lines, name, lines.size());
  const LogEntry before = last ? parse_entry(last->substr(last->find('\n') + 1), folder) : LogEntry{};
  const uint32_t counter = before.rollback;
  entry.developer = developer_of(submission);
  if (last && before.developer != entry.developer) {
    throw base::Error(
        {submission.image.name},
        "the name '" + name + "' belongs to another developer",
        "publish under a name of your own");
  }
  if (entry.rollback < counter) {
    throw base::Error(
        {submission.image.name},
        "rollback: the image has counter " + std::to_string(entry.rollback) + ", the last release of '" +
            name + "' has " + std::to_string(counter));
  }
  entry.image = put_object(folder, submission.image.text);
  entry.signature = put_object(folder, submission.image.signature);
  if (submission.certificate) {
    entry.certificate = put_object(folder, submission.certificate->text);
    entry.certificate_signature = put_object(folder, submission.certificate->signature);
  }
  if (submission.approval) {
    entry.approval = put_object(folder, submission.approval->text);
    entry.approval_signature = put_object(folder, submission.approval->signature);
  }
  lines.push_back(write_entry(entry));
  std::string log;
  for (const std::string& line : lines)
    log += line + "\n";
  base::write_file(folder + "/log.jsonl", log);
  sign_head(folder, key, lines);
  return lines.size() - 1;
}

// Returns a function that answers a client's requests from a local folder, as a server would.
Ask ask_folder(const std::string& folder) {
  return [folder](const std::string& question) -> std::optional<std::string> {
    if (question == "head")
      return read_head(folder);
    const std::vector<std::string> parts = split(question);
    if (parts[0] != "object")
      return answer_log(folder, parts);
    const bool good = parts.size() == 2 && parts[1].size() == 64 &&
                      parts[1].find_first_not_of("0123456789abcdef") == std::string::npos;
    const std::string path = folder + "/objects/" + (good ? parts[1] : "");
    std::error_code error;
    if (!good || !fs::is_regular_file(path, error))
      return std::nullopt;
    return base::read_file(path, kMaxObject);
  };
}

Audit audit(const std::string& folder, const PublicKey& store, const std::optional<TreeHead>& remembered) {
  Audit out;
  try {
    const std::vector<std::string> lines = read_log(folder);
    const std::vector<Digest> leaves = leaves_of(lines);
    out.head = trusted_head(ask_folder(folder), store, remembered);
    if (out.head != TreeHead{lines.size(), tree_root(leaves)})
      out.problems.push_back("the signed head is not the log's");
    std::map<std::string, std::string> owners;
    for (const std::string& line : lines) {
      const LogEntry entry = parse_entry(line, folder + "/log.jsonl");
      audit_objects(folder, entry, out);
      if (owners.emplace(entry.name, entry.developer).first->second != entry.developer)
        out.problems.push_back("the name '" + entry.name + "' changes hands in the log");
    }
  } catch (const base::Error& error) {
    out.problems.push_back(error.what());
  }
  return out;
}

}  // namespace lento::tile
