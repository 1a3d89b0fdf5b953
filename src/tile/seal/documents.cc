// Reads and writes the YAML documents of policy.h and their dates. The text of a document is what is signed,
// so writing is canonical: keys in a fixed order, one value per line.
#include <charconv>
#include <cstdio>

#include "base/number.h"
#include "spec/yaml.h"
#include "tile/seal/policy.h"

namespace lento::tile {
namespace {

// Converts a civil date to days since 1970-01-01 (Hinnant, "chrono-compatible low-level date algorithms").
int64_t days_from_civil(int64_t y, unsigned m, unsigned d) {
  y -= m <= 2;
  const int64_t era = (y >= 0 ? y : y - 399) / 400;
  const auto yoe = unsigned(y - era * 400);
  const unsigned doy = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
  return era * 146097 + int64_t(yoe * 365 + yoe / 4 - yoe / 100 + doy) - 719468;
}

// Returns the number in the `count` digits of `text`, a date, from position `at` on. Throws base::Error at
// `where` when these are not digits or the text is shorter.
unsigned digits(std::string_view text, size_t at, size_t count, const base::Location& where) {
  if (at + count <= text.size()) {
    if (const auto value = base::try_uint(text.substr(at, count)))
      return unsigned(*value);
  }
  throw base::Error(
      where,
      "'" + std::string(text) + "' is not a date",
      "write 2027-01-31 or 2027-01-31T12:00:00Z");
}

// Returns the text as a double-quoted YAML scalar.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    if (c == '\n')
      out += "\\n";  // a line end would be folded into a space
    else
      out += c;
  }
  return out + "\"";
}

void read_key(spec::Fields& fields, const std::string& name, PublicKey& key, const std::string& file) {
  std::string text;
  fields.required_text(name, text);
  if (text.empty())
    return;
  try {
    key = decode_key(text, file);
  } catch (const base::Error&) {
    fields.error(name, "not a minisign public key", "the second line of a .pub file");
  }
}

void read_word(spec::Fields& fields, const std::string& name, uint32_t& out) {
  int64_t value = -1;
  fields.integer(name, value, 0, UINT32_MAX);
  if (value < 0)
    return fields.error(name, "'" + name + "' is missing");
  out = uint32_t(value);
}

void read_date(
    spec::Fields& fields,
    const std::string& name,
    uint64_t& out,
    const base::Location& where,
    bool last_moment) {
  std::string text;
  fields.required_text(name, text);
  if (!text.empty())
    out = last_moment ? parse_utc_end(text, where) : parse_utc(text, where);
}

void read_digest(spec::Fields& fields, const std::string& name, std::string& out) {
  fields.required_text(name, out);
  if (out.size() != 64 || out.find_first_not_of("0123456789abcdef") != std::string::npos) {
    fields.error(name, "not a SHA-256 digest in hex");
  }
}

}  // namespace

uint64_t parse_utc(std::string_view text, const base::Location& where) {
  const unsigned year = digits(text, 0, 4, where);
  const unsigned month = digits(text, 5, 2, where);
  const unsigned day = digits(text, 8, 2, where);
  unsigned h = 0;
  unsigned m = 0;
  unsigned s = 0;
  if (text.size() > 10) {
    h = digits(text, 11, 2, where);
    m = digits(text, 14, 2, where);
    s = digits(text, 17, 2, where);
  }
  const uint64_t out = uint64_t(days_from_civil(year, month, day)) * 86400 + h * 3600 + m * 60 + s;
  const std::string canonical = format_utc(out);
  if (year < 1970 || (canonical != text && canonical.substr(0, 10) != text))
    digits(text, text.size(), 1, where);
  return out;
}

uint64_t parse_utc_end(std::string_view text, const base::Location& where) {
  return parse_utc(text, where) + (text.size() == 10 ? 86399 : 0);
}

// Returns Unix seconds as UTC text, such as "2027-01-31T12:00:00Z".
std::string format_utc(uint64_t seconds) {
  int64_t days = int64_t(seconds / 86400) + 719468;
  const int64_t era = days / 146097;
  const auto doe = unsigned(days - era * 146097);
  const unsigned yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  const unsigned doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const unsigned mp = (5 * doy + 2) / 153;
  const unsigned day = doy - (153 * mp + 2) / 5 + 1;
  const unsigned month = mp < 10 ? mp + 3 : mp - 9;
  const int64_t year = int64_t(yoe) + era * 400 + (month <= 2);
  const auto rest = unsigned(seconds % 86400);
  char text[48];
  std::snprintf(
      text,
      sizeof text,
      "%04lld-%02u-%02uT%02u:%02u:%02uZ",
      static_cast<long long>(year),
      month,
      day,
      rest / 3600,
      rest / 60 % 60,
      rest % 60);
  return text;
}

namespace {

std::vector<PublicKey> read_keys(spec::Fields& fields, const std::string& name, const std::string& file) {
  std::vector<const spec::YamlNode*> nodes;
  if (fields.has(name))
    fields.list(name, nodes);
  std::vector<PublicKey> out;
  for (const spec::YamlNode* node : nodes)
    out.push_back(decode_key(node->text, file));
  return out;
}

std::vector<std::string>
read_digests(spec::Fields& fields, const std::string& name, const std::string& file) {
  std::vector<const spec::YamlNode*> nodes;
  if (fields.has(name))
    fields.list(name, nodes);
  std::vector<std::string> out;
  for (const spec::YamlNode* node : nodes) {
    if (node->text.size() != 64 || node->text.find_first_not_of("0123456789abcdef") != std::string::npos)
      throw base::Error({file, node->where.line}, "not a SHA-256 digest in hex");
    out.push_back(node->text);
  }
  return out;
}

std::string list_of(const std::string& name, const std::vector<std::string>& lines) {
  if (lines.empty())
    return "";
  std::string out = name + ":\n";
  for (const std::string& line : lines)
    out += "  - " + line + "\n";
  return out;
}

std::vector<std::string> encoded(const std::vector<PublicKey>& keys) {
  std::vector<std::string> out;
  for (const PublicKey& key : keys)
    out.push_back(encode_key(key));
  return out;
}

std::vector<SeenCounter> read_counters(spec::Fields& fields, base::ErrorList& errors) {
  std::vector<const spec::YamlNode*> nodes;
  if (fields.has("counters"))
    fields.list("counters", nodes);
  std::vector<SeenCounter> out;
  for (const spec::YamlNode* node : nodes) {
    spec::Fields one(*node, errors);
    SeenCounter seen;
    one.required_text("developer", seen.developer);
    one.text("program", seen.program);
    read_word(one, "counter", seen.counter);
    one.finish();
    out.push_back(std::move(seen));
  }
  return out;
}

std::string counters_text(const std::vector<SeenCounter>& counters) {
  if (counters.empty())
    return "";
  std::string out = "counters:\n";
  for (const SeenCounter& seen : counters) {
    out += "  - developer: " + quoted(seen.developer) + "\n    program: " + quoted(seen.program) +
           "\n    counter: " + std::to_string(seen.counter) + "\n";
  }
  return out;
}

}  // namespace

Revocation parse_revocation(const std::string& text, const std::string& file) {
  const spec::YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  spec::Fields fields(root, errors);
  Revocation out;
  fields.schema("lento.tile-revocation/1");
  read_word(fields, "number", out.number);
  out.keys = read_keys(fields, "keys", file);
  out.images = read_digests(fields, "images", file);
  fields.finish();
  errors.throw_if_any();
  return out;
}

std::string write_revocation(const Revocation& revocation) {
  return "schema: lento.tile-revocation/1\nnumber: " + std::to_string(revocation.number) + "\n" +
         list_of("keys", encoded(revocation.keys)) + list_of("images", revocation.images);
}

BlockRules parse_block_rules(const std::string& text, const std::string& file) {
  const spec::YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  spec::Fields fields(root, errors);
  BlockRules rules;
  std::string policy;
  fields.schema("lento.tile-block/1");
  read_key(fields, "owner", rules.owner, file);
  read_word(fields, "block", rules.block);
  read_word(fields, "abi", rules.abi);
  fields.choice("policy", policy, {"closed", "restrictive", "permissive"});
  if (!root.find("policy"))
    fields.error("policy", "'policy' is missing");
  read_word(fields, "rollback", rules.rollback);
  rules.counters = read_counters(fields, errors);
  if (fields.has("revocation"))
    read_word(fields, "revocation", rules.revoked.number);
  rules.revoked.keys = read_keys(fields, "revoked_keys", file);
  rules.revoked.images = read_digests(fields, "revoked_images", file);
  fields.finish();
  errors.throw_if_any();
  rules.policy = parse_policy(policy, file);
  return rules;
}

std::string write_block_rules(const BlockRules& rules) {
  return "schema: lento.tile-block/1\nowner: " + encode_key(rules.owner) +
         "\nblock: " + std::to_string(rules.block) + "\nabi: " + std::to_string(rules.abi) +
         "\npolicy: " + std::string(policy_name(rules.policy)) +
         "\nrollback: " + std::to_string(rules.rollback) + "\n" + counters_text(rules.counters) +
         (rules.revoked.number ? "revocation: " + std::to_string(rules.revoked.number) + "\n" : "") +
         list_of("revoked_keys", encoded(rules.revoked.keys)) +
         list_of("revoked_images", rules.revoked.images);
}

Certificate parse_certificate(const std::string& text, const std::string& file) {
  const spec::YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  spec::Fields fields(root, errors);
  Certificate out;
  fields.schema("lento.tile-certificate/1");
  fields.required_text("subject", out.subject);
  read_key(fields, "key", out.key, file);
  std::vector<const spec::YamlNode*> blocks;
  std::vector<const spec::YamlNode*> policies;
  fields.list("blocks", blocks);
  fields.list("policies", policies);
  for (const spec::YamlNode* node : blocks) {
    out.blocks.push_back(uint32_t(base::parse_int(node->text, node->where, 0, UINT32_MAX)));
  }
  for (const spec::YamlNode* node : policies)
    out.policies.push_back(parse_policy(node->text, file));
  read_date(fields, "not_before", out.not_before, root.where, false);
  read_date(fields, "not_after", out.not_after, root.where, true);
  fields.finish();
  errors.throw_if_any();
  return out;
}

std::string write_certificate(const Certificate& certificate) {
  std::string out = "schema: lento.tile-certificate/1\nsubject: " + quoted(certificate.subject) +
                    "\nkey: " + encode_key(certificate.key) + "\nblocks:\n";
  for (const uint32_t block : certificate.blocks)
    out += "  - " + std::to_string(block) + "\n";
  out += "policies:\n";
  for (const Policy policy : certificate.policies)
    out += "  - " + std::string(policy_name(policy)) + "\n";
  return out + "not_before: \"" + format_utc(certificate.not_before) + "\"\nnot_after: \"" +
         format_utc(certificate.not_after) + "\"\n";
}

Approval parse_approval(const std::string& text, const std::string& file) {
  const spec::YamlNode root = spec::parse_yaml(text, file);
  base::ErrorList errors;
  spec::Fields fields(root, errors);
  Approval out;
  fields.schema("lento.tile-approval/1");
  read_digest(fields, "image", out.image);
  read_digest(fields, "source", out.source);
  read_digest(fields, "report", out.report);
  fields.finish();
  errors.throw_if_any();
  return out;
}

std::string write_approval(const Approval& approval) {
  return "schema: lento.tile-approval/1\nimage: " + approval.image + "\nsource: " + approval.source +
         "\nreport: " + approval.report + "\n";
}

}  // namespace lento::tile
