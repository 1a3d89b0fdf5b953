#pragma once

namespace lento::cli {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace lento::cli
