#include "evidence/names.h"

#include <gtest/gtest.h>

namespace lento::evidence {
namespace {

using enum NameFault;

TEST(Names, OrdinaryOnesPass) {
  for (const char* name :
       {"node17", "node17:9100", "chip0/core12", "fe80::1", "[::1]:9100", "10.0.0.1", "Größe", "a b", "..."})
    EXPECT_EQ(fault_of_name(name), None) << name;
  EXPECT_EQ(fault_of_name(std::string(255, 'x')), None);
}

TEST(Names, EachFaultHasItsReason) {
  const std::pair<std::string, NameFault> cases[] = {
      {"", Empty},
      {"  ", Empty},
      {":9100", Empty},
      {":", Empty},
      {std::string(256, 'x'), TooLong},
      {std::string(10240, '/'), TooLong},
      {std::string("a\0b", 3), Control},
      {"a\x1b[31m", Control},
      {"two\nlines", Control},
      {"a\tb", Control},
      {"\xff", Control},
      {"abc\u202e"
       "def",
       Control},
      {"/etc/passwd", PathLike},
      {"../up", PathLike},
      {"a/./b", PathLike},
      {"a/", PathLike},
      {"..", PathLike},
      {"\\\\server", PathLike},
      {"..\\up", PathLike},
      {"https://host", PathLike}};
  for (const auto& [name, fault] : cases) {
    EXPECT_EQ(fault_of_name(name), fault) << name;
    EXPECT_FALSE(describe(fault).empty());
  }
}

}  // namespace
}  // namespace lento::evidence
