// Masks secrets in quoted lines, because reports are forwarded to others.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lento::desk {

// Returns the line, cut at `longest` bytes, with its secrets replaced by "***". Masked are: values with
// names such as key, token, secret, password, credential or authorization (NAME=value, NAME: value, --name
// value), words with prefixes of common access tokens (AKIA, ASIA, ghp_, github_pat_, glpat-, hf_, sk-, xox,
// eyJ), user and password in an address, and blocks of a private key. `count` receives their number.
std::string masked(std::string_view line, size_t longest = 320, size_t* count = nullptr);

}  // namespace lento::desk
