// Put at the head of each file that tests/mutate.py changes: all mutants are compiled at once, and
// LENTO_MUTANT in the environment says which one acts. With LENTO_REACHED=FILE the numbers of those that a
// run passes are appended there.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <utility>

// Changed code may cause warnings, which are no errors here.
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wempty-body"
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wbool-compare"
#pragma GCC diagnostic ignored "-Warray-bounds"
#pragma GCC diagnostic ignored "-Waggressive-loop-optimizations"

namespace lento_mutant {

inline constexpr int kMost = 8192;
inline unsigned char reached[kMost];

inline int chosen() {
  const char* text = std::getenv("LENTO_MUTANT");
  return text ? std::atoi(text) : -1;
}

inline const int kActive = chosen();

struct Written {
  ~Written() {
    const char* path = std::getenv("LENTO_REACHED");
    std::FILE* file = path ? std::fopen(path, "a") : nullptr;
    if (!file) {
      return;
    }
    for (int id = 0; id < kMost; ++id) {
      if (reached[id]) {
        std::fprintf(file, "%d\n", id);
      }
    }
    std::fclose(file);
  }
};
inline const Written kWritten;

inline bool on(int id) {
  reached[id] = 1;
  return id == kActive;
}

// a < b is written a < Turn<17>{} < b: the operands are evaluated once, as before, and precedence is kept.
template <int Id>
struct Turn {};

template <int Id, class A>
struct Left {
  A&& value;
};

#define LENTO_TURN(op, turned)                                     \
  template <int Id, class A>                                       \
  constexpr Left<Id, A> operator op(A&& value, Turn<Id>) {         \
    return {std::forward<A>(value)};                               \
  }                                                                \
  template <int Id, class A, class B>                              \
  constexpr auto operator op(Left<Id, A> left, B&& right) {        \
    return on(Id) ? left.value turned right : left.value op right; \
  }

LENTO_TURN(<, >=)
LENTO_TURN(>, <=)
LENTO_TURN(<=, >)
LENTO_TURN(>=, <)
LENTO_TURN(==, !=)
LENTO_TURN(!=, ==)

#undef LENTO_TURN

}  // namespace lento_mutant
