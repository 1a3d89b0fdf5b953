#include "cli/filter.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/rng.h"
#include "base/visible.h"

namespace lento::cli {
namespace {

std::string mixed(base::Rng& rng) {
  const char* pieces[] =
      {"plain ", "\n", "\t", "\x1b[2J", "é", "日本", "\xff", "\xe6", "\xc2", "\x07", "\xc2\x9b", "😀"};
  std::string text;
  for (uint64_t i = rng.below(30); i > 0; --i)
    text += pieces[rng.below(std::size(pieces))];
  return text;
}

TEST(VisibleStream, HoweverTextIsCutItShowsAsTheWhole) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    base::Rng rng(seed, "filter");
    const std::string text = mixed(rng);
    std::ostringstream to;
    {
      VisibleStream out(to);
      for (size_t at = 0; at < text.size();) {
        const size_t piece = 1 + rng.below(5);
        if (rng.below(3) == 0 && at < text.size())
          out.put(text[at++]);
        out << text.substr(std::min(at, text.size()), piece);
        at += piece;
      }
    }
    EXPECT_EQ(to.str(), base::visible(text)) << seed;
  }
}

TEST(VisibleStream, PlainTextArrivesAtOnce) {
  std::ostringstream to;
  VisibleStream out(to);
  out << "abc" << 12;
  EXPECT_EQ(to.str(), "abc12");
  out << "\xe6";
  EXPECT_EQ(to.str(), "abc12");  // may still become a character
  out << "\x97\xa5";
  EXPECT_EQ(to.str(), "abc12日");
}

TEST(VisibleStream, TellsThatItsTargetFailed) {
  std::ostringstream to;
  VisibleStream out(to);
  to.setstate(std::ios::badbit);
  out << "lost" << std::flush;
  EXPECT_FALSE(out);
  VisibleStream late(to);
  EXPECT_FALSE(late);
}

}  // namespace
}  // namespace lento::cli
