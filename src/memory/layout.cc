// Proposes one inserted alignment that separates two parts of an object. The debug information gives the path
// of declarations to each part. The first declaration in which the two paths differ is the one to align. A
// diff is made only when the source line declares nothing else.
#include "memory/layout.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <vector>

namespace lento::memory {
namespace {

using program::Declared;
using Path = std::vector<program::Declared>;

bool same_step(const program::Declared& a, const program::Declared& b) {
  return a.kind == b.kind && a.index == b.index && a.name == b.name && a.line == b.line;
}

// Returns the index of the first declaration in which two paths through nested types differ, or the length
// of the shorter path.
size_t first_difference(const Path& a, const Path& b) {
  size_t i = 0;
  while (i < a.size() && i < b.size() && same_step(a[i], b[i]))
    ++i;
  return i;
}

// Returns the text of a line of a source file, or "" without the file.
std::string text_of_line(const std::string& path, int number) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    return "";
  std::ifstream in(path);
  std::string line;
  for (int i = 0; i < number; ++i) {
    if (!std::getline(in, line))
      return "";
  }
  return line;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Returns the position of the word, or npos.
size_t find_word(const std::string& line, const std::string& word) {
  for (size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const bool begins = at == 0 || !is_word(line[at - 1]);
    const size_t end = at + word.size();
    if (begins && (end == line.size() || !is_word(line[end])))
      return at;
  }
  return std::string::npos;
}

std::string diff_of(const program::Declared& d, const std::string& before, const std::string& after) {
  const std::string at = std::to_string(d.line);
  return "--- " + d.file + "\n+++ " + d.file + "\n@@ -" + at + " +" + at + " @@\n-" + before + "\n+" + after +
         "\n";
}

// Returns the path of the first `steps` declarations, such as "outer.inner.field". Array indices are left
// out.
std::string name_of(const Path& path, size_t steps) {
  std::string text;
  for (size_t i = 0; i < steps; ++i) {
    if (path[i].kind == program::Declared::Kind::Element)
      continue;
    text += (text.empty() ? "" : ".") + path[i].name;
  }
  return text;
}

}  // namespace

// Returns the source line with the named variable aligned to `bytes`, or "" when the line cannot be changed
// safely.
std::string
align_declaration(const std::string& line, const std::string& name, int column, uint32_t bytes, bool cpp) {
  size_t at = column > 0 ? size_t(column) - 1 : find_word(line, name);
  if (name.empty() || at == std::string::npos ||
      line.compare(std::min(at, line.size()), name.size(), name) != 0)
    return "";
  const size_t end = line.find(';', at);
  const size_t comma = line.find(',', at);
  const size_t before = at == 0 ? std::string::npos : line.find_last_of(";{},", at - 1);
  const bool alone = end != std::string::npos && (comma == std::string::npos || comma > end) &&
                     (before == std::string::npos || line[before] != ',');
  if (!alone || line.find("alignas") != std::string::npos || line.find("_Alignas") != std::string::npos)
    return "";
  const size_t first = before == std::string::npos ? 0 : before + 1;
  // No alignment can follow the closing brace of an unnamed type.
  if (before != std::string::npos && line[before] == '}')
    return "";
  at = line.find_first_not_of(" \t", first);
  const std::string word = (cpp ? "alignas(" : "_Alignas(") + std::to_string(bytes) + ") ";
  return line.substr(0, at) + word + line.substr(at);
}

// Proposes a change of declaration that puts the parts of an object, used by different threads, on lines of
// their own.
LayoutChange
propose_layout(const program::AddressSpace& names, const FoundObject& object, uint32_t line_bytes) {
  if (object.parts.size() < 2)
    return {};
  const Path first = names.declarations(object.process, object.parts[0]);
  for (size_t i = 1; i < object.parts.size() && !first.empty(); ++i) {
    const Path other = names.declarations(object.process, object.parts[i]);
    const size_t at = first_difference(first, other);
    if (at >= first.size() || at >= other.size())
      continue;
    // The part with the higher address is aligned to a new line.
    const bool later = object.parts[i] > object.parts[0];
    const Path& path = later ? other : first;
    const program::Declared& step = path[at];
    const std::string to = " to " + std::to_string(line_bytes) + " bytes";
    LayoutChange change;
    if (step.kind == program::Declared::Kind::Element && step.name.empty()) {
      change.what = "give each element of " + name_of(path, at) + " " + std::to_string(line_bytes) +
                    " bytes: a struct that is aligned so, or a wider stride";
      return change;
    }
    change.what =
        step.kind == program::Declared::Kind::Element
            ? "align the first member, " + step.name + ", of the elements of " + name_of(path, at) + to
            : "align " + name_of(path, at + 1) + to;
    const std::string before = text_of_line(step.file, step.line);
    const std::string after = align_declaration(
        before,
        step.name,
        step.column,
        line_bytes,
        names.is_cpp(object.process, object.parts[0]));
    if (!after.empty())
      change.diff = diff_of(step, before, after);
    return change;
  }
  return {};
}

}  // namespace lento::memory
