// What a file is, by its first bytes: for errors that say "this is a mapping" to who handed it over as a
// chip.
#pragma once

#include <string>
#include <string_view>

namespace lento::base {

struct FileKind {
  std::string noun;    // "mapping"; "" when it cannot be read
  std::string format;  // "lento.map/1", "ELF", "JSON"; "" when there is no more to say
};

// By the (decompressed) first bytes of a file; more than 64 KiB of them are not looked at.
FileKind kind_of(std::string_view head);

// The same of a file; nothing is known about one that cannot be read, and of a pipe nothing is taken.
FileKind kind_of_file(const std::string& path);

// "a mapping (lento.map/1)"; "" when nothing is known.
std::string describe(const FileKind& kind);

}  // namespace lento::base
