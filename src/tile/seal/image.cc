// Reads and writes images, whose encoding is unique (image.h). Each size is checked against the file and its
// limit before it is used, and each section against its digest.
#include "tile/seal/image.h"

#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "tile/seal/minisign.h"

namespace lento::tile {
namespace {

constexpr std::string_view kMagic("YPUIMG\r\n", 8);
constexpr uint32_t kSections = 4;
constexpr uint32_t kTriggered = 1;
constexpr uint32_t kDropsDeclared = 2;

struct Section {
  std::string_view name;
  uint32_t max_bytes;
  std::string Image::*content;
};
constexpr Section kSection[kSections] = {
    {"code", kCodeBytes, &Image::code},
    {"data", kDataBytes, &Image::data},
    {"soft logic", kSoftLogicBytes, &Image::soft_logic},
    {"metadata", kMetadataBytes, &Image::metadata}};

// Throws base::Error when code, main entry, declared rates or trigger of the image are not possible.
void check_fields(const Image& image, const base::ByteReader& in) {
  if (image.code.empty() || image.code.size() % 4 != 0)
    in.fail("the code is not a whole number of instructions");
  if (image.main_entry % 4 != 0 || image.main_entry >= kCodeBytes)
    in.fail("the main entry is outside the code");
  if (image.arrival_cycles == 0 || image.output_cycles == 0)
    in.fail("a declared rate has a period of 0 cycles");
  if (!image.triggered && (image.trigger_start != 0 || image.trigger_end != 0)) {
    in.fail("trigger addresses are given but the trigger is off");
  }
}

void read_header(base::ByteReader& in, Image& image) {
  image.block = in.read<uint32_t>("block id");
  image.abi = in.read<uint32_t>("ABI version");
  const uint32_t policy = in.read<uint32_t>("policy");
  if (policy > 2)
    in.fail("policy " + std::to_string(policy) + " is not known");
  image.policy = static_cast<Policy>(policy);
  image.rollback = in.read<uint32_t>("rollback counter");
  image.expires = in.read<uint64_t>("expiry");
  const uint32_t flags = in.read<uint32_t>("flags");
  if (flags & ~(kTriggered | kDropsDeclared))
    in.fail("unknown flags are set");
  image.triggered = flags & kTriggered;
  image.drops_declared = flags & kDropsDeclared;
  image.trigger_start = in.read<uint32_t>("trigger start");
  image.trigger_end = in.read<uint32_t>("trigger end");
  image.main_entry = in.read<uint32_t>("main entry");
  image.input_mask = in.read<uint32_t>("input mask");
  image.arrival_cycles = in.read<uint32_t>("arrival period");
  image.output_bytes = in.read<uint32_t>("output bytes");
  image.output_cycles = in.read<uint32_t>("output period");
}

}  // namespace

std::string_view policy_name(Policy policy) {
  static constexpr std::string_view kNames[] = {"closed", "restrictive", "permissive"};
  return kNames[int(policy)];
}

Policy parse_policy(std::string_view text, std::string_view file) {
  for (const Policy policy : {Policy::Closed, Policy::Restrictive, Policy::Permissive}) {
    if (text == policy_name(policy))
      return policy;
  }
  throw base::Error(
      {std::string(file)},
      "policy '" + std::string(text) + "' is not known",
      base::suggestion(text, {"closed", "restrictive", "permissive"}));
}

Image parse_image(std::string_view bytes, std::string_view file) {
  base::ByteReader in(bytes, file);
  if (in.take(kMagic.size(), "magic") != kMagic)
    in.fail("not a tile image", "make one with 'lento tile build'");
  const uint32_t version = in.read<uint32_t>("format version");
  if (version != Image::kFormat)
    in.fail("image format " + std::to_string(version) + " is not known; this tool reads 1");
  Image image;
  read_header(in, image);
  struct Entry {
    uint32_t bytes;
    std::string digest;
  };
  std::vector<Entry> table;
  for (uint32_t i = 0; i < kSections; ++i) {
    const std::string name(kSection[i].name);
    if (in.read<uint32_t>(name + " section kind") != i + 1)
      in.fail("sections are out of order", "code, data, soft logic, metadata");
    const uint32_t size = in.read<uint32_t>(name + " length");
    if (size > kSection[i].max_bytes) {
      in.fail(
          "the " + name + " section has " + std::to_string(size) + " bytes, at most " +
          std::to_string(kSection[i].max_bytes) + " fit");
    }
    table.push_back({size, std::string(in.take(64, name + " digest"))});
  }
  for (uint32_t i = 0; i < kSections; ++i) {
    const std::string_view content = in.take(table[i].bytes, kSection[i].name);
    if (sha256_hex(content) != table[i].digest) {
      in.fail("the digest of the " + std::string(kSection[i].name) + " section does not match its bytes");
    }
    image.*kSection[i].content = content;
  }
  if (in.left() != 0)
    in.fail(std::to_string(in.left()) + " bytes follow the last section");
  check_fields(image, in);
  return image;
}

std::string write_image(const Image& image) {
  std::string out(kMagic);
  const uint32_t flags = (image.triggered ? kTriggered : 0) | (image.drops_declared ? kDropsDeclared : 0);
  base::append_little(out, Image::kFormat);
  base::append_little(out, image.block);
  base::append_little(out, image.abi);
  base::append_little(out, uint32_t(image.policy));
  base::append_little(out, image.rollback);
  base::append_little(out, image.expires);
  for (const uint32_t field :
       {flags,
        image.trigger_start,
        image.trigger_end,
        image.main_entry,
        image.input_mask,
        image.arrival_cycles,
        image.output_bytes,
        image.output_cycles}) {
    base::append_little(out, field);
  }
  for (uint32_t i = 0; i < kSections; ++i) {
    const std::string& content = image.*kSection[i].content;
    LENTO_CHECK(content.size() <= kSection[i].max_bytes, "an image section fits");
    base::append_little(out, i + 1);
    base::append_little(out, uint32_t(content.size()));
    out += sha256_hex(content);
  }
  for (const Section& section : kSection)
    out += image.*section.content;
  return out;
}

}  // namespace lento::tile
