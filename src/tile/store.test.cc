// Programs of the tile from build to store to load: what comes out is what went in, and whoever changes a
// byte, a counter or a name on the way is found out.
#include "tile/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/test_error.h"
#include "base/test_folder.h"
#include "tile/build.h"
#include "tile/load.h"

namespace lento::tile {
namespace {

using base::test::error_of;
using testing::HasSubstr;

class TileStore : public base::test::FolderTest {
 protected:
  void SetUp() override {
    make_tile_keys(at("owner"), "");
    make_tile_keys(at("store"), "");
    init_store(at("shop"), read_tile_secret(at("store.key"), ""));
  }

  // A signed image of the shipped echo program.
  std::string image(const std::string& name, uint32_t rollback) const {
    TileBuildOptions o;
    o.shipped = "echo.c";
    o.rollback = rollback;
    o.policy = "closed";
    base::write_file(at(name), build_tile(o).bytes);
    sign_tile_file({at(name), at("owner.key"), "", ""});
    return at(name);
  }
  uint64_t publish(const std::string& file) const {
    TilePublishOptions o;
    o.folder = at("shop");
    o.key = at("store.key");
    o.name = "echo";
    o.image = file;
    return publish_tile(o);
  }
  TileFetchOptions fetching() const {
    TileFetchOptions o;
    o.store = at("shop");
    o.store_key = at("store.pub");
    o.trust = at("trust");
    o.name = "echo";
    o.folder = folder_;
    return o;
  }
  TileLoadOptions loading(const std::string& file) const {
    TileLoadOptions o;
    o.image = file;
    o.owner = at("owner.pub");
    o.policy = "closed";
    return o;
  }
};

TEST_F(TileStore, WhatIsFetchedIsWhatWasPublished) {
  const std::string first = image("v1.ypu", 1);
  const std::string second = image("v2.ypu", 2);
  EXPECT_EQ(publish(first), 0U);
  const TileFetch one = fetch_tile(fetching());
  EXPECT_EQ(base::read_file(one.image), base::read_file(first));
  EXPECT_EQ(publish(second), 1U);
  const TileFetch two = fetch_tile(fetching());
  EXPECT_EQ(base::read_file(two.image), base::read_file(second));
  EXPECT_EQ(two.fetched.entry.rollback, 2U);
  const TileLoad load = decide_tile_load(loading(two.image), {});
  EXPECT_TRUE(load.decision.accepted) << load.decision.reason;
}

TEST_F(TileStore, AReleaseThatGoesBackIsRefused) {
  publish(image("v2.ypu", 2));
  EXPECT_THROW(publish(image("v1.ypu", 1)), base::Error);
}

TEST_F(TileStore, AChangedObjectIsFoundByWhoFetchesAndByWhoAudits) {
  publish(image("v1.ypu", 1));
  const TileAuditOptions audit{at("shop"), at("store.pub"), at("trust")};
  EXPECT_TRUE(audit_tile_store(audit).problems.empty());
  bool changed = false;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(at("shop"))) {
    if (!entry.is_regular_file() || changed)
      continue;
    std::string bytes = base::read_file(entry.path().string());
    if (bytes != base::read_file(at("v1.ypu")))
      continue;
    bytes.back() = char(bytes.back() ^ 1);
    base::write_file(entry.path().string(), bytes);
    changed = true;
  }
  ASSERT_TRUE(changed);
  EXPECT_THROW(fetch_tile(fetching()), base::Error);
  EXPECT_FALSE(audit_tile_store(audit).problems.empty());
}

TEST_F(TileStore, AStoreThatForgetsIsRemembered) {
  publish(image("v1.ypu", 1));
  std::filesystem::copy(at("shop"), at("old"), std::filesystem::copy_options::recursive);
  publish(image("v2.ypu", 2));
  fetch_tile(fetching());
  std::filesystem::remove_all(at("shop"));
  std::filesystem::rename(at("old"), at("shop"));
  EXPECT_THROW(fetch_tile(fetching()), base::Error);
  TileFetchOptions fresh = fetching();
  fresh.trust = "";
  EXPECT_EQ(fetch_tile(fresh).fetched.entry.rollback, 1U);  // who has not seen more cannot know
}

TEST_F(TileStore, AnotherStoresKeyAndAnUnknownNameAreRefused) {
  publish(image("v1.ypu", 1));
  make_tile_keys(at("thief"), "");
  TileFetchOptions o = fetching();
  o.store_key = at("thief.pub");
  EXPECT_THROW(fetch_tile(o), base::Error);
  o = fetching();
  o.name = "ekko";
  EXPECT_THROW(fetch_tile(o), base::Error);
}

TEST_F(TileStore, RulesRememberTheCounterOnlyWhenAsked) {
  const std::string old = image("v1.ypu", 1);
  const std::string fresh = image("v5.ypu", 5);
  BlockRules rules;
  rules.owner = read_tile_public(at("owner.pub"));
  rules.block = rules.abi = 1;
  rules.policy = Policy::Closed;
  base::write_file(at("rules"), write_block_rules(rules));
  TileLoadOptions o = loading(fresh);
  o.owner = "";
  o.rules = at("rules");
  EXPECT_TRUE(decide_tile_load(o, {}).decision.accepted);
  o.image = old;
  EXPECT_TRUE(decide_tile_load(o, {}).decision.accepted);
  o.image = fresh;
  o.remember = true;
  EXPECT_TRUE(decide_tile_load(o, {}).decision.accepted);
  o.image = old;
  EXPECT_FALSE(decide_tile_load(o, {}).decision.accepted);
}

TEST_F(TileStore, LoadsNeedRulesAndGoodPapers) {
  const std::string file = image("v1.ypu", 1);
  TileLoadOptions o;
  o.image = file;
  EXPECT_THAT(
      error_of([&] {
        decide_tile_load(o, {});
      }),
      HasSubstr("give the tile's rules"));
  o.owner = at("owner.pub");
  o.remember = true;
  EXPECT_THAT(
      error_of([&] {
        decide_tile_load(o, {});
      }),
      HasSubstr("--remember needs --rules"));
  o = loading(file);
  o.block = 9;
  EXPECT_FALSE(decide_tile_load(o, {}).decision.accepted);
  o = loading(file);
  o.abi = 9;
  EXPECT_FALSE(decide_tile_load(o, {}).decision.accepted);
  o = loading(file);
  o.rollback = 2;
  EXPECT_FALSE(decide_tile_load(o, {}).decision.accepted);
  make_tile_keys(at("other"), "");
  o = loading(file);
  o.owner = at("other.pub");
  const TileLoad refused = decide_tile_load(o, {});
  EXPECT_FALSE(refused.decision.accepted);
  EXPECT_FALSE(refused.decision.reason.empty());
}

TEST(TileBuild, AShippedProgramIsItsImageWithTheHeaderAsked) {
  TileBuildOptions o;
  o.shipped = "echo.c";
  o.block = 7;
  o.abi = 3;
  o.rollback = 9;
  o.expires = "2030-01-01";
  o.trigger = std::pair{8u, 16u};
  const TileBuild made = build_tile(o);
  const Image back = parse_image(made.bytes, "echo.ypu");
  EXPECT_EQ(back, made.built.image);
  EXPECT_EQ(back.block, 7U);
  EXPECT_EQ(back.abi, 3U);
  EXPECT_EQ(back.rollback, 9U);
  EXPECT_TRUE(back.triggered);
  EXPECT_EQ(back.trigger_end, 16U);
  EXPECT_EQ(made.instructions, tile_instructions(back));
  EXPECT_GT(made.instructions, 3U);
  EXPECT_LE(4 * made.instructions, back.code.size());
}

TEST(TileBuild, ProgramsAreNamedOnceAndKnown) {
  const auto error = [](const TileBuildOptions& o) {
    return error_of([&] {
      build_tile(o);
    });
  };
  TileBuildOptions o;
  EXPECT_THAT(error(o), HasSubstr("one of the two"));
  o.source = "x.c";
  o.shipped = "echo.c";
  EXPECT_THAT(error(o), HasSubstr("one of the two"));
  o.source = "";
  o.shipped = "ecko.c";
  EXPECT_THAT(error(o), testing::AllOf(HasSubstr("no such program"), HasSubstr("echo")));
  o.shipped = "echo.c";
  o.policy = "open";
  EXPECT_THAT(error(o), HasSubstr("--policy"));
  o.policy = "closed";
  o.expires = "soon";
  EXPECT_THAT(error(o), HasSubstr("--expires"));
}

TEST(TileVerify, EveryShippedProgramIsAcceptedWithItsWorstPath) {
  for (const std::string& name : shipped_programs()) {
    TileBuildOptions b;
    b.shipped = name;
    const std::string path = testing::TempDir() + "/lento_shipped.ypu";
    base::write_file(path, build_tile(b).bytes);
    const TileVerification v = verify_tile({path, ""}, {});
    EXPECT_TRUE(v.report.accepted) << name;
  }
}

}  // namespace
}  // namespace lento::tile
