// Names of recorded signals: each form in which tools write a vector, an array and an escaped name.
#include "tile/block/wave_names.h"

#include <gmock/gmock.h>

namespace lento::tile {
namespace {

using testing::HasSubstr;

// Each declaration is "WIDTH CODE REFERENCE", as between $var wire and $end.
WaveNames names_of(const std::vector<std::string>& declarations) {
  WaveNames names;
  for (const std::string& text : declarations) {
    std::vector<std::string> section = {text[0] == 'r' ? "real" : "wire"};
    for (size_t at = text[0] == 'r' ? 1 : 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      section.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    names.declare("t.", section);
  }
  return names;
}

// Shows the parts from the most significant: CODE[high:low].
std::string resolved(const WaveNames& names, const std::string& name) {
  std::string out;
  try {
    for (const SignalPart& part : names.resolve(name, {"f"})) {
      out = part.code + "[" + std::to_string(part.first + part.width - 1) + ":" + std::to_string(part.first) +
            "]" + out;
    }
  } catch (const base::Error& error) {
    return error.what();
  }
  return out;
}

TEST(WaveNames, BitsAndSlicesAreJoined) {
  for (const auto& bits :
       {std::vector<std::string>{"1 c v [2]", "1 b v [1]", "1 a v [0]"},
        {"1 a v[0]", "1 c v[2]", "1 b v[1]"},
        {"1 a v [0:0]", "1 b v [1:1]", "1 c v [2:2]", "1 c v [2]"}}) {
    const WaveNames names = names_of(bits);
    EXPECT_EQ(resolved(names, "t.v"), "c[0:0]b[0:0]a[0:0]");
    EXPECT_EQ(resolved(names, "t.v[2]"), "c[0:0]");
    EXPECT_EQ(resolved(names, "t.v [2:1]"), "c[0:0]b[0:0]");
    EXPECT_THAT(resolved(names, "t.v[3]"), HasSubstr("its bits are [2:0]"));
  }
  const WaveNames slices =
      names_of({"4 h v [7:4]", "4 l v [3:0]", "4 x w [0:3]", "4 y w [4:7]", "1 g g [2]", "1 f g [0]"});
  EXPECT_EQ(resolved(slices, "t.v"), "h[3:0]l[3:0]");
  EXPECT_EQ(resolved(slices, "t.v[5:2]"), "h[1:0]l[3:2]");
  EXPECT_EQ(resolved(slices, "t.w"), "x[3:0]y[3:0]") << "bit 7 is the least significant";
  EXPECT_EQ(resolved(slices, "t.w[3:4]"), "x[0:0]y[3:3]");
  EXPECT_THAT(resolved(slices, "t.w[4:3]"), HasSubstr("its bits are [0:7]"));
  EXPECT_THAT(resolved(slices, "t.g"), HasSubstr("has no bit 1"));
  EXPECT_EQ(resolved(slices, "t.g[2]"), "g[0:0]");
}

TEST(WaveNames, VectorsElementsAndEscapedNames) {
  const WaveNames names = names_of(
      {"16 a q[3] [15:0]",
       "16 b q[0] [15:0]",
       "8 m mem[1]",
       "1 e \\x[0]",
       "128 s \\s.arr",
       "32 z \\s.arr[0]",
       "8 v v [7:0]",
       "4 n n[1:-2]",
       "r64 r r",
       "1 l link[1] [0]"});
  EXPECT_EQ(resolved(names, "t.q[3]"), "a[15:0]");
  EXPECT_EQ(resolved(names, "t.q[3][15:0]"), "a[15:0]");
  EXPECT_EQ(resolved(names, "t.q[3][7:4]"), "a[7:4]");
  EXPECT_THAT(resolved(names, "t.q"), HasSubstr("name one element: t.q[0], t.q[3]"));
  EXPECT_THAT(resolved(names, "t.s.arr[1"), HasSubstr("no signal"));
  EXPECT_THAT(resolved(names_of({"8 a \\ram[0] [7:0]"}), "t.ram"), HasSubstr("name one element: t.ram[0]"));
  EXPECT_EQ(resolved(names, "t.mem[1]"), "m[7:0]");
  EXPECT_EQ(resolved(names, "t.mem[1][7]"), "m[7:7]");
  EXPECT_EQ(resolved(names, "t.\\x[0]"), "e[0:0]");
  EXPECT_EQ(resolved(names, "t.x[0]"), "e[0:0]");
  EXPECT_EQ(resolved(names, "t.\\s.arr[0]"), "z[31:0]") << "an escaped name keeps its brackets";
  EXPECT_EQ(resolved(names, "t.\\s.arr"), "s[127:0]");
  EXPECT_EQ(resolved(names, "t.\\s.arr[40]"), "s[40:40]");
  EXPECT_EQ(resolved(names, "t.n[-2]"), "n[0:0]");
  EXPECT_EQ(resolved(names, "t.n[1]"), "n[3:3]");
  EXPECT_EQ(resolved(names, "t.link[1]"), "l[0:0]");
  EXPECT_EQ(resolved(names, "@v"), "v[7:0]");
  EXPECT_THAT(resolved(names, "t.r"), HasSubstr("has no bits"));
  EXPECT_THAT(resolved(names, "t.mem[2]"), HasSubstr("t.mem[1]"));
}

TEST(WaveNames, ANameOfTwoVariablesIsAnError) {
  const WaveNames names = names_of(
      {"8 a v [7:0]",
       "8 b v [7:0]",
       "1 c w",
       "1 d w [2]",
       "8 e u [7:0]",
       "8 e u [7:0]",
       "4 f o [3:0]",
       "4 g o [4:1]"});
  EXPECT_THAT(resolved(names, "t.v"), HasSubstr("name one by its code: @a, @b"));
  EXPECT_THAT(resolved(names, "t.w"), HasSubstr("two variables"));
  EXPECT_THAT(resolved(names, "t.o"), HasSubstr("two variables"));
  EXPECT_EQ(resolved(names, "t.u"), "e[7:0]") << "one variable under two declarations";
  EXPECT_EQ(resolved(names, "@b"), "b[7:0]");
}

}  // namespace
}  // namespace lento::tile
