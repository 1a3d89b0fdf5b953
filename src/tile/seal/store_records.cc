// Reads and writes the texts of an app store: log entries, signed tree heads, and the file in which a client
// keeps what it has accepted (Trust).
#include "base/json.h"
#include "tile/seal/store.h"

namespace lento::tile {

using base::Json;

void check_program_name(const std::string& name) {
  const bool good = !name.empty() && name.size() <= 64 && name[0] != '.' &&
                    name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789._-") == std::string::npos;
  if (!good)
    throw base::Error({}, "'" + name + "' is not a program name", "1 to 64 of a-z 0-9 . _ -");
}

std::string developer_of(const Submission& submission) {
  const Signed& image = submission.image;
  const std::string file = image.name + ".minisig";
  if (!submission.certificate)
    return "id " + verify(PublicKey{}, image.text, image.signature, file).signer_id;
  const Certificate certificate =
      parse_certificate(submission.certificate->text, submission.certificate->name);
  if (verify(certificate.key, image.text, image.signature, file).state != SignatureState::Good) {
    throw base::Error(
        {image.name},
        "the image is not signed by the key of its certificate",
        "sign it with the key of '" + certificate.subject + "'");
  }
  return encode_key(certificate.key);
}

std::string write_entry(const LogEntry& entry) {
  Json json = Json::object();
  json.set("name", entry.name).set("rollback", int64_t{entry.rollback});
  json.set("developer", entry.developer);
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
  check_program_name(entry.name);
  entry.rollback = uint32_t(json.at("rollback", where).integer(where, 0, UINT32_MAX));
  entry.developer = json.at("developer", where).string(where);
  const auto digest = [&](std::string_view key, bool required) {
    const std::string text = json.at(key, where).string(where);
    if (required || !text.empty())
      digest_from_hex(text, file);
    return text;
  };
  entry.image = digest("image", true);
  entry.signature = digest("signature", true);
  entry.certificate = digest("certificate", false);
  entry.certificate_signature = digest("certificate_signature", false);
  entry.approval = digest("approval", false);
  entry.approval_signature = digest("approval_signature", false);
  if (write_entry(entry) != line)
    throw base::Error(where, "a log entry is not in its one written form");
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
  return {
      uint64_t(json.at("size", where).integer(where, 0)),
      digest_from_hex(json.at("root", where).string(where), file)};
}

std::string write_trust(const Trust& trust) {
  Json json = Json::object();
  Json seen = Json::object();
  for (const auto& [name, release] : trust.seen) {
    Json one = Json::object();
    one.set("index", release.index).set("rollback", int64_t{release.rollback});
    seen.set(name, one.set("developer", release.developer));
  }
  const TreeHead head = trust.head.value_or(TreeHead{});
  json.set("schema", "lento.tile-trust/1")
      .set("size", head.size)
      .set("root", to_hex(head.root))
      .set("seen", seen);
  return base::write_json(json) + "\n";
}

Trust parse_trust(const std::string& text, const std::string& file) {
  const Json json = base::parse_json(text, file);
  const base::Location where{file};
  const std::string schema = json.at("schema", where).string(where);
  if (schema == "lento.tile-head/1")
    return {parse_head(text, file), {}};
  if (schema != "lento.tile-trust/1")
    throw base::Error(where, "not what a client remembers of a store", "schema must be lento.tile-trust/1");
  Trust trust;
  trust.head = TreeHead{
      uint64_t(json.at("size", where).integer(where, 0)),
      digest_from_hex(json.at("root", where).string(where), file)};
  for (const auto& [name, release] : json.at("seen", where).object(where)) {
    const Json* developer = release.find("developer");
    trust.seen[name] = {
        uint64_t(release.at("index", where).integer(where, 0)),
        uint32_t(release.at("rollback", where).integer(where, 0, UINT32_MAX)),
        developer ? developer->string(where) : ""};
  }
  return trust;
}

SignedHead parse_signed_head(const std::string& text) {
  const size_t end = text.find('\n');
  if (end == std::string::npos)
    throw base::Error({"head"}, "the head has no signature");
  return {text.substr(0, end + 1), text.substr(end + 1)};
}

}  // namespace lento::tile
