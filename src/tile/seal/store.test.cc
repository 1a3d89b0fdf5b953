// The store: what a client believes, and what a publisher's key signs.
#include "tile/seal/store.h"

#include <gmock/gmock.h>

#include <thread>

#include "base/http/http.h"
#include "tile/seal/test_world.h"

namespace lento::tile {
namespace {

using namespace test;
using testing::HasSubstr;

struct StoreWorld : World {
  TempFolder dir;
  SecretKey key = generate_key();
  std::string folder = dir / "store";
  StoreWorld() {
    init_store(folder, key);
    for (const char* name : {"pics", "gpu", "pics"}) {
      publish(folder, key, name, submission());
      ++image.rollback;
    }
  }
  Fetched get(const Ask& ask, const std::optional<TreeHead>& seen) {
    return fetch(ask, public_part(key), {seen, {}}, "pics");
  }
};

TEST(Store, FolderAndServerGiveTheSameVerifiedProgram) {
  StoreWorld world;
  const Ask folder = ask_folder(world.folder);
  const Fetched local = world.get(folder, {});
  EXPECT_EQ(local.index, 2u);
  EXPECT_TRUE(decide(local.submission, world.rules, kNow).accepted);
  base::HttpServer server("127.0.0.1", 0, [&](const base::HttpQuestion& question) {
    const auto answer = folder(question.path.substr(1));
    return answer ? base::HttpReply{200, *answer} : base::HttpReply{404, "no"};
  });
  const Fetched remote = world.get(ask_http("http://127.0.0.1:" + std::to_string(server.port())), local.head);
  EXPECT_EQ(remote.submission.image.text, local.submission.image.text);
  EXPECT_EQ(remote.head, local.head);
  EXPECT_TRUE(audit(world.folder, public_part(world.key), local.head).problems.empty());
}

TEST(Store, ReplayedRewrittenOrForeignLogsAreRefused) {
  StoreWorld world;
  const TreeHead old_head = world.get(ask_folder(world.folder), {}).head;
  fs::copy(world.folder, world.dir / "old", fs::copy_options::recursive);
  publish(world.folder, world.key, "values", world.submission());
  const TreeHead new_head = world.get(ask_folder(world.folder), old_head).head;
  EXPECT_EQ(new_head.size, 4u);
  const auto reason = [&](const std::string& folder, const TreeHead& seen) -> std::string {
    try {
      world.get(ask_folder(folder), seen);
    } catch (const base::Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(reason(world.dir / "old", new_head), HasSubstr("the log was replayed"));
  // A store that forgets its first entry and grows again: same length, other history.
  init_store(world.dir / "fork", world.key);
  for (int i = 0; i < 5; ++i)
    publish(world.dir / "fork", world.key, "pics", world.submission());
  EXPECT_THAT(reason(world.dir / "fork", new_head), HasSubstr("the log was rewritten"));
  const SecretKey stranger = generate_key();
  init_store(world.dir / "foreign", stranger);
  publish(world.dir / "foreign", stranger, "pics", world.submission());
  EXPECT_THAT(reason(world.dir / "foreign", {}), HasSubstr("not signed by the store's key"));
}

TEST(Store, AnEntryOutsideTheLogOrAChangedObjectIsRefused) {
  StoreWorld world;
  const Ask honest = ask_folder(world.folder);
  LogEntry entry = world.get(honest, {}).entry;
  entry.rollback += 1;
  const Ask lying = [&](const std::string& q) -> std::optional<std::string> {
    return q == "find/pics/3" ? "2\n" + write_entry(entry) : honest(q);
  };
  EXPECT_THROW(world.get(lying, {}), base::Error);
  const std::string object = world.folder + "/objects/" + entry.image;
  base::write_file(object, base::read_file(object) + "x");
  EXPECT_THROW(world.get(honest, {}), base::Error);
  EXPECT_EQ(audit(world.folder, public_part(world.key), {}).problems.size(), 1u);
}

TEST(Store, AKeySignsOnlyWhatExtendsItsOwnHead) {
  StoreWorld world;
  const std::string path = world.folder + "/log.jsonl";
  const std::string log = base::read_file(path);
  std::string changed = log;
  changed.replace(changed.find("pics"), 4, "lies");
  base::write_file(path, changed);
  const auto again = [&] {
    publish(world.folder, world.key, "gpu", world.submission());
  };
  EXPECT_THAT(base::test::error_of(again), HasSubstr("not the one that its head signs"));
  base::write_file(path, log.substr(0, log.find('\n') + 1));
  EXPECT_THAT(base::test::error_of(again), HasSubstr("not the one that its head signs"));
  base::write_file(path, log);
  EXPECT_THAT(
      base::test::error_of([&] {
        publish(world.folder, generate_key(), "gpu", world.submission());
      }),
      HasSubstr("not signed by the store's key"));
  again();
}

TEST(Store, APublishThatWasCutShortLeavesNoTrace) {
  StoreWorld world;
  const Ask ask = ask_folder(world.folder);
  const std::string path = world.folder + "/log.jsonl";
  const std::string log = base::read_file(path);
  const std::string last = log.substr(log.rfind('\n', log.size() - 2) + 1);
  base::write_file(path, log + last);  // the log was written, the head was not
  EXPECT_EQ(world.get(ask, {}).index, 2u);
  EXPECT_FALSE(ask("entry/3"));
  EXPECT_EQ(publish(world.folder, world.key, "pics", world.submission()), 3u);
  EXPECT_EQ(world.get(ask, {}).index, 3u);
}

TEST(Store, PublishersTakeTurns) {
  StoreWorld world;
  const auto add = [&] {
    for (int i = 0; i < 10; ++i)
      publish(world.folder, world.key, "gpu", world.submission());
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(world.get(ask_folder(world.folder), {}).head.size, 23u);
  EXPECT_TRUE(audit(world.folder, public_part(world.key), {}).problems.empty());
}

TEST(Store, APublishBetweenTwoQuestionsDoesNotDisturbAFetch) {
  StoreWorld world;
  const Ask honest = ask_folder(world.folder);
  const Ask busy = [&](const std::string& q) {
    const auto answer = honest(q);
    if (q == "head")
      publish(world.folder, world.key, "pics", world.submission());
    return answer;
  };
  EXPECT_EQ(world.get(busy, {}).index, 2u);
}

TEST(Store, AnOlderReleaseThanTheOneSeenIsRefused) {
  StoreWorld world;
  const Ask honest = ask_folder(world.folder);
  const Fetched newest = world.get(honest, {});
  Trust trust{newest.head, {{"pics", {newest.index, newest.entry.rollback, newest.entry.developer}}}};
  trust = parse_trust(write_trust(trust), "trust");
  const Ask old = [&](const std::string& q) {
    return honest(q == "find/pics/3" ? "find/pics/1" : q);
  };
  EXPECT_EQ(fetch(old, public_part(world.key), {newest.head, {}}, "pics").index, 0u);
  EXPECT_THAT(
      base::test::error_of([&] {
        fetch(old, public_part(world.key), trust, "pics");
      }),
      HasSubstr("entry 2 was seen before"));
  EXPECT_EQ(fetch(honest, public_part(world.key), trust, "pics").index, 2u);
  EXPECT_EQ(parse_trust(write_head(newest.head), "trust").head, newest.head) << "a head of before";
}

TEST(Store, CountersNeverFallAndAreThoseOfTheImages) {
  StoreWorld world;
  world.image.rollback = 1;
  EXPECT_THAT(
      base::test::error_of([&] {
        publish(world.folder, world.key, "pics", world.submission());
      }),
      HasSubstr("rollback: the image has counter 1"));
  // A store that logs another counter than its image has.
  const std::string path = world.folder + "/log.jsonl";
  const std::string log = base::read_file(path);
  const size_t begin = log.rfind('\n', log.size() - 2) + 1;
  LogEntry entry = parse_entry(log.substr(begin, log.size() - 1 - begin), "log");
  entry.rollback = 99;
  base::write_file(path, log.substr(0, begin) + write_entry(entry) + "\n");
  std::vector<Digest> leaves;
  for (size_t at = 0; at < begin; at = log.find('\n', at) + 1)
    leaves.push_back(leaf_digest(log.substr(at, log.find('\n', at) - at)));
  leaves.push_back(leaf_digest(write_entry(entry)));
  const std::string head = write_head({leaves.size(), tree_root(leaves)});
  base::write_file(world.folder + "/head", head + sign(world.key, head, "tile store head"));
  EXPECT_THAT(
      base::test::error_of([&] {
        world.get(ask_folder(world.folder), {});
      }),
      HasSubstr("not that of its log entry"));
  EXPECT_EQ(audit(world.folder, public_part(world.key), {}).problems.size(), 1u);
}

TEST(Store, ANameStaysWithItsDeveloper) {
  StoreWorld world;
  StoreWorld thief;
  thief.image.rollback = 100;
  EXPECT_THAT(
      base::test::error_of([&] {
        publish(world.folder, world.key, "pics", thief.submission());
      }),
      HasSubstr("the name 'pics' belongs to another developer"));
  EXPECT_EQ(publish(world.folder, world.key, "thief.pics", thief.submission()), 3u);

  // A store that hands the name over all the same: the audit and a client that knew the owner see it.
  const Fetched before = world.get(ask_folder(world.folder), {});
  Trust trust{before.head, {{"pics", {before.index, before.entry.rollback, before.entry.developer}}}};
  trust = parse_trust(write_trust(trust), "trust");
  const std::string other = world.dir / "other";
  init_store(other, world.key);
  publish(other, world.key, "pics", thief.submission());
  trust.head = {};
  EXPECT_THAT(
      base::test::error_of([&] {
        fetch(ask_folder(other), public_part(world.key), {{}, {{"pics", {0, 0, "someone"}}}}, "pics");
      }),
      HasSubstr("belonged to another developer before"));
  Submission forged = thief.submission();
  forged.certificate = world.submission().certificate;
  EXPECT_THAT(
      base::test::error_of([&] {
        publish(world.folder, world.key, "pics", forged);
      }),
      HasSubstr("not signed by the key of its certificate"));
}

}  // namespace
}  // namespace lento::tile
