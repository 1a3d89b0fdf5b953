#pragma once

namespace lento::base {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace lento::base
