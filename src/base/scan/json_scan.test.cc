// The fast walk against the whole reader: over drawn values both must see the same.
#include "base/scan/json_scan.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/error.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/test_error.h"

namespace lento::base {
namespace {

using base::Json;
using base::Rng;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Json drawn(Rng& rng, int depth) {
  const char* texts[] = {"", "plain", "a\"b", "back\\slash", "[{", "}]", "line\nend", "tab\t"};
  switch (rng.below(depth > 0 ? 6 : 4)) {
    case 0:
      return int64_t(rng.next()) >> rng.below(60);
    case 1:
      return rng.below(2) == 0;
    case 2:
      return texts[rng.below(std::size(texts))];
    case 3:
      return rng.uniform(-1e6, 1e6);
    case 4: {
      Json list = Json::array();
      for (uint64_t i = rng.below(5); i > 0; --i)
        list.push(drawn(rng, depth - 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (uint64_t i = rng.below(5); i > 0; --i)
        object.set("key" + std::to_string(i), drawn(rng, depth - 1));
      return object;
    }
  }
}

TEST(JsonValueEnd, IsWhereTheValueEnds) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed, "json");
    const std::string value = base::write_json(drawn(rng, 4), rng.below(2) ? 1 : -1);
    EXPECT_EQ(json_value_end(value + ",1]", 0), value.size()) << value;
    EXPECT_EQ(json_value_end("[" + value + "]", 1), value.size() + 1) << value;
  }
}

TEST(JsonValueEnd, OfWhatIsCutThereIsNone) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed, "cut");
    Json list = Json::array();
    list.push(drawn(rng, 3)).push("end");
    const std::string whole = base::write_json(list);
    for (size_t size = 0; size < whole.size(); ++size)
      ASSERT_EQ(json_value_end(whole.substr(0, size), 0), std::string::npos) << whole << " " << size;
  }
}

void expect_same(const Json& value, std::string_view text) {
  if (value.is_object()) {
    JsonMembers members(text);
    for (const auto& [key, member] : value.members()) {
      ASSERT_TRUE(members.next());
      EXPECT_EQ(members.key(), key);
      expect_same(member, members.value());
    }
    EXPECT_FALSE(members.next());
    EXPECT_FALSE(members.damaged());
  } else if (value.is_array()) {
    JsonElements elements(text);
    for (const Json& item : value.items()) {
      ASSERT_TRUE(elements.next());
      expect_same(item, elements.value());
    }
    EXPECT_FALSE(elements.next());
  } else if (value.is_string()) {
    EXPECT_TRUE(json_is_string(text));
    EXPECT_EQ(json_text(text), value.string({}));
  } else if (value.is_int()) {
    EXPECT_EQ(json_int(text, -1), value.integer({}));
  } else if (value.is_number()) {
    EXPECT_EQ(json_double(text, -1), value.number({}));
  }
}

TEST(JsonWalk, SeesWhatTheWholeReaderSees) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed, "walk");
    const Json value = drawn(rng, 5);
    expect_same(value, base::write_json(value, seed % 2 ? 2 : -1));
  }
}

TEST(JsonText, EscapesAreTheirCharacters) {
  EXPECT_EQ(json_text(R"("a\tb\nc\u00fc\u8282")"), "a\tb\nc\u00fc\u8282");
  EXPECT_EQ(json_text(R"("\ud83d\ude00")"), "\U0001f600");
  EXPECT_EQ(json_text(R"("\"\\\/")"), "\"\\/");
  for (const char* broken : {R"("\ud83d")", R"("\ude00")", R"("\ud83d\u")"})
    EXPECT_TRUE(json_text(broken).starts_with("\ufffd")) << broken;
  EXPECT_EQ(json_text(R"("\u12")"), "\ufffd12");
}

TEST(JsonNumbers, OfEveryFormAndOtherwise) {
  EXPECT_EQ(json_int("12", 0), 12);
  EXPECT_EQ(json_int("\"12\"", 0), 12);
  EXPECT_EQ(json_int("12.0", 0), 12);
  EXPECT_EQ(json_int("-7", 0), -7);
  for (const char* none : {"", "x", "\"\"", "null", "1e300", "true"})
    EXPECT_EQ(json_int(none, 5), 5) << none;
  EXPECT_EQ(json_double("2.5", 0), 2.5);
  EXPECT_EQ(json_double("\"2.5\"", 0), 2.5);
  for (const char* none : {"", "x", "2.5x", "nan", "inf", "1e999"})
    EXPECT_EQ(json_double(none, 7), 7) << none;
}

TEST(JsonMicros, EveryNanosecondExactly) {
  Rng rng(5, "micros");
  for (int i = 0; i < 500; ++i) {
    const auto ns = int64_t(rng.next() >> (2 + rng.below(50)));
    if (ns > int64_t{4} << 60)
      continue;
    std::string text = std::to_string(ns / 1000) + ".";
    const std::string part = std::to_string(ns % 1000);
    text += std::string(3 - part.size(), '0') + part;
    int64_t read = -1;
    ASSERT_TRUE(json_micros(text, read)) << text;
    EXPECT_EQ(read, ns) << text;
  }
}

TEST(JsonMicros, ShortDecimalsAndExponents) {
  const std::pair<const char*, int64_t> times[] = {
      {"1", 1000},
      {"1.5", 1500},
      {"1.05", 1050},
      {"0.001", 1},
      {"1e3", 1000000},
      {"\"2.25\"", 2250},
      {"-1", -1000},
      {"-0.5", -500},
      {"-1.5", -1500}};
  for (const auto& [text, ns] : times) {
    int64_t read = 0;
    ASSERT_TRUE(json_micros(text, read)) << text;
    EXPECT_EQ(read, ns) << text;
  }
  int64_t read = 0;
  for (const char* none : {"", "x", "1x", "99999999999999999999", "1e300", "\"\""})
    EXPECT_FALSE(json_micros(none, read)) << none;
}

TEST(JsonRanks, NumbersBetweenBrackets) {
  bool complete = false;
  EXPECT_THAT(json_ranks("[0, 1,2]", complete), ElementsAre(0, 1, 2));
  EXPECT_TRUE(complete);
  EXPECT_THAT(json_ranks("\"[4,5]\"", complete), ElementsAre(4, 5));
  EXPECT_TRUE(complete);
  EXPECT_THAT(json_ranks("[]", complete), IsEmpty());
  EXPECT_TRUE(complete);
  EXPECT_THAT(json_ranks("[0, 1, ..., 7]", complete), ElementsAre(0, 1));
  EXPECT_FALSE(complete);
  for (const char* none : {"", "[", "0,1", "{0}"}) {
    EXPECT_THAT(json_ranks(none, complete), IsEmpty()) << none;
    EXPECT_FALSE(complete) << none;
  }
}

class JsonStreamTest : public testing::Test {
 protected:
  const std::string& file(const std::string& text) {
    base::write_file(path_, text);
    return path_;
  }
  ~JsonStreamTest() override {
    std::filesystem::remove(path_);
  }
  std::string path_ = testing::TempDir() + "lento_json_stream_test";
};

TEST_F(JsonStreamTest, ValuesOneAfterTheOther) {
  std::string text = "[";
  for (int i = 0; i < 20000; ++i)
    text += (i ? " ,\n" : "") + std::string("{\"n\": ") + std::to_string(i) + "}";
  JsonStream in(file(text + " ] "));
  in.expect('[');
  int count = 0;
  do {
    if (count % 3 == 2) {
      in.skip();
    } else {
      JsonMembers members(in.value());
      ASSERT_TRUE(members.next());
      EXPECT_EQ(json_int(members.value(), -1), count);
    }
    ++count;
  } while (in.take(','));
  in.expect(']');
  EXPECT_EQ(in.peek(), 0);
  EXPECT_EQ(count, 20000);
}

TEST_F(JsonStreamTest, AValueLargerThanTheBufferIsWhole) {
  const std::string large = "\"" + std::string(300000, 'x') + "\"";
  JsonStream in(file("[" + large + "," + large + ",1]"));
  in.expect('[');
  EXPECT_EQ(in.value(), large);
  in.expect(',');
  in.skip();
  in.expect(',');
  EXPECT_EQ(in.value(), "1");
}

TEST_F(JsonStreamTest, DamageIsToldWithItsPlace) {
  JsonStream in(file("{\"a\": [1, 2"));
  EXPECT_THAT(
      base::test::error_of([&] {
        in.expect('[');
      }),
      HasSubstr(path_));
  EXPECT_THAT(
      base::test::error_of([&] {
        in.value();
      }),
      HasSubstr(path_));
}

}  // namespace
}  // namespace lento::base
