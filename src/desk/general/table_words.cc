// Recognises heads and rows of tables by their words alone, without the table around them.
#include "desk/general/table_words.h"

#include <algorithm>
#include <array>

#include "base/number.h"
#include "desk/general/cells.h"
#include "desk/general/labels.h"
#include "desk/general/states.h"
#include "desk/read/host_parts.h"

namespace lento::desk {

bool names_size(const std::string& column) {
  constexpr std::array<std::string_view, 8>
      kRowSizes{"size", "batch", "concurrency", "message", "users", "threads", "clients", "length"};
  const std::vector<std::string> words = label_words(column);
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(kRowSizes, word) != kRowSizes.end();
  });
}

bool holds_number(const std::string& cell) {
  const std::vector<std::string> words = blank_cells(cell);
  return std::ranges::any_of(words, [](const std::string& word) {
    return word.find_first_not_of("0123456789.") == std::string::npos;
  });
}

bool names_fill(const std::string& column) {
  return column == "Use%" || column == "IUse%" || column == "Capacity%";
}

std::string host_among(std::string_view name) {
  while (!name.empty()) {
    const size_t end = std::min(name.find_first_of(" :/"), name.size());
    if (is_host_word(name.substr(0, end)))
      return std::string(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return "";
}

std::string without_bars(std::string text) {
  std::ranges::replace(text, '|', ' ');
  return text;
}

std::vector<std::string> name_joined(std::vector<std::string> words, size_t count) {
  for (; count > 1 && words.size() > 1; --count) {
    words[1] = words[0] + " " + words[1];
    words.erase(words.begin());
  }
  return words;
}

bool names_code(std::string_view cell) {
  return cell.find("::") != cell.npos || cell.find('(') != cell.npos || cell.find('<') != cell.npos;
}

std::string fused_name(const std::vector<std::string>& columns, const std::vector<std::string>& cells) {
  constexpr std::string_view kName = "name";
  std::string name;
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::vector<std::string> words = label_words(columns[i]);
    const bool is_fused = words.size() == 1 && words[0].size() > kName.size() && words[0].ends_with(kName) &&
                          words[0] != "username" && words[0] != "filename";
    if (is_fused && has_letter(cells[i]))
      name += (name.empty() ? "" : "/") + cells[i];
  }
  return name;
}

bool is_head_of_samples(const std::vector<std::string>& cells) {
  constexpr std::array<std::string_view, 5> kClocks{"time", "timestamp", "ts", "datetime", "date"};
  const std::vector<std::string> first = label_words(cells[0]);
  return first.size() == 1 && std::ranges::find(kClocks, first[0]) != kClocks.end() &&
         std::ranges::any_of(cells, names_host);
}

bool names_parts(std::vector<std::string> cells) {
  if (cells.size() > 2 && cells.back() == "Total")
    cells.pop_back();
  const auto stem = [](const std::string& cell) {
    return cell.substr(0, cell.find_last_not_of("0123456789") + 1);
  };
  return cells.size() >= 2 && std::ranges::all_of(cells, [&](const std::string& cell) {
           return stem(cell).size() < cell.size() && has_letter(stem(cell)) && stem(cell) == stem(cells[0]);
         });
}

bool is_out_of_service(const std::vector<std::string>& columns, const std::vector<std::string>& cells) {
  for (size_t i = 0; i < columns.size(); ++i) {
    const std::vector<std::string> words = label_words(columns[i]);
    const bool is_admin = !words.empty() && words[0].starts_with("admin");
    if (is_admin && condition_of(cells[i]) == Condition::Bad)
      return true;
  }
  return false;
}

bool is_incomplete(
    const std::vector<std::string>& columns,
    const std::vector<std::string>& cells,
    std::string& meaning) {
  constexpr std::array<std::string_view, 4> kWanted{"desired", "expected", "configured", "replicas"};
  constexpr std::array<std::string_view, 4> kThere{"ready", "available", "healthy", "online"};
  const auto column = [&](const auto& names) {
    for (size_t i = 0; i < columns.size(); ++i) {
      const std::vector<std::string> words = label_words(columns[i]);
      const bool is_number =
          !cells[i].empty() && cells[i].find_first_not_of("0123456789") == std::string::npos;
      if (is_number && words.size() == 1 && std::ranges::find(names, words[0]) != names.end())
        return i;
    }
    return columns.size();
  };
  const size_t wanted = column(kWanted);
  const size_t there = column(kThere);
  if (wanted == columns.size() || there == columns.size())
    return false;
  const auto all = base::try_uint(cells[wanted]);
  const auto ready = base::try_uint(cells[there]);
  if (all && ready && *ready < *all)
    meaning = columns[there] + " is " + cells[there] + " of " + cells[wanted];
  return all && ready;
}

}  // namespace lento::desk
