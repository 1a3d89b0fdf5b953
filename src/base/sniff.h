// Recognises the kind of a file by its first bytes, so that an error can name it: "this is a mapping, needed
// a chip".
#pragma once

#include <string>
#include <string_view>

namespace lento::base {

struct FileKind {
  std::string noun;    // "mapping"; "" when it cannot be read
  std::string format;  // "lento.map/1", "ELF", "JSON"; "" when there is no more to say
};

// Recognises a file by its first bytes, decompressed. At most 64 KiB are examined.
FileKind kind_of(std::string_view head);

// Recognises a file by its path. A file that cannot be read yields no kind, and a pipe is not touched,
// because its bytes could not be put back.
FileKind kind_of_file(const std::string& path);

// Returns "a mapping (lento.map/1)", or "" when there is no kind.
std::string describe(const FileKind& kind);

}  // namespace lento::base
