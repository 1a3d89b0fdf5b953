// The documents around an image: what is written is read back, and what was edited is refused with its place.
#include <gmock/gmock.h>

#include "base/rng.h"
#include "tile/seal/merkle.h"
#include "tile/seal/test_world.h"

namespace lento::tile {
namespace {

using base::test::error_of;
using test::World;
using testing::AllOf;
using testing::HasSubstr;

std::string with(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string digest(base::Rng& rng) {
  return sha256_hex(std::to_string(rng.next()));
}

TEST(Certificate, IsReadBack) {
  const World world;
  const Certificate& c = world.certificate;
  const Certificate back = parse_certificate(write_certificate(c), "c");
  EXPECT_EQ(back.subject, c.subject);
  EXPECT_EQ(back.key, c.key);
  EXPECT_EQ(back.blocks, c.blocks);
  EXPECT_EQ(back.policies, c.policies);
  EXPECT_EQ(back.not_before, c.not_before);
  EXPECT_EQ(back.not_after, c.not_after);
}

TEST(Certificate, EditedLinesAreRefusedWithTheirPlace) {
  const World world;
  const std::string text = write_certificate(world.certificate);
  const auto error = [&](const std::string& from, const std::string& to) {
    return error_of([&] {
      parse_certificate(with(text, from, to), "dev.cert");
    });
  };
  EXPECT_THAT(error("  - 9", "  - -1"), HasSubstr("dev.cert:6"));
  EXPECT_THAT(error("  - 9", "  - 4294967296"), HasSubstr("dev.cert:6"));
  EXPECT_THAT(error("permissive", "lax"), AllOf(HasSubstr("'lax'"), HasSubstr("dev.cert")));
  EXPECT_THAT(error("key: RW", "key: RX"), HasSubstr("not a minisign public key"));
  EXPECT_THAT(error("not_after", "not_later"), HasSubstr("not_later"));
  EXPECT_THAT(error("-certificate/1", "-certificate/2"), HasSubstr("lento.tile-certificate/1"));
  EXPECT_THAT(error("not_after: \"2027-01-15", "not_after: \"2027-02-30"), HasSubstr("is not a date"));
  EXPECT_THAT(error("subject: \"Acme \\\"analytics\\\"\"\n", ""), HasSubstr("subject"));
}

TEST(Revocation, ListsOfAnyLengthAreReadBack) {
  base::Rng rng(1, "revocations");
  for (size_t count = 0; count < 6; ++count) {
    Revocation list;
    list.number = uint32_t(rng.next());
    for (size_t i = 0; i < count; ++i) {
      list.keys.push_back(public_part(generate_key()));
      list.images.push_back(digest(rng));
    }
    EXPECT_EQ(parse_revocation(write_revocation(list), "r"), list);
  }
}

// A digest that no image could have would leave the image that was meant in use.
TEST(Revocation, ADigestThatCouldMatchNothingIsRefused) {
  base::Rng rng(2, "revocations");
  Revocation list;
  list.number = 3;
  list.images = {digest(rng), digest(rng)};
  const std::string text = write_revocation(list);
  const std::string& second = list.images[1];
  const auto error = [&](const std::string& instead) {
    return error_of([&] {
      parse_revocation(with(text, second, instead), "list");
    });
  };
  std::string upper = "AB" + second.substr(2);
  EXPECT_THAT(error(upper), HasSubstr("list:5"));
  EXPECT_THAT(error(second.substr(1)), HasSubstr("list:5"));
  EXPECT_THAT(error(second + "0"), HasSubstr("not a SHA-256 digest"));
  EXPECT_THAT(error("*"), HasSubstr("list"));
  EXPECT_THAT(
      error_of([&] {
        parse_revocation(with(text, "number: 3", "number: -3"), "list");
      }),
      HasSubstr("number"));
}

TEST(Approval, IsReadBackAndNamesWhatIsWrong) {
  base::Rng rng(3, "approvals");
  const Approval a{digest(rng), digest(rng), digest(rng)};
  const std::string text = write_approval(a);
  const Approval back = parse_approval(text, "a");
  EXPECT_EQ(back.image, a.image);
  EXPECT_EQ(back.source, a.source);
  EXPECT_EQ(back.report, a.report);
  EXPECT_THAT(
      error_of([&] {
        parse_approval(with(text, a.source, "none"), "a");
      }),
      HasSubstr("a:3"));
  EXPECT_THAT(
      error_of([&] {
        parse_approval(with(text, "report: " + a.report + "\n", ""), "a");
      }),
      HasSubstr("report"));
}

TEST(BlockRules, AreReadBack) {
  base::Rng rng(4, "rules");
  const World world;
  BlockRules rules = world.rules;
  EXPECT_EQ(parse_block_rules(write_block_rules(rules), "r"), rules);
  rules.counters = {
      {"owner", "a", 4},
      {"Acme \"x\" \\ y", "", UINT32_MAX},
      {"b: c # d", "- e", 0},
      {"two\nlines", "\n", 1}};
  rules.revoked.number = 8;
  rules.revoked.keys = {public_part(generate_key())};
  rules.revoked.images = {digest(rng)};
  EXPECT_EQ(parse_block_rules(write_block_rules(rules), "r"), rules);
}

// A developer chooses the name in the image's metadata. Whatever it is, the tile can read its own rules again
// afterwards: no name locks a tile.
TEST(BlockRules, NoNameOfAProgramMakesThemUnreadable) {
  World world;
  base::Rng rng(5, "names");
  std::vector<std::string> names = {
      "plain",
      "a\tb",
      "tail ",
      " head",
      "\\",
      "\"",
      "\\\"",
      "\x01\x02",
      "a\rb",
      "\r",
      "\xff\xfe",
      "\xc2\x85",
      "\xe2\x80\xa8",
      "{}[]&*!|>'%@`",
      std::string("a\0b", 3),
      std::string(5000, 'x')};
  for (int i = 0; i < 200; ++i) {
    std::string name;
    for (uint64_t n = 1 + rng.below(12); n > 0; --n)
      name += char(rng.below(256));
    std::erase(name, '\n');
    names.push_back(name);
  }
  size_t accepted = 0;
  for (const std::string& name : names) {
    world.image.metadata = "name: " + name + "\n";
    const Decision decision = decide(world.submission(), world.rules, test::kNow);
    if (!decision.accepted)
      continue;
    ++accepted;
    const std::string text = write_block_rules(decision.remembered);
    EXPECT_EQ(
        error_of([&] {
          EXPECT_EQ(parse_block_rules(text, "r"), decision.remembered);
        }),
        "no error")
        << testing::PrintToString(name);
  }
  EXPECT_GT(accepted, 200U);
}

TEST(BlockRules, EditedLinesAreRefusedWithTheirPlace) {
  World world;
  world.rules.counters = {{"owner", "a", 4}};
  const std::string text = write_block_rules(world.rules);
  const auto error = [&](const std::string& from, const std::string& to) {
    return error_of([&] {
      parse_block_rules(with(text, from, to), "rules");
    });
  };
  EXPECT_THAT(error("counter: 4", "counter: four"), HasSubstr("rules:"));
  EXPECT_THAT(error("    counter: 4\n", ""), HasSubstr("'counter' is missing"));
  EXPECT_THAT(error("block: 7", "block: 4294967296"), HasSubstr("rules:3"));
  EXPECT_THAT(error("abi: 2\n", ""), HasSubstr("'abi' is missing"));
  EXPECT_THAT(error("policy: permissive", "policy: lax"), HasSubstr("rules:5"));
  EXPECT_THAT(error("rollback: 3", "rollbak: 3"), HasSubstr("rollbak"));
}

TEST(Dates, EveryDayComesBack) {
  for (uint64_t day = 0; day < 2'932'896; day += 97) {  // to the end of 9999
    const std::string text = format_utc(day * 86400 + day % 86400);
    EXPECT_EQ(parse_utc(text, {}), day * 86400 + day % 86400);
    EXPECT_EQ(parse_utc(text.substr(0, 10), {}), day * 86400);
    EXPECT_EQ(parse_utc_end(text.substr(0, 10), {}), day * 86400 + 86399);
  }
  for (const char* bad :
       {"1969-12-31",
        "2027-00-10",
        "2027-01-00",
        "2027-1-01",
        "2027/01/31",
        "2027-01-31 12:00:00Z",
        "2027-01-31T12:00:60Z",
        "2027-01-31T12:00:00",
        "2027-01-31T12:00:00Zx",
        "2027-01-31x",
        "+027-01-31",
        "2100-02-29"})
    EXPECT_THROW(parse_utc(bad, {}), base::Error) << bad;
  EXPECT_EQ(format_utc(parse_utc("2000-02-29", {})), "2000-02-29T00:00:00Z");
}

// Leaves and roots of the test data of the Certificate Transparency project.
TEST(Merkle, RootsOfTheTransparencyLogsTestData) {
  using namespace std::string_literals;
  const std::vector<std::string> entries = {
      "",
      "\0"s,
      "\x10",
      "\x20\x21",
      "\x30\x31",
      "\x40\x41\x42\x43",
      "\x50\x51\x52\x53\x54\x55\x56\x57",
      "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f"};
  const std::vector<std::string> roots = {
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};
  std::vector<Digest> leaves;
  for (size_t i = 0; i < entries.size(); ++i) {
    leaves.push_back(leaf_digest(entries[i]));
    EXPECT_EQ(to_hex(tree_root(leaves)), roots[i]);
  }
}

TEST(Merkle, DigestsAreSixtyFourHexDigits) {
  const Digest d = leaf_digest("x");
  EXPECT_EQ(digest_from_hex(to_hex(d), "f"), d);
  for (const std::string& bad :
       {std::string(),
        to_hex(d).substr(1),
        to_hex(d) + "0",
        "g" + to_hex(d).substr(1),
        " " + to_hex(d).substr(1)})
    EXPECT_THROW(digest_from_hex(bad, "f"), base::Error) << bad;
}

// No proof of one tree's size is taken for another, and no head is followed by a smaller one.
TEST(Merkle, ProofsForOtherSizesAreRefused) {
  std::vector<Digest> leaves;
  for (int i = 0; i < 33; ++i)
    leaves.push_back(leaf_digest(std::to_string(i)));
  base::Rng rng(6, "sizes");
  for (int i = 0; i < 500; ++i) {
    const uint64_t to = 2 + rng.below(32);
    const uint64_t from = 1 + rng.below(to - 1);
    const uint64_t other = 1 + rng.below(33);
    const Digest old_root = tree_root({leaves.begin(), leaves.begin() + long(from)});
    const Digest root = tree_root({leaves.begin(), leaves.begin() + long(to)});
    const auto proof = consistency_proof(leaves, from, to);
    EXPECT_TRUE(verify_consistency(from, old_root, to, root, proof));
    EXPECT_FALSE(verify_consistency(to, root, from, old_root, proof));
    EXPECT_FALSE(verify_consistency(0, old_root, to, root, proof));
    if (other != from) {
      const Digest wrong = tree_root({leaves.begin(), leaves.begin() + long(other)});
      EXPECT_FALSE(verify_consistency(from, wrong, to, root, proof)) << from << " " << to << " " << other;
    }
    const uint64_t index = rng.below(to);
    auto inclusion = inclusion_proof(leaves, index, to);
    EXPECT_FALSE(verify_inclusion(leaves[index], to, to, inclusion, root));
    if (!inclusion.empty()) {
      inclusion.pop_back();
      EXPECT_FALSE(verify_inclusion(leaves[index], index, to, inclusion, root));
    }
  }
}

uint32_t word_at(const std::string& bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 0; i < 4; ++i)
    out |= uint32_t(uint8_t(bytes[at + i])) << 8 * i;
  return out;
}
std::string with_word(std::string bytes, size_t at, uint32_t word) {
  for (size_t i = 0; i < 4; ++i)
    bytes[at + i] = char(word >> 8 * i & 255);
  return bytes;
}

// Offsets as docs/formats/tile-image.md lists them.
TEST(Image, AHeaderThatSaysNonsenseIsNamed) {
  const Image image = test::small_image();
  const std::string bytes = write_image(image);
  ASSERT_EQ(word_at(bytes, 12), image.block);
  ASSERT_EQ(word_at(bytes, 16), image.abi);
  ASSERT_EQ(word_at(bytes, 24), image.rollback);
  ASSERT_EQ(word_at(bytes, 48), image.main_entry);
  ASSERT_EQ(word_at(bytes, 52), image.input_mask);
  const auto error = [&](size_t at, uint32_t word) {
    return error_of([&] {
      parse_image(with_word(bytes, at, word), "i.ypu");
    });
  };
  EXPECT_THAT(error(0, 0), AllOf(HasSubstr("i.ypu"), HasSubstr("not a tile image")));
  EXPECT_THAT(error(8, 2), HasSubstr("image format 2"));
  EXPECT_THAT(error(20, 3), HasSubstr("policy 3"));
  EXPECT_THAT(error(36, 4), HasSubstr("unknown flags"));
  EXPECT_THAT(error(40, 1), HasSubstr("the trigger is off"));
  EXPECT_THAT(error(44, 1), HasSubstr("the trigger is off"));
  EXPECT_THAT(error(48, 2), HasSubstr("main entry"));
  EXPECT_THAT(error(48, kCodeBytes), HasSubstr("main entry"));
  EXPECT_THAT(error(56, 0), HasSubstr("period of 0"));
  EXPECT_THAT(error(64, 0), HasSubstr("period of 0"));
  EXPECT_THAT(error(68, 2), HasSubstr("out of order"));
  EXPECT_THAT(error(72, kCodeBytes + 4), HasSubstr("at most 8192 fit"));
}

TEST(Image, EveryFieldComesBack) {
  base::Rng rng(7, "images");
  for (int i = 0; i < 200; ++i) {
    Image image;
    for (uint32_t* field :
         {&image.block, &image.abi, &image.rollback, &image.input_mask, &image.output_bytes})
      *field = uint32_t(rng.next());
    image.arrival_cycles = uint32_t(1 + rng.below(1000));
    image.output_cycles = uint32_t(1 + rng.below(1000));
    image.policy = Policy(rng.below(3));
    image.expires = rng.next();
    image.drops_declared = rng.below(2);
    image.triggered = rng.below(2);
    if (image.triggered) {
      image.trigger_start = uint32_t(rng.next());
      image.trigger_end = uint32_t(rng.next());
    }
    image.main_entry = uint32_t(4 * rng.below(kCodeBytes / 4));
    const auto drawn = [&](size_t size) {
      std::string out;
      while (out.size() < size)
        out += char(rng.below(256));
      return out;
    };
    image.code = drawn(4 * (1 + rng.below(40)));
    image.data = drawn(rng.below(100));
    image.soft_logic = drawn(rng.below(100));
    image.metadata = drawn(rng.below(100));
    const std::string bytes = write_image(image);
    EXPECT_EQ(parse_image(bytes, "i"), image);
    EXPECT_EQ(write_image(parse_image(bytes, "i")), bytes);
  }
}

}  // namespace
}  // namespace lento::tile
