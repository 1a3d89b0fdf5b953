// The chain of trust: what minisign accepts, what a tile refuses, what the log's proofs prove.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>

#include "base/rng.h"
#include "tile/seal/merkle.h"
#include "tile/seal/test_world.h"

namespace lento::tile {
namespace {

using namespace test;
using testing::HasSubstr;

int shell(const std::string& command) {
  return std::system((command + " >/dev/null 2>&1").c_str());
}

TEST(Minisign, TheDebianToolAcceptsOursAndWeItsOwn) {
  if (shell("minisign -v") != 0)
    GTEST_SKIP() << "minisign is not installed";
  TempFolder dir;
  const SecretKey key = generate_key();
  base::write_file(dir / "m", "a message");
  base::write_file(dir / "m.minisig", sign(key, "a message", "by lento"));
  base::write_file(dir / "k.pub", write_public_key(public_part(key)));
  base::write_file(dir / "k.key", write_secret_key(key, ""));
  EXPECT_EQ(shell("minisign -V -H -p " + (dir / "k.pub") + " -m " + (dir / "m")), 0);
  // Our secret key in its hands, its signatures (both kinds) in ours.
  for (const std::string legacy : {"", " -l"}) {
    ASSERT_EQ(shell("minisign -S" + legacy + " -s " + (dir / "k.key") + " -t theirs -m " + (dir / "m")), 0);
    const auto check = verify(public_part(key), "a message", base::read_file(dir / "m.minisig"), "m.minisig");
    EXPECT_EQ(check.state, SignatureState::Good);
    EXPECT_EQ(check.trusted_comment, "theirs");
  }
  // Its keys in ours.
  ASSERT_EQ(shell("minisign -G -W -p " + (dir / "t.pub") + " -s " + (dir / "t.key")), 0);
  const SecretKey theirs = parse_secret_key(base::read_file(dir / "t.key"), "t.key", "");
  EXPECT_EQ(public_part(theirs), parse_public_key(base::read_file(dir / "t.pub"), "t.pub"));
}

TEST(Minisign, SecretKeysUnderAPassword) {
  const SecretKey key = generate_key();
  const std::string text = write_secret_key(key, "open sesame");
  EXPECT_TRUE(secret_key_is_encrypted(text, "k"));
  EXPECT_EQ(parse_secret_key(text, "k", "open sesame").secret, key.secret);
  EXPECT_THROW(parse_secret_key(text, "k", "wrong"), base::Error);
}

TEST(Minisign, EveryFlippedBitOfASignatureIsRefused) {
  const SecretKey key = generate_key();
  const std::string good = sign(key, "m", "comment");
  const size_t first = good.find('\n') + 1;  // the first line is unprotected by design
  for (size_t bit = first * 8; bit < (good.size() - 1) * 8; ++bit) {
    std::string bad = good;
    bad[bit / 8] = char(bad[bit / 8] ^ (1 << (bit % 8)));
    bool accepted = false;
    try {
      accepted = verify(public_part(key), "m", bad, "s").state == SignatureState::Good;
    } catch (const base::Error&) {
    }
    EXPECT_FALSE(accepted) << "bit " << bit;
  }
}

TEST(Image, ReadsBackAndHasOneForm) {
  const Image image = small_image();
  const std::string bytes = write_image(image);
  EXPECT_EQ(parse_image(bytes, "i"), image);
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(parse_image(bytes.substr(0, size), "i"), base::Error);
  EXPECT_THROW(parse_image(bytes + "x", "i"), base::Error);
}

TEST(Policy, AcceptsEachPolicyWhenAllIsInOrder) {
  World world;
  for (const Policy policy : {Policy::Closed, Policy::Restrictive, Policy::Permissive}) {
    world.use(policy);
    const Decision decision = decide(world.submission(), world.rules, kNow);
    EXPECT_TRUE(decision.accepted) << decision.reason;
    EXPECT_EQ(decision.image, world.image);
    EXPECT_EQ(decision.signer, policy == Policy::Closed ? "owner" : world.certificate.subject);
  }
}

TEST(Policy, RefusesEveryFlippedBitAndEveryTruncationOfAnImage) {
  const World world;
  const Submission good = world.submission();
  for (size_t bit = 0; bit < good.image.text.size() * 8; ++bit) {
    Submission bad = good;
    bad.image.text[bit / 8] = char(bad.image.text[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THAT(world.refusal(bad), HasSubstr("does not match its bytes"));
  }
  for (size_t size = 0; size < good.image.text.size(); ++size) {
    Submission bad = good;
    bad.image.text.resize(size);
    EXPECT_FALSE(decide(bad, world.rules, kNow).accepted);
  }
}

TEST(Policy, RefusesEveryFlippedBitOfACertificate) {
  const World world;
  const Submission good = world.submission();
  for (size_t bit = 0; bit < good.certificate->text.size() * 8; ++bit) {
    Submission bad = good;
    bad.certificate->text[bit / 8] = char(bad.certificate->text[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(decide(bad, world.rules, kNow).accepted);
  }
}

TEST(Policy, NamesTheReason) {
  struct Case {
    std::function<void(World&)> break_it;
    std::string reason;
  };
  const Case cases[] = {
      {[](World& w) {
         w.image.block = 8;
       },
       "is for block 8"},
      {[](World& w) {
         w.image.abi = 1;
       },
       "needs ABI 1"},
      {[](World& w) {
         w.image.expires = kNow - 1;
       },
       "the image expired"},
      {[](World& w) {
         w.rules.rollback = 6;
       },
       "rollback: the image has counter 5"},
      {[](World& w) {
         w.certificate.not_after = kNow - 1;
       },
       "certificate expired"},
      {[](World& w) {
         w.certificate.not_before = kNow + 1;
       },
       "valid from"},
      {[](World& w) {
         w.certificate.blocks = {8};
       },
       "does not cover block 7"},
      {[](World& w) {
         w.certificate.policies = {Policy::Restrictive};
       },
       "does not cover policy permissive"},
      {[](World& w) {
         w.rules.policy = Policy::Restrictive;
       },
       "was made for policy permissive"},
      {[](World& w) {
         w.rules.policy = Policy::Closed;
       },
       "not by the owner's key"},
      {[](World& w) {
         w.certificate.key = public_part(generate_key());
       },
       "not by the certified key"},
      {[](World& w) {
         w.rules.owner = public_part(generate_key());
       },
       "not by the owner's key"},
  };
  for (const Case& test : cases) {
    World world;
    test.break_it(world);
    EXPECT_THAT(world.refusal(), HasSubstr(test.reason));
  }
}

TEST(Policy, AnotherKeyWithTheSameIdSignsNothing) {
  World world;
  SecretKey fake = generate_key();
  fake.id = world.developer.id;  // the certified id, another key
  Submission bad = world.submission();
  bad.image.signature = sign(fake, bad.image.text, "v1");
  EXPECT_THAT(world.refusal(bad), HasSubstr("another key has the id"));
  fake.id = world.owner.id;
  bad = world.submission();
  bad.certificate->signature = sign(fake, bad.certificate->text, "c");
  EXPECT_THAT(world.refusal(bad), HasSubstr("another key has the id"));
  world.certificate.key = public_part(fake);  // a certified key that poses as the owner's
  EXPECT_THAT(world.refusal(), HasSubstr("has the id of the owner's key"));
}

TEST(Policy, SwappedSectionsAreRefusedEvenUnderAGoodSignature) {
  World world;
  Submission bad = world.submission();
  std::string& text = bad.image.text;
  const size_t table = 8 + 7 * 4 + 8 * 4 + 0;  // magic, 5 words + u64, 8 words
  const size_t entry = 4 + 4 + 64;
  const std::string code = text.substr(table, entry);
  const std::string data = text.substr(table + entry, entry);
  text.replace(table, entry, data).replace(table + entry, entry, code);
  bad.image.signature = sign(world.developer, text, "v1");
  EXPECT_THAT(world.refusal(bad), HasSubstr("sections are out of order"));
}

TEST(Policy, RestrictiveNeedsTheOwnersApprovalOfThisVeryImage) {
  World world;
  world.use(Policy::Restrictive);
  Submission bad = world.submission();
  bad.approval.reset();
  EXPECT_THAT(world.refusal(bad), HasSubstr("needs the owner's approval"));
  bad = world.submission();
  bad.approval->text = write_approval({sha256_hex("other"), sha256_hex("source"), sha256_hex("report")});
  bad.approval->signature = sign(world.owner, bad.approval->text, "ok");
  EXPECT_THAT(world.refusal(bad), HasSubstr("for another image"));
  bad.approval->text =
      write_approval({sha256_hex(bad.image.text), sha256_hex("other"), sha256_hex("report")});
  bad.approval->signature = sign(world.owner, bad.approval->text, "ok");
  EXPECT_THAT(world.refusal(bad), HasSubstr("for another source"));
  bad.approval->signature = sign(world.developer, bad.approval->text, "ok");
  EXPECT_THAT(world.refusal(bad), HasSubstr("not by the owner's key"));
}

TEST(Policy, RulesNameTheirPolicy) {
  const World world;
  std::string text = write_block_rules(world.rules);
  const size_t at = text.find("policy:");
  text.erase(at, text.find('\n', at) + 1 - at);
  EXPECT_THAT(
      base::test::error_of([&] {
        parse_block_rules(text, "rules");
      }),
      HasSubstr("'policy' is missing"));
}

TEST(Dates, ABareDateEndsWithItsDay) {
  EXPECT_EQ(format_utc(parse_utc_end("2027-01-31", {})), "2027-01-31T23:59:59Z");
  EXPECT_EQ(format_utc(parse_utc_end("2027-01-31T12:00:00Z", {})), "2027-01-31T12:00:00Z");
}

TEST(Dates, RoundTrip) {
  EXPECT_EQ(parse_utc("1970-01-01", {}), 0u);
  EXPECT_EQ(parse_utc("2027-01-15T08:00:00Z", {}), kNow);
  EXPECT_EQ(format_utc(kNow), "2027-01-15T08:00:00Z");
  for (const char* bad : {"2027-02-30", "2027-13-01", "27-01-01", "2027-01-01T25:00:00Z", ""}) {
    EXPECT_THROW(parse_utc(bad, {}), base::Error) << bad;
  }
}

// Independent of the recursive definition in merkle.cc: pads nothing, folds level by level.
Digest fold_root(std::vector<Digest> level) {
  while (level.size() > 1) {
    std::vector<Digest> up;
    for (size_t i = 0; i + 1 < level.size(); i += 2)
      up.push_back(tree_root({level[i], level[i + 1]}));
    if (level.size() % 2)
      up.push_back(level.back());
    level = up;
  }
  return level[0];
}

TEST(Merkle, AllProofsOfAllSmallTreesHoldAndNoOthers) {
  std::vector<Digest> leaves;
  for (int i = 0; i < 20; ++i)
    leaves.push_back(leaf_digest("entry " + std::to_string(i)));
  EXPECT_EQ(to_hex(tree_root({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  for (uint64_t to = 1; to <= leaves.size(); ++to) {
    const std::vector<Digest> tree(leaves.begin(), leaves.begin() + static_cast<long>(to));
    const Digest root = tree_root(tree);
    EXPECT_EQ(root, fold_root(tree));
    for (uint64_t i = 0; i < to; ++i) {
      auto proof = inclusion_proof(leaves, i, to);
      EXPECT_TRUE(verify_inclusion(leaves[i], i, to, proof, root));
      EXPECT_FALSE(verify_inclusion(leaves[(i + 1) % 20], i, to, proof, root));
      EXPECT_FALSE(verify_inclusion(leaves[i], i + 1, to, proof, root));
      proof.push_back(root);
      EXPECT_FALSE(verify_inclusion(leaves[i], i, to, proof, root));
    }
    for (uint64_t from = 1; from <= to; ++from) {
      const Digest old_root = tree_root({leaves.begin(), leaves.begin() + static_cast<long>(from)});
      auto proof = consistency_proof(leaves, from, to);
      EXPECT_TRUE(verify_consistency(from, old_root, to, root, proof));
      EXPECT_FALSE(verify_consistency(from, leaves[19], to, root, proof));
      if (from == to)
        continue;
      for (Digest& digest : proof) {
        digest[5] ^= 1;
        EXPECT_FALSE(verify_consistency(from, old_root, to, root, proof));
        digest[5] ^= 1;
      }
    }
  }
}

// Each developer's program has its own counter: the greatest one of a stranger locks nobody out.
TEST(Policy, CountersBelongToDeveloperAndProgram) {
  World world;
  world.image.metadata = "name: echo.c\n" + world.image.metadata;
  Decision first = decide(world.submission(), world.rules, kNow);
  ASSERT_TRUE(first.accepted) << first.reason;
  EXPECT_EQ(first.remembered.counters, (std::vector<SeenCounter>{{world.certificate.subject, "echo.c", 5}}));
  world.rules = first.remembered;

  World other = world;
  other.developer = generate_key();
  other.certificate.subject = "Rival";
  other.certificate.key = public_part(other.developer);
  other.image.rollback = UINT32_MAX;
  const Decision rival = decide(other.submission(), world.rules, kNow);
  ASSERT_TRUE(rival.accepted) << rival.reason;
  world.rules = rival.remembered;
  EXPECT_EQ(world.refusal(), "") << "Acme's program is not locked out";
  world.image.rollback = 4;
  EXPECT_THAT(world.refusal(), HasSubstr("rollback: the image has counter 4, the tile has seen 5"));
  world.image.metadata = "name: other.c\nsource: " + sha256_hex("source") + "\n";
  EXPECT_EQ(world.refusal(), "") << "another program of the same developer";

  const BlockRules again = parse_block_rules(write_block_rules(world.rules), "rules");
  EXPECT_EQ(again, world.rules);
}

TEST(Policy, WhatTheOwnerTakesBackIsRefusedForGood) {
  World world;
  const auto with_list = [&](const Revocation& list, const SecretKey& signer) {
    Submission out = world.submission();
    const std::string text = write_revocation(list);
    out.revocation = Signed{"revoked.yaml", text, sign(signer, text, "list")};
    return out;
  };
  const Revocation empty{3, {}, {}};
  const Revocation key{4, {public_part(world.developer)}, {}};
  const Decision taken = decide(with_list(empty, world.owner), world.rules, kNow);
  ASSERT_TRUE(taken.accepted) << taken.reason;
  EXPECT_EQ(taken.remembered.revoked.number, 3u);
  EXPECT_THAT(world.refusal(with_list(key, world.owner)), HasSubstr("was revoked by list 4"));
  EXPECT_THAT(world.refusal(with_list(key, world.developer)), HasSubstr("not by the owner's key"));
  const Revocation image{4, {}, {sha256_hex(world.submission().image.text)}};
  EXPECT_THAT(world.refusal(with_list(image, world.owner)), HasSubstr("p.ypu was revoked by list 4"));

  world.rules.revoked = key;
  EXPECT_THAT(world.refusal(), HasSubstr("was revoked by list 4")) << "remembered without a list at hand";
  EXPECT_THAT(world.refusal(with_list(empty, world.owner)), HasSubstr("the tile has taken number 4"));
  EXPECT_THAT(world.refusal(with_list({5, {}, {}}, world.owner)), HasSubstr("was revoked"))
      << "a newer list that does not name the key gives nothing back";
  EXPECT_EQ(parse_block_rules(write_block_rules(world.rules), "rules"), world.rules);
}

// Presents one image a step to one tile, and repeats the decisions with two sets and a counter.
class TileHistory {
 public:
  struct Step {
    std::string name;
    uint32_t counter = 5;
    uint32_t list = 0;  // number of the list that comes with the image, 0 for none
    bool revokes_key = false;
    bool revokes_image = false;  // the image with this counter
    bool other_developer = false;
    bool other_policy = false;
    bool other_block = false;
    bool expired = false;
  };

  void present(const Step& step, const std::string& order) {
    const World world = world_of(step);
    Submission submission = world.submission();
    if (step.list > 0)
      submission.revocation = list_of(step, world, submission.image.text);
    const Decision decision = decide(submission, rules_, kNow);
    EXPECT_EQ(decision.accepted, expect(step)) << order << ": " << step.name << ": " << decision.reason;
    rules_ = parse_block_rules(write_block_rules(decision.remembered), "rules");
    EXPECT_EQ(rules_.revoked.number, number_) << order << ": " << step.name;
  }

 private:
  World world_of(const Step& step) const {
    World world = base_;
    world.image.metadata = "name: echo.c\n";
    world.image.rollback = step.counter;
    if (step.other_developer) {
      world.developer = second_;
      world.certificate.subject = "Second";
      world.certificate.key = public_part(second_);
    }
    if (step.other_policy)
      world.image.policy = Policy::Closed;
    world.image.block += step.other_block ? 1 : 0;
    if (step.expired)
      world.image.expires = kNow - 1;
    return world;
  }

  static Signed list_of(const Step& step, const World& world, const std::string& image) {
    Revocation list{step.list, {}, {}};
    if (step.revokes_key)
      list.keys.push_back(public_part(world.developer));
    if (step.revokes_image)
      list.images.push_back(sha256_hex(image));
    const std::string text = write_revocation(list);
    return {"revoked.yaml", text, sign(world.owner, text, "list")};
  }

  // Returns whether the step must be accepted, and updates what must be remembered of it.
  bool expect(const Step& step) {
    if (step.list > 0 && step.list < number_)
      return false;
    number_ = std::max(number_, step.list);
    if (step.list > 0 && step.revokes_key)
      keys_.insert(step.other_developer);
    if (step.list > 0 && step.revokes_image)
      images_.insert(step.counter);
    if (keys_.contains(step.other_developer) || images_.contains(step.counter))
      return false;
    if (step.other_policy || step.other_block || step.expired || step.counter < base_.rules.rollback)
      return false;
    uint32_t& seen = seen_[step.other_developer];
    if (step.counter < seen)
      return false;
    seen = step.counter;
    return true;
  }

  World base_;
  SecretKey second_ = generate_key();
  BlockRules rules_ = base_.rules;
  uint32_t number_ = 0;
  std::set<bool> keys_;
  std::set<uint32_t> images_;  // by counter: the same bytes of either developer
  std::map<bool, uint32_t> seen_;
};

// Any two rules in either order, with an accepted image and a refused one before, between and after them.
TEST(Policy, EveryPairOfRulesHoldsInBothOrdersForGood) {
  using Step = TileHistory::Step;
  const std::vector<Step> rules = {
      {.name = "plain"},
      {.name = "newer", .counter = 6},
      {.name = "older", .counter = 4},
      {.name = "below the owner's counter", .counter = 2},
      {.name = "newest counter of another policy", .counter = 9, .other_policy = true},
      {.name = "newest counter of another block", .counter = 9, .other_block = true},
      {.name = "newest counter, expired", .counter = 9, .expired = true},
      {.name = "empty list", .list = 1},
      {.name = "key revoked", .list = 2, .revokes_key = true},
      {.name = "image revoked", .list = 2, .revokes_image = true},
      {.name = "newer image revoked", .counter = 6, .list = 3, .revokes_image = true},
      {.name = "key revoked beside another policy", .list = 3, .revokes_key = true, .other_policy = true},
      {.name = "key revoked beside an old counter", .counter = 2, .list = 4, .revokes_key = true},
      {.name = "the second's key revoked", .list = 5, .revokes_key = true, .other_developer = true},
      {.name = "the second's image", .other_developer = true},
  };
  for (const Step& first : rules) {
    for (const Step& second : rules) {
      TileHistory history;
      const std::string order = first.name + ", then " + second.name;
      for (const Step& step : {first, second, rules[0], first, second, rules[1], rules[0], rules.back()})
        history.present(step, order);
    }
  }
}

// Every byte of a list, changed, is refused.
TEST(Policy, ATamperedRevocationListIsRefused) {
  World world;
  Submission good = world.submission();
  const std::string text = write_revocation({7, {public_part(generate_key())}, {sha256_hex("x")}});
  good.revocation = Signed{"revoked.yaml", text, sign(world.owner, text, "list")};
  ASSERT_EQ(world.refusal(good), "");
  for (size_t at = 0; at < text.size(); ++at) {
    Submission bad = good;
    bad.revocation->text[at] = char(bad.revocation->text[at] ^ 1);
    EXPECT_NE(world.refusal(bad), "") << at;
  }
  Submission cut = good;
  cut.revocation->text.resize(text.size() / 2);
  EXPECT_NE(world.refusal(cut), "");
}

}  // namespace
}  // namespace lento::tile
