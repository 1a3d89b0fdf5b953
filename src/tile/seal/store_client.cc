// The client's side of a store: requests entries and objects, and accepts only what follows from the signed
// head.
#include "base/http/http.h"
#include "base/json.h"
#include "base/number.h"
#include "tile/seal/store.h"

namespace lento::tile {
namespace {

using base::Json;

constexpr uint64_t kMaxAnswer = uint64_t{4} << 20;
constexpr size_t kMaxProof = 64;

std::vector<Digest> parse_proof(const std::string& text, const std::string& file) {
  const Json json = base::parse_json(text, file);
  std::vector<Digest> out;
  for (const Json& item : json.array({file})) {
    if (out.size() == kMaxProof)
      throw base::Error({file}, "a proof has at most 64 digests");
    out.push_back(digest_from_hex(item.string({file}), file));
  }
  return out;
}

std::string demand(const Ask& ask, const std::string& question) {
  auto answer = ask(question);
  if (!answer)
    throw base::Error({}, "the store has no answer to '" + question + "'");
  return *answer;
}

// Throws base::Error unless the log of `head` extends that of `old_head`, the one seen before.
void require_extension(const Ask& ask, const TreeHead& old_head, const TreeHead& head) {
  if (head.size < old_head.size) {
    throw base::Error(
        {"head"},
        "the log was replayed: it has " + std::to_string(head.size) + " entries, " +
            std::to_string(old_head.size) + " were seen before");
  }
  if (old_head.size == 0)
    return;
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

std::optional<Signed>
demand_pair(const Ask& ask, const std::string& name, const std::string& text, const std::string& signature) {
  if (text.empty() || signature.empty())
    return std::nullopt;
  return Signed{name, demand_object(ask, text), demand_object(ask, signature)};
}

// Sets entry and index of `out` to the newest entry of `name` in the log of out.head, as the store reports
// it. Throws base::Error unless the store proves that the entry is in that log. That there is no newer one is
// not proved.
void find_entry(const Ask& ask, const std::string& name, Fetched& out) {
  const std::string size = std::to_string(out.head.size);
  const std::string find = "find/" + name + "/" + size;
  const std::string found = demand(ask, find);
  const size_t line_end = std::min(found.find('\n'), found.size());
  const auto index = base::try_uint(std::string_view(found).substr(0, line_end));
  if (!index || line_end == found.size())
    throw base::Error({find}, "the answer is not an index and an entry");
  out.index = *index;
  const std::string line = found.substr(line_end + 1);
  const std::string question = "inclusion/" + std::to_string(out.index) + "/" + size;
  if (!verify_inclusion(
          leaf_digest(line),
          out.index,
          out.head.size,
          parse_proof(demand(ask, question), question),
          out.head.root)) {
    throw base::Error({find}, "the entry is not in the signed log");
  }
  out.entry = parse_entry(line, find);
  if (out.entry.name != name)
    throw base::Error({find}, "the entry is for '" + out.entry.name + "'");
}

// Throws base::Error for a release that is older than the last one recorded in `trust`, or by another
// developer.
void require_newer(const Trust& trust, const Fetched& got) {
  const auto seen = trust.seen.find(got.entry.name);
  if (seen == trust.seen.end())
    return;
  if (got.index < seen->second.index) {
    throw base::Error(
        {"find/" + got.entry.name},
        "the store gives entry " + std::to_string(got.index) + ", entry " +
            std::to_string(seen->second.index) + " was seen before");
  }
  if (got.entry.rollback < seen->second.rollback) {
    throw base::Error(
        {"find/" + got.entry.name},
        "rollback: the release has counter " + std::to_string(got.entry.rollback) + ", counter " +
            std::to_string(seen->second.rollback) + " was seen before");
  }
  if (!seen->second.developer.empty() && got.entry.developer != seen->second.developer) {
    throw base::Error(
        {"find/" + got.entry.name},
        "the name '" + got.entry.name + "' belonged to another developer before");
  }
}

}  // namespace

Ask ask_http(const std::string& address) {
  return [address](const std::string& question) -> std::optional<std::string> {
    const base::HttpReply reply = base::http_get(address + "/" + question, {10, kMaxAnswer});
    if (reply.status != 200)
      return std::nullopt;
    return reply.body;
  };
}

TreeHead trusted_head(const Ask& ask, const PublicKey& store, const std::optional<TreeHead>& remembered) {
  const SignedHead head = parse_signed_head(demand(ask, "head"));
  if (verify(store, head.text, head.signature, "head").state != SignatureState::Good)
    throw base::Error({"head"}, "the log's head is not signed by the store's key " + key_id(store));
  const TreeHead out = parse_head(head.text, "head");
  if (remembered)
    require_extension(ask, *remembered, out);
  return out;
}

// Fetches the newest release of a program, with its signatures. Throws base::Error unless the log's head is
// signed and extends the recorded one, the release is no older than the recorded one, and every file agrees
// with the log entry.
Fetched fetch(const Ask& ask, const PublicKey& store, const Trust& trust, const std::string& name) {
  check_program_name(name);
  Fetched out;
  out.head = trusted_head(ask, store, trust.head);
  find_entry(ask, name, out);
  require_newer(trust, out);
  out.submission.image = *demand_pair(ask, name + ".ypu", out.entry.image, out.entry.signature);
  out.submission.certificate =
      demand_pair(ask, name + ".cert", out.entry.certificate, out.entry.certificate_signature);
  out.submission.approval =
      demand_pair(ask, name + ".approval", out.entry.approval, out.entry.approval_signature);
  if (developer_of(out.submission) != out.entry.developer)
    throw base::Error({name + ".ypu"}, "the image is not by the developer that its log entry names");
  if (parse_image(out.submission.image.text, name + ".ypu").rollback != out.entry.rollback)
    throw base::Error({name + ".ypu"}, "the image's counter is not that of its log entry");
  return out;
}

}  // namespace lento::tile
