#include <gmock/gmock.h>

#include "report/report.h"

namespace lento::report {
namespace {

using namespace finding;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Diagnosis one_finding() {
  Diagnosis d;
  d.title = "Chip";
  d.verdict = "one link is slow";
  Finding f;
  f.subject = "link5-9";
  f.category = "slow link";
  f.score = 0.5;
  d.findings = {f};
  return d;
}

TEST(WriteText, BeginsWithTitleAndVerdict) {
  EXPECT_THAT(
      write_text(one_finding()),
      StartsWith("Chip\none link is slow\n\n1. link5-9  slow link  likely (0.5)\n"));
  Diagnosis untitled = one_finding();
  untitled.title.clear();
  EXPECT_THAT(write_text(untitled), StartsWith("one link is slow\n"));
}

TEST(WriteText, TimesOfTheClockAreDates) {
  Diagnosis d = one_finding();
  d.findings[0].when = TimeWindow{1'795'162'810, 1'795'163'990, "s"};
  EXPECT_THAT(write_text(d), HasSubstr("    from 2026-11-20 08:20:10 to 08:39:50 UTC\n"));
  d.findings[0].when->end += 86'400;
  EXPECT_THAT(write_text(d), HasSubstr("to 2026-11-21 08:39:50 UTC\n"));
  d.findings[0].when = TimeWindow{1'795'162'810, 1'795'163'990, "cycles"};
  EXPECT_THAT(write_text(d), HasSubstr(" cycles\n"));
}

TEST(WriteText, OnlyWhatIsKnownIsSaid) {
  Diagnosis d = one_finding();
  EXPECT_THAT(
      write_text(d),
      AllOf(
          Not(HasSubstr("lost share")),
          Not(HasSubstr("from ")),
          Not(HasSubstr("next:")),
          Not(HasSubstr("skipped")),
          Not(HasSubstr("looked at")),
          Not(HasSubstr("what would help")),
          Not(HasSubstr("note:"))));
  Finding& f = d.findings[0];
  f.factor = 9.98;
  f.lost_share = 0.125;
  f.when = TimeWindow{1000, 2500, "cycles"};
  f.next_step = "map it away";
  d.remedy = "record longer";
  d.covered = "16 cores";
  d.notes = {"short run"};
  const std::string text = write_text(d);
  EXPECT_THAT(text, HasSubstr("slow link  9.98 times slower  likely (0.5)"));
  EXPECT_THAT(text, HasSubstr("    from 1000 to 2500 cycles\n"));
  EXPECT_THAT(text, HasSubstr("    lost share of run time: 12.5 %\n"));
  EXPECT_THAT(text, HasSubstr("    next: map it away\n"));
  EXPECT_THAT(
      text,
      AllOf(HasSubstr("what would help: record longer\n"), HasSubstr("\nlooked at: 16 cores\n")));
  EXPECT_THAT(text, HasSubstr("note: short run\n"));
}

TEST(WriteText, OneLineOfEvidenceUnlessAllIsAskedFor) {
  Diagnosis d = one_finding();
  d.findings[0].evidence = {{"first", 2.5, "x", "records"}, {"second", 3.0, "", ""}, {"third", {}, "W", ""}};
  const std::string brief = write_text(d);
  EXPECT_THAT(brief, HasSubstr("    - first: 2.5 x  [records]\n    (2 more with --explain)\n"));
  EXPECT_THAT(brief, Not(HasSubstr("second")));
  const std::string whole = write_text(d, {.explain = true});
  EXPECT_THAT(whole, HasSubstr("    - second: 3\n    - third\n"));
  EXPECT_THAT(whole, Not(HasSubstr("--explain)")));
  d.findings[0].evidence.resize(1);
  EXPECT_THAT(write_text(d), Not(HasSubstr("more with")));
}

TEST(WriteText, ExplainingShowsWhereItCameFrom) {
  Diagnosis d = one_finding();
  d.inputs = {{"chip", "c.yaml", "00ff"}};
  d.seed = 7;
  d.options = {{"method", "paper"}};
  d.command = "lento chip diagnose";
  EXPECT_THAT(write_text(d), Not(HasSubstr("c.yaml")));
  EXPECT_THAT(
      write_text(d, {.explain = true}),
      HasSubstr("input chip: c.yaml  00ff\nseed: 7\nmethod: paper\nrepeat: lento chip diagnose\n"));
}

TEST(WriteText, FactsAreAligned) {
  Diagnosis d = one_finding();
  d.facts = {{"total", "35 M"}, {"longest name", "1"}};
  d.outcome = Outcome::Answer;
  EXPECT_THAT(write_text(d), HasSubstr("\ntotal         35 M\nlongest name  1\n"));
}

TEST(WriteText, AfterAVerdictOnlyWhatCouldHaveBeenSeen) {
  Diagnosis d = one_finding();
  judged(d, "16 cores");
  d.facts = {{"recorder memory", "74 KiB"}, {"deviation that would be named", "x1.02"}};
  const std::string brief = write_text(d);
  EXPECT_THAT(brief, AllOf(HasSubstr("would be named  x1.02"), Not(HasSubstr("74 KiB"))));
  EXPECT_THAT(brief, HasSubstr("(1 more figures with --explain)"));
  EXPECT_THAT(write_text(d, {.explain = true}), HasSubstr("74 KiB"));
}

TEST(WriteText, FindingsAreNumberedInTheirOrder) {
  Diagnosis d = one_finding();
  d.findings.push_back(d.findings[0]);
  d.findings[1].subject = "core3";
  const std::string text = write_text(d);
  EXPECT_LT(text.find("1. link5-9"), text.find("2. core3"));
}

TEST(WriteText, ColourIsTheOnlyControlThatReachesATerminal) {
  Diagnosis d = one_finding();
  const std::string attack = "\x1b[2Jx\x07\xc2\x9b";
  d.title = d.verdict = d.remedy = d.covered = attack;
  d.findings[0] = {
      attack,
      attack,
      attack,
      0.1,
      {},
      {},
      TimeWindow{0, 1, attack},
      {},
      {{attack, 1.0, attack, attack}},
      attack};
  d.facts = d.options = {{attack, attack}};
  d.notes = {attack};
  d.inputs = {{attack, attack, attack}};
  d.records_skipped = 1;
  d.skip_reasons = {{attack, 1}};
  d.command = attack;
  const std::string plain = write_text(d, {.explain = true});
  EXPECT_THAT(plain, Not(HasSubstr("\x1b")));
  EXPECT_THAT(plain, Not(HasSubstr("\x07")));
  EXPECT_THAT(plain, Not(HasSubstr("\xc2\x9b")));
  std::string coloured = write_text(d, {.explain = true, .color = true});
  for (const char* code : {"\x1b[1m", "\x1b[1;31m", "\x1b[0m"}) {
    for (size_t at = coloured.find(code); at != std::string::npos; at = coloured.find(code))
      coloured.erase(at, std::string(code).size());
  }
  EXPECT_EQ(coloured, plain);
}

}  // namespace
}  // namespace lento::report
