#include "tile/seal/store.h"

#include <filesystem>

#include "base/file.h"
#include "base/http.h"
#include "base/json.h"
#include "base/number.h"

namespace lento::tile {
namespace {

namespace fs = std::filesystem;
using base::Json;

constexpr uint64_t kMaxObject = uint64_t{4} << 20, kMaxLog = uint64_t{256} << 20;
constexpr size_t kMaxProof = 64;

void check_name(const std::string& name) {
  const bool good = !name.empty() && name.size() <= 64 && name[0] != '.' &&
                    name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") == std::string::npos;
  if (!good) throw base::Error({}, "'" + name + "' is not a program name", "1 to 64 of a-z 0-9 . _ -");
}

std::vector<std::string> read_log(const std::string& folder) {
  const std::string text = base::read_file(folder + "/log.jsonl", kMaxLog);
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    if (end == std::string::npos) {
      throw base::Error({folder + "/log.jsonl", static_cast<int>(lines.size() + 1)},
                        "the last line is cut short");
    }
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::vector<Digest> leaves_of(const std::vector<std::string>& lines) {
  std::vector<Digest> leaves;
  for (const std::string& line : lines) leaves.push_back(leaf_digest(line));
  return leaves;
}

void sign_head(const std::string& folder, const SecretKey& key, const std::vector<std::string>& lines) {
  const std::string text = write_head({lines.size(), tree_root(leaves_of(lines))});
  base::write_file(folder + "/head.json", text);
  base::write_file(folder + "/head.json.minisig", sign(key, text, "tile store head"));
}

std::string put_object(const std::string& folder, const std::string& bytes) {
  const std::string digest = sha256_hex(bytes);
  base::write_file(folder + "/objects/" + digest, bytes);
  return digest;
}

std::string proof_json(const std::vector<Digest>& proof) {
  Json out = Json::array();
  for (const Digest& digest : proof) out.push(to_hex(digest));
  return base::write_json(out);
}

std::vector<Digest> parse_proof(const std::string& text, const std::string& file) {
  const Json json = base::parse_json(text, file);
  std::vector<Digest> out;
  for (const Json& item : json.array({file})) {
    if (out.size() == kMaxProof) throw base::Error({file}, "a proof has at most 64 digests");
    out.push_back(digest_from_hex(item.string({file}), file));
  }
  return out;
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

std::optional<std::string> find_entry(const std::vector<std::string>& lines, const std::string& name) {
  for (size_t i = lines.size(); i-- > 0;) {
    if (parse_entry(lines[i], "log.jsonl").name == name) return std::to_string(i) + "\n" + lines[i];
  }
  return std::nullopt;
}

std::optional<std::string> answer_log(const std::string& folder, const std::vector<std::string>& parts) {
  const std::vector<std::string> lines = read_log(folder);
  if (parts[0] == "find" && parts.size() == 2) return find_entry(lines, parts[1]);
  const auto first = parts.size() > 1 ? base::try_uint(parts[1]) : std::nullopt;
  const auto second = parts.size() > 2 ? base::try_uint(parts[2]) : std::nullopt;
  if (parts[0] == "entry" && first && *first < lines.size()) return lines[*first];
  if (!first || !second || *second > lines.size()) return std::nullopt;
  if (parts[0] == "inclusion" && *first < *second) {
    return proof_json(inclusion_proof(leaves_of(lines), *first, *second));
  }
  if (parts[0] == "consistency" && *first >= 1 && *first <= *second) {
    return proof_json(consistency_proof(leaves_of(lines), *first, *second));
  }
  return std::nullopt;
}

std::string demand(const Ask& ask, const std::string& question) {
  auto answer = ask(question);
  if (!answer) throw base::Error({}, "the store has no answer to '" + question + "'");
  return *answer;
}

TreeHead demand_head(const Ask& ask, const PublicKey& store) {
  const std::string text = demand(ask, "head");
  const SignatureCheck check = verify(store, text, demand(ask, "head.minisig"), "head.minisig");
  if (check.state != SignatureState::Good) {
    throw base::Error({"head"}, "the log's head is not signed by the store's key " + key_id(store));
  }
  return parse_head(text, "head");
}

void require_extension(const Ask& ask, const TreeHead& old_head, const TreeHead& head) {
  if (head.size < old_head.size) {
    throw base::Error({"head"}, "the log was replayed: it has " + std::to_string(head.size) + " entries, " +
                                    std::to_string(old_head.size) + " were seen before");
  }
  if (old_head.size == 0) return;
  const std::string question =
      "consistency/" + std::to_string(old_head.size) + "/" + std::to_string(head.size);
  const std::vector<Digest> proof = parse_proof(demand(ask, question), question);
  if (!verify_consistency(old_head.size, old_head.root, head.size, head.root, proof)) {
    throw base::Error({"head"}, "the log was rewritten: its head does not extend the one seen before");
  }
}

std::string demand_object(const Ask& ask, const std::string& digest) {
  const std::string bytes = demand(ask, "object/" + digest);
  if (sha256_hex(bytes) != digest)
    throw base::Error({"object/" + digest}, "the object does not have its digest");
  return bytes;
}

std::optional<Signed> demand_pair(const Ask& ask, const std::string& name, const std::string& text,
                                  const std::string& signature) {
  if (text.empty() || signature.empty()) return std::nullopt;
  return Signed{name, demand_object(ask, text), demand_object(ask, signature)};
}

void audit_objects(const std::string& folder, const LogEntry& entry, Audit& out) {
  for (const std::string* digest :
       {&entry.image, &entry.signature, &entry.certificate, &entry.certificate_signature, &entry.approval,
        &entry.approval_signature}) {
    if (digest->empty()) continue;
    ++out.objects;
    const std::string path = folder + "/objects/" + *digest;
    if (!fs::exists(path))
      out.problems.push_back("object " + *digest + " of '" + entry.name + "' is missing");
    else if (sha256_hex(base::read_file(path, kMaxObject)) != *digest) {
      out.problems.push_back("object " + *digest + " of '" + entry.name + "' was changed");
    }
  }
}

}  // namespace

std::string write_entry(const LogEntry& entry) {
  Json json = Json::object();
  json.set("name", entry.name).set("rollback", int64_t{entry.rollback});
  json.set("image", entry.image).set("signature", entry.signature);
  json.set("certificate", entry.certificate).set("certificate_signature", entry.certificate_signature);
  json.set("approval", entry.approval).set("approval_signature", entry.approval_signature);
  return base::write_json(json);
}

LogEntry parse_entry(const std::string& line, const std::string& file) {
  const Json json = base::parse_json(line, file);
  const base::Location where{file};
  LogEntry entry;
  entry.name = json.at("name", where).string(where);
  check_name(entry.name);
  entry.rollback = static_cast<uint32_t>(json.at("rollback", where).integer(where, 0, UINT32_MAX));
  const auto digest = [&](std::string_view key, bool required) {
    const std::string text = json.at(key, where).string(where);
    if (required || !text.empty()) digest_from_hex(text, file);
    return text;
  };
  entry.image = digest("image", true);
  entry.signature = digest("signature", true);
  entry.certificate = digest("certificate", false);
  entry.certificate_signature = digest("certificate_signature", false);
  entry.approval = digest("approval", false);
  entry.approval_signature = digest("approval_signature", false);
  if (write_entry(entry) != line) throw base::Error(where, "a log entry is not in its one written form");
  return entry;
}

std::string write_head(const TreeHead& head) {
  Json json = Json::object();
  json.set("schema", "lento.tile-head/1").set("size", head.size).set("root", to_hex(head.root));
  return base::write_json(json) + "\n";
}

TreeHead parse_head(const std::string& text, const std::string& file) {
  const Json json = base::parse_json(text, file);
  const base::Location where{file};
  if (json.at("schema", where).string(where) != "lento.tile-head/1") {
    throw base::Error(where, "not a log head", "schema must be lento.tile-head/1");
  }
  return {static_cast<uint64_t>(json.at("size", where).integer(where, 0)),
          digest_from_hex(json.at("root", where).string(where), file)};
}

void init_store(const std::string& folder, const SecretKey& key) {
  if (fs::exists(folder + "/log.jsonl")) throw base::Error({folder}, "there is a store already");
  std::error_code error;
  fs::create_directories(folder + "/objects", error);
  if (error) throw base::Error({folder}, "cannot make the folder: " + error.message());
  base::write_file(folder + "/log.jsonl", "");
  sign_head(folder, key, {});
}

uint64_t publish(const std::string& folder, const SecretKey& key, const std::string& name,
                 const Submission& submission) {
  check_name(name);
  std::vector<std::string> lines = read_log(folder);
  LogEntry entry;
  entry.name = name;
  entry.rollback = parse_image(submission.image.text, submission.image.name).rollback;
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
  for (const std::string& line : lines) log += line + "\n";
  base::write_file(folder + "/log.jsonl", log);
  sign_head(folder, key, lines);
  return lines.size() - 1;
}

Ask ask_folder(const std::string& folder) {
  return [folder](const std::string& question) -> std::optional<std::string> {
    if (question == "head") return base::read_file(folder + "/head.json", kMaxObject);
    if (question == "head.minisig") return base::read_file(folder + "/head.json.minisig", kMaxObject);
    const std::vector<std::string> parts = split(question);
    if (parts[0] != "object") return answer_log(folder, parts);
    const bool good = parts.size() == 2 && parts[1].size() == 64 &&
                      parts[1].find_first_not_of("0123456789abcdef") == std::string::npos;
    const std::string path = folder + "/objects/" + (good ? parts[1] : "");
    if (!good || !fs::is_regular_file(path)) return std::nullopt;
    return base::read_file(path, kMaxObject);
  };
}

Ask ask_http(const std::string& address) {
  return [address](const std::string& question) -> std::optional<std::string> {
    const base::HttpReply reply = base::http_get(address + "/" + question, {10, kMaxObject});
    if (reply.status != 200) return std::nullopt;
    return reply.body;
  };
}

Fetched fetch(const Ask& ask, const PublicKey& store, const std::optional<TreeHead>& remembered,
              const std::string& name) {
  check_name(name);
  Fetched out;
  out.head = demand_head(ask, store);
  if (remembered) require_extension(ask, *remembered, out.head);
  const std::string found = demand(ask, "find/" + name);
  const size_t line_end = std::min(found.find('\n'), found.size());
  const auto index = base::try_uint(std::string_view(found).substr(0, line_end));
  if (!index || line_end == found.size())
    throw base::Error({"find/" + name}, "the answer is not an index and an entry");
  out.index = *index;
  const std::string line = found.substr(line_end + 1);
  const std::string question = "inclusion/" + std::to_string(out.index) + "/" + std::to_string(out.head.size);
  if (!verify_inclusion(leaf_digest(line), out.index, out.head.size,
                        parse_proof(demand(ask, question), question), out.head.root)) {
    throw base::Error({"find/" + name}, "the entry is not in the signed log");
  }
  out.entry = parse_entry(line, "find/" + name);
  if (out.entry.name != name)
    throw base::Error({"find/" + name}, "the entry is for '" + out.entry.name + "'");
  out.submission.image = *demand_pair(ask, name + ".ypu", out.entry.image, out.entry.signature);
  out.submission.certificate =
      demand_pair(ask, name + ".cert", out.entry.certificate, out.entry.certificate_signature);
  out.submission.approval =
      demand_pair(ask, name + ".approval", out.entry.approval, out.entry.approval_signature);
  return out;
}

Audit audit(const std::string& folder, const PublicKey& store, const std::optional<TreeHead>& remembered) {
  Audit out;
  try {
    const std::vector<std::string> lines = read_log(folder);
    const std::vector<Digest> leaves = leaves_of(lines);
    out.head = demand_head(ask_folder(folder), store);
    if (out.head != TreeHead{lines.size(), tree_root(leaves)})
      out.problems.push_back("the signed head is not the log's");
    if (remembered) require_extension(ask_folder(folder), *remembered, out.head);
    for (const std::string& line : lines)
      audit_objects(folder, parse_entry(line, folder + "/log.jsonl"), out);
  } catch (const base::Error& error) {
    out.problems.push_back(error.what());
  }
  return out;
}

}  // namespace lento::tile
