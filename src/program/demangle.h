// Restores the names of C++ and Rust symbols.
#pragma once

#include <string>

namespace lento::program {

// Returns "ns::Foo<int>::bar(char)" for _ZN..., "crate::module::function" for Rust in the legacy
// (_ZN...17h<hash>E) and v0 (_R...) schemes, and any other name unchanged. The suffix of a clone
// (".constprop.0", ".cold") follows after a blank as "[clone .cold]".
std::string demangle(const std::string& name);

}  // namespace lento::program
