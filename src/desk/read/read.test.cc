#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "desk/read/json_rows.h"
#include "desk/read/line_source.h"
#include "desk/read/log_date.h"
#include "desk/read/mask.h"
#include "desk/read/pattern.h"
#include "desk/read/pci.h"
#include "desk/read/peel.h"
#include "desk/read/prefilter.h"
#include "desk/read/rank_word.h"
#include "desk/read/records.h"
#include "desk/read/rest_lines.h"
#include "desk/read/tar.h"
#include "desk/read/utf16.h"

namespace lento::desk {
namespace {

TEST(Pattern, CapturesByType) {
  const Pattern pattern("step:~{step:int} loss:~{loss:num}(? tps:~{tps:count}?) end {rest}");
  Match match;
  ASSERT_TRUE(pattern.match("x step: 12  loss: 1.5e-3 tps: 6,912 end a b ", match));
  EXPECT_EQ(match.integer("step"), 12);
  EXPECT_EQ(match.number("loss"), 1.5e-3);
  EXPECT_EQ(match.number("tps"), 6912.0);
  EXPECT_EQ(match["rest"], "a b");
  ASSERT_TRUE(pattern.match("step:7 loss:2 end", match) || pattern.match("step:7 loss:2 end .", match));
  EXPECT_FALSE(match.has("tps"));
  EXPECT_FALSE(pattern.match("step: x loss: 2 end .", match));
}

TEST(Pattern, WordsEndAtALiteralThatBlanksFollow) {
  const Pattern pattern("mlx5_core {pci:word}: {_} temperature {what}");
  Match match;
  ASSERT_TRUE(pattern.match("mlx5_core 0000:17:00.1: f:3: High temperature here", match));
  EXPECT_EQ(match["pci"], "0000:17:00.1");
}

TEST(Pattern, StartsAgainWhereTheFirstPlaceFails) {
  const Pattern pattern("a={n:int};");
  Match match;
  ASSERT_TRUE(pattern.match("a=x; a=5;", match));
  EXPECT_EQ(match["n"], "5");
}

TEST(Pattern, AHostileLineCostsNoMoreThanItsLength) {
  const Pattern pattern("ab {x} ab {y} ab {z} never");
  Match match;
  std::string line;
  for (int i = 0; i < 300000; ++i)
    line += "ab ";
  EXPECT_FALSE(pattern.match(line, match));
}

TEST(Pattern, AnchorsHold) {
  const Pattern pattern("^~{host:name} up$");
  Match match;
  EXPECT_TRUE(pattern.match("  n1 up ", match));
  EXPECT_FALSE(pattern.match("n1 up again", match));
  EXPECT_FALSE(pattern.match("the n1 up", match));
}

TEST(Prefilter, FindsWhatStringSearchFinds) {
  const std::vector<std::string_view>
      words{"he", "she", "hers", "his", "e", "xyz", "ushers", "shell", "hersh", "e", "seashore", "shore"};
  const Prefilter prefilter(words);
  for (const std::string_view line :
       {"ushers",
        "",
        "xyxyz",
        "hehehe",
        "nothing",
        "hi s",
        "shell",
        "the ushers sell shells at the seashore, and so on",
        "hershell ashore",
        "shor",
        "no word at all is found in this lin",
        "and one at the very end of a long line: shore"}) {
    std::vector<uint32_t> found;
    prefilter.find(line, found);
    std::vector<uint32_t> expected;
    for (uint32_t i = 0; i < words.size(); ++i)
      if (line.find(words[i]) != line.npos)
        expected.push_back(i);
    EXPECT_EQ(found, expected) << line;
  }
}

class CountingReader : public RestReader {
 public:
  bool takes_log_lines() const override {
    return true;
  }
  bool found_nothing() const override {
    return is_nothing_;
  }
  bool has_meaning(std::string_view word) const override {
    return word == "slow";
  }
  bool row(std::string_view line, Sink&) override {
    ++rows;
    is_nothing_ = line.find("slow") == line.npos;
    return false;
  }
  int rows = 0;

 private:
  bool is_nothing_ = false;
};

// Words of data make any number of statements from one. A word with a meaning still reaches the reader.
TEST(RestLines, StatementsThatHoldNothingReachNoReader) {
  CountingReader reader;
  RestLines rest({&reader});
  Records records;
  records.files.emplace_back();
  Sink sink(records, 0);
  const auto word = [](int i) {
    return std::string(1, char('a' + i % 26)) + char('a' + i / 26 % 26) + char('a' + i / 676 % 26);
  };
  for (int i = 0; i < 5000; ++i)
    rest.read("moved " + word(i) + " to " + word(i + 7) + " in part " + std::to_string(i), i, sink);
  EXPECT_LT(reader.rows, 4096 + 65);
  const int before = reader.rows;
  for (int i = 0; i < 100; ++i)
    rest.read("moved " + word(i) + " to " + word(i + 9) + " in part " + std::to_string(i), i, sink);
  EXPECT_EQ(reader.rows, before);
  for (int i = 0; i < 100; ++i)
    rest.read("moved " + word(i) + " to slow " + word(i + 9) + " in part " + std::to_string(i), i, sink);
  EXPECT_EQ(reader.rows, before + 100);
}

struct Layers {
  const char* line;
  const char* text;
  Subject subject;
  Clock clock;
  double seconds;
};

TEST(Peel, TakesOffWhatStandsBefore) {
  const Layers cases[] = {
      {"[rank3]:[E1102 10:14:02.500 a.cc:6] body", "a.cc:6] body", {"", "", "3"}, Clock::Yearless, 0},
      {"1970-01-01 00:00:16 [rank5] body", "body", {"", "", "5"}, Clock::Unix, 16},
      {"[rank 6] [1970-01-01 00:00:17] body", "body", {"", "", "6"}, Clock::Unix, 17},
      {"Jan  1 00:00:18 123456 [4F2006C0] body", "[4F2006C0] body", {}, Clock::Yearless, 0},
      {"[Rank: 7] body", "body", {"", "", "7"}, Clock::None, 0},
      {"[1970-01-01 00:00:18] n1:4711:4800 [2] NCCL INFO body",
       "NCCL INFO body",
       {"n1", "gpu2", ""},
       Clock::Unix,
       18},
      {"[rank]: body", "[rank]: body", {}, Clock::None, 0},
      {"[default2]:body", "body", {"", "gpu2", ""}, Clock::None, 0},
      {"(Worker pid=41003, ip=10.81.10.116) body", "body", {"10.81.10.116", "", ""}, Clock::None, 0},
      {" 12: body", "body", {"", "", "12"}, Clock::None, 0},
      {"[1,7]<stderr>:body", "body", {"", "", "7"}, Clock::None, 0},
      {"1970-01-01T00:01:00.000000000Z stdout F body", "body", {}, Clock::Unix, 60},
      {"1970-01-01T00:01:00.250000000Z body", "body", {}, Clock::Unix, 60.25},
      {"Jan  1 00:00:07 node17 kernel: [812.300001] body", "body", {"node17", "", ""}, Clock::Yearless, 0},
      {"Jan  1 00:00:07 node17 kernel: body", "body", {"node17", "", ""}, Clock::Yearless, 0},
      {"1970-01-01T01:00:30+01:00 n2 kernel: body", "body", {"n2", "", ""}, Clock::Unix, -3570 + 3600},
      {"[12.000001] body", "body", {}, Clock::Boot, 12.000001},
      {"[Thu Jan  1 00:00:09 1970] body", "body", {}, Clock::Unix, 9},
      {"\x1b[32m[1970-01-01 00:00:10]\x1b[0m body\r", "body", {}, Clock::Unix, 10},
      {"[rank0]:[titan] 1970-01-01 00:00:11,500 - root - INFO - body",
       "body",
       {"", "", "0"},
       Clock::Unix,
       11.5},
      {"01/01/1970 00:00:12 - INFO - module - body", "body", {}, Clock::Unix, 12},
      {"[01/02 00:00:12 d2.utils.events]: body", "body", {}, Clock::Yearless, 0},
      {"Thu Jan  1 00:00:13 1970 body", "body", {}, Clock::Unix, 13},
      {"1 Jan 1970 00:00:14 INFO body", "body", {}, Clock::Unix, 14},
      {"1970-01-01,00:00:15 | INFO | body", "body", {}, Clock::Unix, 15},
      {"42/42/1970 00:00:12 body", "42/42/1970 00:00:12 body", {}, Clock::None, 0},
      {"gpu31:226:227 [5] NCCL INFO body", "NCCL INFO body", {"gpu31", "gpu5", ""}, Clock::None, 0},
      {"1b:00.0 3D controller", "1b:00.0 3D controller", {}, Clock::None, 0},
      {"[error] body", "[error] body", {}, Clock::None, 0},
      {"9999-99-99 00:00:00 body", "9999-99-99 00:00:00 body", {}, Clock::None, 0},
  };
  for (const Layers& c : cases) {
    std::string buffer;
    const Peeled peeled = peel(c.line, Depth::Log, buffer);
    EXPECT_EQ(peeled.text, c.text) << c.line;
    EXPECT_EQ(peeled.subject, c.subject) << c.line << ": " << subject_text(peeled.subject);
    EXPECT_EQ(peeled.time.clock, c.clock) << c.line;
    if (c.clock == Clock::Unix || c.clock == Clock::Boot) {
      EXPECT_NEAR(peeled.time.seconds, c.seconds, 1e-6) << c.line;
    }
  }
}

TEST(Peel, ATableKeepsItsTimes) {
  std::string buffer;
  const Peeled peeled = peel("[rank1]: 2026/10/02 11:00:00.000, 0, 1980 MHz", Depth::Table, buffer);
  EXPECT_EQ(peeled.subject.rank, "1");
  EXPECT_NE(peeled.text.find("2026/10/02"), std::string_view::npos);
}

TEST(LineSource, LinesOfAnyLengthInBoundedMemory) {
  const std::string longest(LineSource::kBuffer * 3, 'x');
  const std::string text = "one\n\n" + longest + "\nlast";
  LineSource in = LineSource::of_text(text);
  EXPECT_EQ(in.peek(3), "one");
  std::vector<size_t> sizes;
  std::string_view line;
  while (in.line(line))
    sizes.push_back(line.size());
  EXPECT_EQ(sizes, (std::vector<size_t>{3, 0, LineSource::kLongestLine, 4}));
  EXPECT_EQ(in.line_number(), 4);
}

TEST(LineSource, ACarriageReturnEndsALineAndCountsNone) {
  LineSource in = LineSource::of_text("\r10%\r20%\r\nnext\r\n\r\n");
  std::vector<std::pair<std::string, int64_t>> lines;
  for (std::string_view line; in.line(line);)
    lines.emplace_back(line, in.line_number());
  const std::vector<std::pair<std::string, int64_t>> right{
      {"", 1},
      {"10%", 1},
      {"20%\r", 1},
      {"next\r", 2},
      {"\r", 3}};
  EXPECT_EQ(lines, right);
}

TEST(RankWord, OneRankInManySpellings) {
  for (const char* text :
       {"rank 5: 12",
        "step 3 rank=5",
        "[rank5]: x",
        "Rank: 5 took",
        "global_rank: 5",
        "(RANK 05)",
        "worker rank 5"})
    EXPECT_EQ(rank_in(text).number, "5") << text;
  for (const char* text : {"local_rank: 5", "rank 5/8", "ranks 5", "rank 5.5", "frank 5", "rank", "rank 5x"})
    EXPECT_EQ(rank_in(text).number, "") << text;
  EXPECT_TRUE(names_rank("Global_Rank"));
  EXPECT_FALSE(names_rank("local_rank"));
}

// A log that was cut holds a part of a form at one end. Pasted text lacks its last line end, too, and is
// whole.
TEST(LineSource, APartOfALineAtTheEnds) {
  const std::string whole = "step 8 loss 3.1 time 0.41 s\nsaved\nstep 9 loss 3.0 time 0.43 s\n";
  const auto ends_partial = [](const std::string& text) {
    LineSource in = LineSource::of_text(text);
    for (std::string_view line; in.line(line);) {
    }
    return in.is_partial();
  };
  EXPECT_FALSE(ends_partial(whole));
  EXPECT_FALSE(ends_partial(whole + "step 10 loss 2.9 time 0.40 s"));
  EXPECT_TRUE(ends_partial(whole + "step 10 loss 2.9 ti"));
  EXPECT_FALSE(begins_within_line(whole));
  EXPECT_TRUE(begins_within_line(whole.substr(10)));
  EXPECT_FALSE(begins_within_line("10: step 1 took 0.4 s\n 3: step 1 took 0.4 s\n"));
}

TEST(LineSource, AWholeTextUpToALimit) {
  LineSource small = LineSource::of_text("abc");
  EXPECT_EQ(small.rest(3, "x"), "abc");
  const std::string text(LineSource::kBuffer * 2, 'x');
  LineSource large = LineSource::of_text(text);
  EXPECT_THROW(large.rest(1000, "x"), base::Error);
}

std::string tar_member(const std::string& name, const std::string& text, char type = '0') {
  std::string header(512, '\0');
  const auto put = [&](size_t at, const std::string& value) {
    header.replace(at, value.size(), value);
  };
  char size[13];
  std::snprintf(size, sizeof size, "%011o", unsigned(text.size()));
  put(0, name);
  put(124, size);
  put(148, "        ");
  put(156, std::string(1, type));
  put(257, "ustar");
  unsigned sum = 0;
  for (const char c : header)
    sum += uint8_t(c);
  char octal[8];
  std::snprintf(octal, sizeof octal, "%06o", sum);
  put(148, std::string(octal, 7));
  std::string out = header + text;
  out.resize((out.size() + 511) / 512 * 512);
  return out;
}

TarReader tar_of(std::string_view text) {
  return {
      [text](std::span<char> out) mutable {
        const size_t size = std::min(out.size(), text.size());
        std::copy_n(text.begin(), size, out.begin());
        text.remove_prefix(size);
        return size;
      },
      "made-up.tar"};
}

TEST(Utf16, BothOrdersAndPairs) {
  const std::string little(
      "\xff\xfe"
      "n\0"
      "\xac\x20"
      "\x3d\xd8\x00\xde"
      "\x00\xdc",
      12);
  std::string big;
  for (size_t i = 0; i < little.size(); i += 2)
    big += {little[i + 1], little[i]};
  for (const std::string& bytes : {little, big}) {
    std::string_view left = bytes;
    const auto read = as_utf8([&left](std::span<char> out) {
      const size_t size = std::min(out.size(), left.size());
      std::ranges::copy(left.substr(0, size), out.begin());
      left.remove_prefix(size);
      return size;
    });
    std::string out(64, 'x');
    out.resize(read(out));
    EXPECT_EQ(out, "n\u20ac\U0001f600\ufffd");
    EXPECT_EQ(head_as_utf8(bytes), out);
  }
  EXPECT_EQ(head_as_utf8("plain"), "plain");
}

TEST(Tar, FilesOneAfterTheOther) {
  const std::string text = tar_member("logs/", "", '5') + tar_member("logs/a.log", "first") +
                           tar_member("././@LongLink", "logs/" + std::string(120, 'b'), 'L') +
                           tar_member("cut", std::string(700, 'x')) + std::string(1024, '\0');
  ASSERT_TRUE(TarReader::begins(text));
  TarReader tar = tar_of(text);
  ASSERT_TRUE(tar.next());
  EXPECT_EQ(tar.name(), "logs/a.log");
  char bytes[8];
  EXPECT_EQ(tar.read(bytes), 5u);
  EXPECT_EQ(std::string_view(bytes, 5), "first");
  ASSERT_TRUE(tar.next());
  EXPECT_EQ(tar.name(), "logs/" + std::string(120, 'b'));
  EXPECT_FALSE(tar.next());
}

TEST(Tar, DamageIsAnError) {
  const std::string whole = tar_member("a", std::string(700, 'x')) + tar_member("b", "y");
  TarReader cut = tar_of(std::string_view(whole).substr(0, 900));
  ASSERT_TRUE(cut.next());
  EXPECT_THROW(cut.next(), base::Error);
  std::string broken = whole;
  broken[512 + 1024 + 3] = 'Z';
  TarReader spoilt = tar_of(broken);
  ASSERT_TRUE(spoilt.next());
  EXPECT_THROW(spoilt.next(), base::Error);
  EXPECT_FALSE(TarReader::begins("not an archive"));
}

TEST(Mask, SecretsAreGoneAndTheRestStays) {
  const std::pair<const char*, const char*> cases[] = {
      {"WANDB_API_KEY=0123456789abcdef run", "WANDB_API_KEY=*** run"},
      {"--hf-token abcdefgh next", "--hf-token *** next"},
      {"password: hunter2, user: me", "password: ***, user: me"},
      {"{\"secret\": \"x y\"}", "{\"secret\": \"*** y\"}"},
      {"use AKIAIOSFODNN7EXAMPLE1 now", "use *** now"},
      {"hf_abcdefghijklmnopqr", "***"},
      {"git clone https://me:tok@host/x", "git clone https://***@host/x"},
      {"Authorization: Bearer abc.def", "Authorization: Bearer ***"},
      {"keyboard=us monkey=1 tokens: 12", "keyboard=us monkey=1 tokens: 12"},
      {"cached in hf_home", "cached in hf_home"},
  };
  for (const auto& [line, expected] : cases)
    EXPECT_EQ(masked(line), expected);
}

TEST(Mask, ALongLineIsCut) {
  EXPECT_EQ(masked("abcdef", 3), "abc ...");
}

TEST(Pci, OneNameForAllForms) {
  for (const char* text : {"4b:00.0", "0000:4b:00", "PCI:0000:4b:00.0", "00000000:4B:00.0"})
    EXPECT_EQ(pci_device(text), "0000:4b:00.0") << text;
  for (const char* text : {"gpu0", "4b", "1:2:3:4", "0000:4b:00.9", ""})
    EXPECT_EQ(pci_device(text), text);
}

TEST(Records, ALongSeriesKeepsAnEvenSampleOfItself) {
  Records records;
  records.files.emplace_back();
  const uint32_t subject = records.subject_id({"n1", "", ""});
  const uint32_t quantity = records.quantity_id({"step time", "s"});
  constexpr int kRows = 100000;
  for (int i = 0; i < kRows; ++i) {
    Observation row;
    row.subject = subject;
    row.quantity = quantity;
    row.step = i;
    row.value = i;
    records.add(row);
  }
  ASSERT_EQ(records.series().size(), 1u);
  const Series& series = records.series()[0];
  EXPECT_EQ(series.seen, uint64_t(kRows));
  EXPECT_LE(series.rows.size(), Records::kSeriesRows);
  EXPECT_GE(series.rows.size(), Records::kSeriesRows / 2 - 1);
  for (size_t i = 1; i < series.rows.size(); ++i)
    EXPECT_EQ(series.rows[i].step - series.rows[i - 1].step, double(series.stride));
}

TEST(JsonRows, TheLongestListOfFlatObjectsInItsLines) {
  std::string text = "{\n \"short\": [{\"a\": 1}],\n \"log_history\": [\n";
  for (int i = 0; i < 20; ++i)
    text += "  {\n   \"step\": " + std::to_string(i) + ",\n   \"loss\": NaN, \"text\": \"}\\\"{\"\n  }" +
            (i < 19 ? ",\n" : "\n");
  text += " ]\n}\n";
  const std::string rows = rows_of_document(text);
  EXPECT_EQ(rows.find("short"), rows.npos);
  EXPECT_EQ(std::ranges::count(rows.substr(0, rows.find("\"step\": 19")), '\n'), 3 + 19 * 4);
  EXPECT_NE(rows.find("\"step\": 3,    \"loss\": NaN"), rows.npos) << rows;
  EXPECT_TRUE(rows_of_document("{\"a\": [{\"b\": 1}, {\"b\": 2}]}").empty());
  for (const char* broken : {"", "]", "}}}", "{\"", "[{[{[{", "\"\\"})
    EXPECT_TRUE(rows_of_document(broken).empty()) << broken;
  EXPECT_TRUE(rows_of_document(std::string(100'000, '[')).empty());
}

TEST(Records, RepeatedEventsBecomeACount) {
  Records records;
  records.files.emplace_back();
  Event event;
  event.kind = "aer/corrected";
  for (size_t i = 0; i < Records::kEventRows + 10; ++i)
    records.add(event);
  EXPECT_EQ(records.events().size(), Records::kEventRows);
  EXPECT_EQ(records.events().back().count, 11u);
}

TEST(LogDate, TheYearIsTheLatestThatIsNotAfterTheNewest) {
  const double newest = iso_moment("2026-03-01T12:00:00")->seconds;
  const auto dated = [&](int month, int day) {
    return with_year(yearless_moment(month, day, "11:00:00.500")->seconds, newest);
  };
  EXPECT_DOUBLE_EQ(dated(3, 1), iso_moment("2026-03-01T11:00:00.500")->seconds);
  EXPECT_DOUBLE_EQ(dated(3, 2), iso_moment("2026-03-02T11:00:00.500")->seconds);
  EXPECT_DOUBLE_EQ(dated(11, 20), iso_moment("2025-11-20T11:00:00.500")->seconds);
}

}  // namespace
}  // namespace lento::desk
