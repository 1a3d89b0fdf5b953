// Takes secrets out of lines that are quoted: what is quoted ends in reports that are forwarded.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lento::desk {

// The line with its secrets written as "***", cut at `longest` bytes. Masked are: the value of what is called
// key, token, secret, password, credential or authorization (NAME=value, NAME: value, --name value), words
// with the prefixes of well-known access tokens (AKIA, ASIA, ghp_, github_pat_, glpat-, hf_, sk-, xox, eyJ),
// user and password in an address, and the blocks of a private key. `masked`, when given, counts them.
std::string masked(std::string_view line, size_t longest = 320, size_t* count = nullptr);

}  // namespace lento::desk
