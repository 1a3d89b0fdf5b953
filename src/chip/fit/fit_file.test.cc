#include "chip/fit/fit_file.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace lento::chip {
namespace {

Fit example(const spec::Chip& file) {
  Fit fit = fit_twin(std::vector<FitRun>{}, file);
  for (FittedClass& c : fit.classes)
    c = {c.part, 1 + 0.1 * double(int(c.part) + 1), 0.003, 0.02, 7};
  for (FittedPart& part : fit.parts)
    if (part.component.index == 5)
      part = {part.component, 1.0 / 3, 0.01, true};
  fit.misfit = 0.75;
  fit.scatter = 0.9;
  fit.twin = twin_of(file, fit, 8);
  return fit;
}

std::string error_of(const std::string& text, const spec::Chip& file = {}) {
  try {
    parse_fit(text, "a.fit", file);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(FitFile, GivesTheTwinAgainToTheBit) {
  const spec::Chip file;
  const Fit fit = example(file);
  const Fit again = parse_fit(write_fit(fit, file), "a.fit", file);
  EXPECT_EQ(spec::write_chip(again.twin.chip), spec::write_chip(fit.twin.chip));
  EXPECT_EQ(again.twin.own, fit.twin.own);
  EXPECT_EQ(again.twin.chip.network.buffer_segments, 8);
  EXPECT_EQ(again.misfit, fit.misfit);
  EXPECT_EQ(again.scatter, fit.scatter);
  EXPECT_TRUE(again.differs);
  EXPECT_EQ(write_fit(again, file), write_fit(fit, file));
}

TEST(FitFile, OnlyPartsThatWereToldAreWritten) {
  const spec::Chip file;
  const std::string text = write_fit(example(file), file);
  EXPECT_NE(text.find("  core5: {times_slower: 0.333"), std::string::npos) << text;
  EXPECT_NE(text.find("  link5-6: "), std::string::npos);
  EXPECT_EQ(text.find("core6"), std::string::npos);
  const Fit again = parse_fit(text, "a.fit", file);
  for (const FittedPart& part : again.parts)
    EXPECT_EQ(part.told, part.component.index == 5);
}

TEST(FitFile, IsOfOneChipFile) {
  const spec::Chip file;
  spec::Chip other;
  other.network.link_bytes_per_cycle *= 2;
  EXPECT_NE(error_of(write_fit(example(file), file), other).find("another chip file"), std::string::npos);
  EXPECT_EQ(error_of(write_fit(example(file), file), file), "");
}

TEST(FitFile, EveryBadKeyIsNamedAtOnce) {
  const spec::Chip file;
  std::string text = write_fit(example(file), file);
  text += "  core99: {times_slower: 1.1}\n  core6: {times_slower: -1}\n  core7: {slow: 2}\n";
  const std::string message = error_of(text);
  EXPECT_NE(message.find("no part 'core99'"), std::string::npos) << message;
  EXPECT_NE(message.find("a.fit:"), std::string::npos) << message;
  EXPECT_NE(message.find("times_slower"), std::string::npos) << message;
  EXPECT_NE(message.find("slow"), std::string::npos) << message;
}

TEST(FitFile, RefusesWhatIsNoFit) {
  for (const char* bad :
       {"",
        "[]",
        "schema: lento.chip/1\n",
        "schema: lento.chip-fit/2\nchip_digest: a\n",
        "schema: lento.chip-fit/1\n",
        "schema: lento.chip-fit/1\nchip_digest: a\nclasses: 3\n"})
    EXPECT_NE(error_of(bad), "") << bad;
}

TEST(FitFile, KeepsEachNumberOfAClass) {
  const spec::Chip file;
  const Fit fit = example(file);
  const Fit again = parse_fit(write_fit(fit, file), "a.fit", file);
  ASSERT_EQ(again.classes.size(), fit.classes.size());
  for (size_t k = 0; k < fit.classes.size(); ++k) {
    EXPECT_EQ(again.classes[k].part, fit.classes[k].part);
    EXPECT_EQ(again.classes[k].ratio, fit.classes[k].ratio);
    EXPECT_EQ(again.classes[k].error, fit.classes[k].error);
    EXPECT_EQ(again.classes[k].spread, fit.classes[k].spread);
    EXPECT_EQ(again.classes[k].told, fit.classes[k].told);
  }
}

// Ratios of a chip that could run, and nothing beyond.
TEST(FitFile, RatiosHaveTheirBounds) {
  const spec::Chip file;
  const std::string text = write_fit(example(file), file);
  for (const auto& [ratio, taken] :
       {std::pair{"1000", true}, {"1001", false}, {"0.001", true}, {"0.0009", false}, {"0", false}})
    EXPECT_EQ(error_of(text + "  core6: {times_slower: " + std::string(ratio) + "}\n").empty(), taken)
        << ratio;
}

TEST(FitFile, APartThatIsMissingIsLikeItsClass) {
  const spec::Chip file;
  const Fit again = parse_fit(write_fit(example(file), file), "a.fit", file);
  for (const FittedPart& part : again.parts) {
    if (part.component.index != 5) {
      EXPECT_EQ(part.ratio, 1);
    }
  }
}

}  // namespace
}  // namespace lento::chip
