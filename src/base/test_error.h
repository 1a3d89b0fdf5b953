// For tests: what an action complains of.
#pragma once

#include <functional>
#include <string>

#include "base/error.h"

namespace lento::base::test {

// The text of the base::Error that `action` throws, "no error" when it throws none.
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace lento::base::test
