// Names of C++ and Rust symbols as their authors wrote them.
#pragma once

#include <string>

namespace lento::program {

// "ns::Foo<int>::bar(char)" for _ZN..., "crate::module::function" for Rust in the legacy (_ZN...17h<hash>E)
// and v0 (_R...) schemes; any other name as it is. A clone's suffix (".constprop.0", ".cold") is kept behind
// a blank: "[clone .cold]".
std::string demangle(const std::string& name);

}  // namespace lento::program
