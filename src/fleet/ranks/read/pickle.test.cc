// The pickle reader: every value that a writer here can make comes back, everything else is refused.
#include "fleet/ranks/read/pickle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>

#include "base/rng.h"
#include "base/test_bytes.h"
#include "base/test_error.h"

namespace lento::fleet::ranks {
namespace {

using base::test::little;
using testing::HasSubstr;
using Kind = PlainValue::Kind;

PlainDocument parse(const std::string& body) {
  return parse_pickle(std::string("\x80\x02", 2) + body + ".", "p");
}

std::string error_of(const std::string& body) {
  return base::test::error_of([&] {
    parse(body);
  });
}

int64_t integer(const std::string& body) {
  return parse(body).root->integer(-12345);
}

std::string real(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  std::string out = "G";
  for (int i = 7; i >= 0; --i)
    out += char(bits >> (8 * i));
  return out;
}

TEST(Pickle, WholeNumbersOfEveryWidth) {
  EXPECT_EQ(integer("K\xff"), 255);
  EXPECT_EQ(integer("M\xff\xff"), 65535);
  EXPECT_EQ(integer("J" + little(0x80000000, 4)), INT32_MIN);
  EXPECT_EQ(integer("J" + little(0x7fffffff, 4)), INT32_MAX);
  EXPECT_EQ(integer(std::string("\x8a\0", 2)), 0);
  for (int size = 1; size <= 8; ++size) {
    const std::string head = "\x8a" + std::string(1, char(size));
    const int64_t most = int64_t(UINT64_MAX >> 1 >> (64 - 8 * size));
    EXPECT_EQ(integer(head + little(uint64_t(most), size)), most) << size;
    EXPECT_EQ(integer(head + little(uint64_t(-most - 1), size)), -most - 1) << size;
    EXPECT_EQ(integer(head + little(~uint64_t{0}, size)), -1) << size;
  }
  EXPECT_THAT(error_of("\x8a\x09" + little(1, 8) + "\x01"), HasSubstr("over 64 bits"));
}

TEST(Pickle, RealsTextsTruthsAndNothing) {
  for (const double value : {0.0, -1.5, 1e300, 0.1})
    EXPECT_EQ(parse(real(value)).root->real, value);
  EXPECT_EQ(parse("X" + little(3, 4) + "abc").root->string(), "abc");
  EXPECT_EQ(parse("\x8c\x02hi").root->string(), "hi");
  EXPECT_EQ(parse("\x8d" + little(2, 8) + "yo").root->string(), "yo");
  EXPECT_EQ(parse("U\x01x").root->string(), "x");
  EXPECT_TRUE(parse("\x88").root->truth());
  EXPECT_FALSE(parse("\x89").root->truth());
  EXPECT_EQ(parse("\x89").root->kind, Kind::Bool);
  EXPECT_EQ(parse("N").root->kind, Kind::None);
}

TEST(Pickle, ListsTuplesAndDictionariesInAllTheirSpellings) {
  for (const char* body :
       {"(K\x01K\x02t",
        "(K\x01K\x02l",
        "K\x01K\x02\x86",
        "]K\x01"
        "aK\x02"
        "a",
        "](K\x01K\x02"
        "e"}) {
    const PlainDocument d = parse(body);
    ASSERT_EQ(d.root->kind, Kind::List) << body;
    ASSERT_EQ(d.root->items.size(), 2U) << body;
    EXPECT_EQ(d.root->items[0]->number, 1);
    EXPECT_EQ(d.root->items[1]->number, 2);
  }
  EXPECT_EQ(parse("K\x01\x85").root->items.size(), 1U);
  EXPECT_EQ(parse("K\x01K\x02K\x03\x87").root->items.size(), 3U);
  EXPECT_EQ(parse(")").root->items.size(), 0U);
  for (const char* body :
       {"(U\x01"
        "aK\x07"
        "d",
        "}U\x01"
        "aK\x07"
        "s",
        "}(U\x01"
        "aK\x07"
        "u"}) {
    const PlainDocument d = parse(body);
    ASSERT_EQ(d.root->kind, Kind::Dict) << body;
    ASSERT_NE(d.root->find("a"), nullptr) << body;
    EXPECT_EQ(d.root->find("a")->number, 7);
    EXPECT_EQ(d.root->find("b"), nullptr);
  }
}

TEST(Pickle, MemoOfAllProtocols) {
  const PlainDocument q = parse(
      "U\x01xq\x05"
      "0h\x05");
  EXPECT_EQ(q.root->string(), "x");
  const PlainDocument r = parse("U\x01xr" + little(70000, 4) + "0j" + little(70000, 4));
  EXPECT_EQ(r.root->string(), "x");
  const PlainDocument memoized = parse(
      "U\x01x\x94"
      "U\x01y\x94"
      "\x86"
      "0h\x01");
  EXPECT_EQ(memoized.root->string(), "y");
  EXPECT_THAT(error_of("h\x07"), HasSubstr("not remembered"));
  EXPECT_THAT(error_of("q\x07"), HasSubstr("nothing to remember"));
}

TEST(Pickle, AFrameIsPassedOver) {
  EXPECT_EQ(integer("\x95" + little(2, 8) + "K\x2a"), 42);
}

TEST(Pickle, AListInItselfIsNotFollowed) {
  const PlainDocument d = parse(
      "]q\x01h\x01"
      "a");
  ASSERT_EQ(d.root->items.size(), 1U);
  EXPECT_EQ(d.root->items[0], d.root);
  EXPECT_EQ(d.root->find("x"), nullptr);
}

TEST(Pickle, StructureThatDoesNotHoldIsRefused) {
  EXPECT_THAT(error_of(""), HasSubstr("exactly one value"));
  EXPECT_THAT(error_of("K\x01K\x02"), HasSubstr("exactly one value"));
  EXPECT_THAT(error_of("l"), HasSubstr("not begun"));
  EXPECT_THAT(error_of("K\x01\x86"), HasSubstr("too few values"));
  EXPECT_THAT(error_of("(K\x01\x86"), HasSubstr("too few values"));
  EXPECT_THAT(error_of("0"), HasSubstr("too few values"));
  EXPECT_THAT(
      error_of("K\x01K\x02"
               "a"),
      HasSubstr("without its list"));
  EXPECT_THAT(
      error_of("}K\x02"
               "a"),
      HasSubstr("without its list"));
  EXPECT_THAT(
      error_of("](K\x01K\x02"
               "u"),
      HasSubstr("without its list"));
  EXPECT_THAT(error_of("}(K\x01u"), HasSubstr("a key without a value"));
  EXPECT_THAT(
      error_of("(K\x01"
               "d"),
      HasSubstr("a key without a value"));
  // A value below the mark is not the list's.
  EXPECT_THAT(
      error_of("](K\x01"
               "a"),
      HasSubstr("without its list"));
}

TEST(Pickle, ErrorsNameTheByte) {
  EXPECT_THAT(error_of("K\x01\x01"), HasSubstr("an opcode that a flight recorder does not write (byte 4)"));
  EXPECT_THAT(
      base::test::error_of([] {
        parse_pickle(std::string("\x80\x02]", 3), "file.pkl");
      }),
      HasSubstr("file.pkl"));
}

TEST(Pickle, EveryImportingOpcodeIsRefusedBeforeAnythingElseIsSaid) {
  for (const char code : std::string("c\x93Rbio\x81\x92PQ\x82\x83\x84"))
    EXPECT_THAT(error_of(std::string(1, code)), HasSubstr("import or call")) << int(uint8_t(code));
}

TEST(Pickle, EveryCutIsAnErrorAndNoCrash) {
  const std::string whole = std::string("\x80\x02", 2) +
                            "}q\x01(U\x01"
                            "a](K\x01J" +
                            little(7, 4) +
                            "eU\x01"
                            "b" +
                            real(2.5) +
                            "U\x01"
                            "cX" +
                            little(3, 4) + "xyz" + "u.";
  EXPECT_EQ(parse_pickle(whole, "p").root->find("c")->string(), "xyz");
  for (size_t size = 0; size < whole.size(); ++size) {
    const std::string_view part(whole.data(), size);
    EXPECT_THROW(parse_pickle(part, "p"), base::Error) << size;
  }
}

// A random document is written with random spellings and read again.
std::string write_random(base::Rng& rng, int depth, std::string& shown) {
  switch (rng.below(depth > 3 ? 4 : 6)) {
    case 0: {
      const auto value = int64_t(rng.next()) >> rng.below(60);
      shown += "i" + std::to_string(value);
      if (value >= 0 && value < 256)
        return "K" + little(uint64_t(value), 1);
      return "\x8a\x08" + little(uint64_t(value), 8);
    }
    case 1: {
      const double value = rng.normal();
      shown += "r" + std::to_string(value);
      return real(value);
    }
    case 2: {
      const std::string text(rng.below(5), 'q');
      shown += "'" + text + "'";
      return "X" + little(text.size(), 4) + text;
    }
    case 3:
      shown += "n";
      return "N";
    case 4: {
      const uint64_t count = rng.below(4);
      std::string body = "](";
      shown += "[";
      for (uint64_t i = 0; i < count; ++i)
        body += write_random(rng, depth + 1, shown);
      shown += "]";
      return body + "e";
    }
    default: {
      const uint64_t count = rng.below(3);
      std::string body = "(";
      shown += "{";
      for (uint64_t i = 0; i < 2 * count; ++i)
        body += write_random(rng, depth + 1, shown);
      shown += "}";
      return body + "d";
    }
  }
}

void show(const PlainValue& value, std::string& out) {
  switch (value.kind) {
    case Kind::None:
      out += "n";
      return;
    case Kind::Bool:
    case Kind::Int:
      out += "i" + std::to_string(value.number);
      return;
    case Kind::Real:
      out += "r" + std::to_string(value.real);
      return;
    case Kind::Text:
      out += "'" + value.text + "'";
      return;
    case Kind::List:
    case Kind::Dict:
      out += value.kind == Kind::List ? "[" : "{";
      for (const PlainValue* item : value.items)
        show(*item, out);
      out += value.kind == Kind::List ? "]" : "}";
  }
}

TEST(Pickle, RandomDocumentsComeBack) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    base::Rng rng(seed, "pickle");
    std::string expected;
    const std::string body = write_random(rng, 0, expected);
    std::string found;
    const PlainDocument document = parse(body);
    show(*document.root, found);
    EXPECT_EQ(found, expected) << seed;
  }
}

TEST(PlainValue, DigitsInATextAreANumber) {
  EXPECT_EQ(
      integer("U\x02"
              "42"),
      42);
  EXPECT_EQ(integer("U\x02-7"), -7);
  EXPECT_EQ(
      integer("U\x02"
              "4x"),
      -12345);
  EXPECT_EQ(integer(std::string("U\0", 2)), -12345);
  EXPECT_EQ(integer("N"), -12345);
  EXPECT_EQ(integer("\x88"), 1);
}

TEST(PlainValue, JsonBecomesTheSameValues) {
  const PlainDocument d = plain_of(base::parse_json(R"({"a":[1,2.5,"x",true,null],"b":{"c":-3}})", "j"));
  std::string shown;
  show(*d.root, shown);
  EXPECT_EQ(shown, "{'a'[i1r2.500000'x'i1n]'b'{'c'i-3}}");
  EXPECT_EQ(d.root->find("b")->find("c")->integer(0), -3);
}

}  // namespace
}  // namespace lento::fleet::ranks
