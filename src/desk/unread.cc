// Counts lines with separate numbers. Prose and programs have a few such lines, measurements have mostly such
// lines.
#include "desk/unread.h"

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "desk/incident/judge.h"
#include "desk/read/log_file.h"

namespace lento::desk {
namespace {

// Returns whether a word of the line is a number, with a unit or a sign behind it perhaps.
bool holds_a_number(std::string_view line) {
  while (!line.empty()) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r|,;:=[](){}\"'"), line.size()));
    const size_t end = std::min(line.find_first_of(" \t\r|,;:=[](){}\"'"), line.size());
    const std::string_view word = line.substr(0, end);
    const size_t figures = std::min(word.find_first_not_of("0123456789."), word.size());
    if (figures > 0 && word.size() - figures < 4 && base::try_double(word.substr(0, figures)))
      return true;
    line.remove_prefix(end);
  }
  return false;
}

// Returns whether most lines of the file's beginning hold numbers.
bool holds_measurements(const std::string& path) {
  constexpr size_t kFewestLines = 3;
  try {
    base::InputStream in(path);
    std::string_view head = in.peek(kHead);
    size_t lines = 0;
    size_t with_number = 0;
    while (!head.empty()) {
      const size_t end = std::min(head.find('\n'), head.size());
      const std::string_view line = head.substr(0, end);
      lines += line.find_first_not_of(" \t\r{}[],-=+|") != line.npos;
      with_number += holds_a_number(line);
      head.remove_prefix(std::min(end + 1, head.size()));
    }
    return with_number >= kFewestLines && with_number * 2 > lines;
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace

std::optional<finding::Diagnosis> verdict_on_unread(
    const std::vector<RecognisedFile>& files,
    const std::string& remedy) {
  constexpr std::array<std::string_view, 4> kNouns{"text file", "JSON file", "table", "settings file"};
  std::vector<std::string> paths;
  for (const RecognisedFile& file : files) {
    if (file.role != Role::None)
      return std::nullopt;
    if (std::ranges::find(kNouns, file.kind.noun) != kNouns.end())
      paths.push_back(file.path);
  }
  return verdict_on_numbers(std::move(paths), remedy);
}

std::optional<finding::Diagnosis> verdict_on_numbers(
    std::vector<std::string> unread,
    const std::string& remedy) {
  std::erase_if(unread, [](const std::string& path) {
    return !holds_measurements(path);
  });
  if (unread.empty())
    return std::nullopt;
  finding::Diagnosis out;
  out.scale = "desk";
  out.title = "Incident";
  finding::cannot_judge(
      out,
      "what the numbers of " + list_text(unread, 4) +
          " mean is not stated in a form that is known, nor is there a peer with the same numbers",
      "the same output of three other hosts or ranks, or names and units in front of the numbers; " + remedy,
      "");
  return out;
}

}  // namespace lento::desk
