// A helper of tests that returns the message of an error.
#pragma once

#include <functional>
#include <string>

#include "base/error.h"

namespace lento::base::test {

// Returns the text of the base::Error that `action` throws, or "no error".
inline std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

}  // namespace lento::base::test
