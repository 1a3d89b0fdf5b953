// A table with a row per GPU: CSV of `nvidia-smi --query-gpu=... --format=csv` with any subset of columns,
// units in the header, in the cells or nowhere, and of rocm-smi --csv and amd-smi --csv. The header may come
// again (-l in several runs of one file) with other columns. Beside it the tables in columns of nvidia-smi
// dmon and dcgmi dmon.
//
//   csv    = column {"," column} {NEWLINE value {"," value}}
//   column = NAME [" [" UNIT "]"]          "clocks.current.sm [MHz]"
//
// Without a header (--format=csv,noheader) the units and forms of the cells of the first row give the
// columns: a second clock is that of the memory, a second power its limit. Cells of other forms are left out.
//
//   dmon   = "# gpu pwr gtemp sm mem mclk pclk" ["# Idx W C % % MHz MHz"] {"0 690 61 100 40 2619 1980"}
//   dcgmi  = "#Entity SMCLK TMPTR" ["ID"] {"GPU 0 1980 61.0"}
//   amdsmi = "GPU POWER GPU_T GFX_CLK" {"0 600 W 70 C 2100 MHz"}     amd-smi monitor
//
// Source: nvidia-smi --help-query-gpu and dmon of driver 550, the short names in dcgm_fields.cpp of DCGM 3.3.
#include <algorithm>
#include <array>

#include "desk/nvidia/gpu_rows.h"
#include "desk/nvidia/nvidia.h"
#include "desk/nvidia/words.h"

namespace lento::desk {
namespace {

// Splits at commas outside quotes.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool is_quoted = false;
  for (const char c : line) {
    if (c == '"')
      is_quoted = !is_quoted;
    else if (c == ',' && !is_quoted && cells.size() < kMostColumns)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  for (std::string& cell : cells)
    cell = std::string(trimmed(cell));
  return cells;
}

// The number of columns of a header, and of those with a name that field_name() has a field for.
// `is_distinct`: one of the names is found in tables of nvidia-smi, rocm-smi or amd-smi only, such as
// "clocks.current.sm".
struct Header {
  size_t known = 0;
  size_t columns = 0;
  bool is_distinct = false;
};

// Counts the columns of a line as if it were a header.
Header header_of(std::string_view line) {
  Header header;
  for (const std::string& cell : cells_of(line)) {
    bool is_known = false;
    const std::string name = field_name(cell, &is_known);
    header.known += is_known;
    ++header.columns;
    const bool is_amd =
        is_known && cell != name && (cell.find('(') != cell.npos || cell.find("_") != cell.npos);
    header.is_distinct = header.is_distinct ||
                         (is_known && name.find('.') != name.npos && cell.find('.') != cell.npos) || is_amd ||
                         cell == "sclk clock speed:";
  }
  return header;
}

// Returns whether a line is a header. An echoed command holds names of columns too, but with "=".
bool is_header(std::string_view line) {
  const Header header = header_of(line);
  return header.is_distinct && line.find('=') == line.npos &&
         (header.known * 2 >= header.columns || header.known > 3);
}

// Returns the columns of a row without a header, or nothing when its cells are not those of a GPU.
std::vector<std::string> columns_of_cells(const std::vector<std::string>& cells) {
  struct Form {
    const char* unit;
    std::array<const char*, 2> fields;
    size_t used = 0;
  };
  std::array<Form, 4> forms{{
      {" MHz", {"clocks.current.sm", "clocks.current.memory"}},
      {" W", {"power.draw", "power.limit"}},
      {" %", {"utilization.gpu", "utilization.memory"}},
      {" MiB", {"memory.used", "memory.total"}},
  }};
  std::vector<std::string> columns;
  size_t with_unit = 0;
  bool has_index = false;
  bool is_named = false;
  for (const std::string& cell : cells) {
    std::string column;
    const bool is_whole =
        !cell.empty() && cell.find_first_not_of("0123456789") == cell.npos && cell.size() < 4;
    for (Form& form : forms)
      if (cell.ends_with(form.unit) && cell[0] >= '0' && cell[0] <= '9') {
        ++with_unit;
        column = form.used < form.fields.size() ? form.fields[form.used++] : "";
      }
    if (cell.starts_with("NVIDIA ") || cell.starts_with("Tesla ") || cell.starts_with("AMD Instinct"))
      column = "name";
    else if (cell.starts_with("GPU-"))
      column = "uuid";
    else if (cell.starts_with("0000") && std::ranges::count(cell, ':') == 2)
      column = "pci.bus_id";
    else if (cell.starts_with("0x") && cell.size() == 18)
      column = "clocks_event_reasons.active";
    else if (std::ranges::count(cell, '/') == 2 && std::ranges::count(cell, ':') == 2)
      column = "timestamp";
    else if (is_whole && !has_index)
      column = "index";
    else if (is_whole)
      column = "temperature.gpu";
    has_index = has_index || column == "index";
    is_named = is_named || column == "name" || column == "uuid" || column == "pci.bus_id";
    if (!column.empty() && std::ranges::find(columns, column) != columns.end())
      column.clear();
    columns.push_back(column);
  }
  return with_unit > 1 || (with_unit == 1 && is_named) ? columns : std::vector<std::string>{};
}

bool is_row_of_gpu(std::string_view line) {
  return line.find(", ") != line.npos && !columns_of_cells(cells_of(line)).empty();
}

constexpr size_t kLinesBefore = 16;  // lines before the header, such as a prompt or a command

// Returns the first of the leading kLinesBefore lines for which `is_wanted` is true, or "".
std::string_view early_line(std::string_view head, bool (*is_wanted)(std::string_view)) {
  for (size_t i = 0; i < kLinesBefore && !head.empty(); ++i) {
    const size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    if (is_wanted(line))
      return line;
    head = end == head.npos ? std::string_view() : head.substr(end + 1);
  }
  return {};
}

double score_smi_table(std::string_view head, std::string& reason) {
  const Header header = header_of(early_line(head, is_header));
  if (header.known == 0) {
    if (early_line(head, is_row_of_gpu).empty())
      return 0;
    reason = "its rows have the units of the fields of GPUs";
    return 0.6;
  }
  reason =
      std::to_string(header.known) + " of " + std::to_string(header.columns) + " columns are fields of a GPU";
  return 0.9;
}

class SmiTable : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    if (is_header(line)) {
      columns_.clear();
      last_cell_.clear();
      for (const std::string& cell : cells_of(line))
        columns_.push_back(field_name(cell));
      return true;
    }
    const std::vector<std::string> cells = cells_of(line);
    if (columns_.empty() && is_row_of_gpu(line))
      columns_ = columns_of_cells(cells);
    if (columns_.empty() || cells.size() != columns_.size() || is_cut(cells.back()))
      return false;
    last_cell_ = cells.back();
    Fields fields;
    for (size_t i = 0; i < cells.size(); ++i)
      if (!columns_[i].empty())
        fields.emplace_back(columns_[i], cells[i]);
    rows_.take(fields, sink);
    return true;
  }
  void end(Sink& sink) override {
    rows_.end(sink);
  }

  // Returns whether the file ends inside its last cell: a number lacks the unit of the previous row, or a
  // mask of fixed length has too few digits.
  bool is_cut(const std::string& cell) const {
    if (last_cell_.starts_with("0x"))
      return cell.starts_with("0x") && cell.size() < last_cell_.size();
    if (last_cell_.empty() || last_cell_[0] < '0' || last_cell_[0] > '9')
      return false;
    const size_t unit = last_cell_.rfind(' ');
    const bool is_unit =
        unit != last_cell_.npos && last_cell_.find_first_of("0123456789", unit) == last_cell_.npos;
    return is_unit && !cell.starts_with("[") && !cell.ends_with(last_cell_.substr(unit));
  }

  std::vector<std::string> columns_;
  std::string last_cell_;  // the same column of the previous row
  GpuRows rows_;
};

struct Column {
  const char* name;
  const char* field;
};
const Column kColumns[] = {
    {"gpu", "index"},
    {"GPU", "index"},
    {"pwr", "power.draw"},
    {"gtemp", "temperature.gpu"},
    {"sm", "utilization.gpu"},
    {"mclk", "clocks.current.memory"},
    {"pclk", "clocks.current.sm"},
    {"SMCLK", "clocks.current.sm"},
    {"MMCLK", "clocks.current.memory"},
    {"TMPTR", "temperature.gpu"},
    {"POWER", "power.draw"},
    {"GPUTL", "utilization.gpu"},
    {"GFX_CLK", "clocks.current.sm"},
    {"GFX_CLOCK", "clocks.current.sm"},
    {"MEM_CLOCK", "clocks.current.memory"},
    {"GPU_T", "temperature.gpu"},
    {"GPU_TEMP", "temperature.gpu"},
    {"GFX%", "utilization.gpu"},
    {"GFX_UTIL", "utilization.gpu"},
};

const char* column_field(std::string_view name) {
  for (const Column& column : kColumns)
    if (name == column.name)
      return column.field;
  return "";
}

// Returns the words of "# gpu pwr", "#Entity SMCLK" or "GPU POWER GFX_CLK". Empty when the line is no
// header.
std::vector<std::string> column_header(std::string_view line) {
  line = trimmed(line);
  const bool is_marked = line.starts_with("#");
  std::vector<std::string> words = words_of(line.substr(is_marked));
  const char* const first = is_marked ? "gpu" : "GPU";
  size_t begin = 0;
  while (is_marked && begin < words.size() && (words[begin] == "Date" || words[begin] == "Time"))
    ++begin;
  if (begin == words.size() || (words[begin] != first && !(is_marked && words[begin] == "Entity")))
    return {};
  const auto known = std::ranges::count_if(words, [](const std::string& word) {
    return *column_field(word) != 0;
  });
  return known < (is_marked ? 1 : 2) ? std::vector<std::string>() : words;
}

// Returns whether a word is a unit, which amd-smi writes after each value.
bool is_unit(const std::string& word) {
  constexpr std::string_view kUnits[] = {"W", "C", "\u00b0C", "MHz", "%", "GB", "V", "mV", "J"};
  return std::ranges::find(kUnits, word) != std::end(kUnits);
}

double score_columns(std::string_view head, std::string& reason) {
  const auto is_wanted = [](std::string_view line) {
    return !column_header(line).empty();
  };
  if (early_line(head, is_wanted).empty())
    return 0;
  reason = "its header names columns of dmon or monitor";
  return 0.9;
}

class SmiColumns : public Reader {
  bool row(std::string_view line, Sink& sink) override {
    std::vector<std::string> header = column_header(line);
    if (!header.empty()) {
      is_entity_ = header[0] == "Entity";
      columns_ = std::move(header);
      return true;
    }
    std::vector<std::string> words = words_of(line);
    std::erase_if(words, is_unit);
    if (words.empty() || words[0].starts_with("#"))
      return false;
    if (is_entity_) {
      if (words[0] != "GPU" || words.size() < 2)
        return false;
      words.erase(words.begin());
    }
    if (words.size() != columns_.size())
      return false;
    Fields fields;
    if (is_entity_)
      fields.emplace_back("index", words[0]);
    size_t begin = is_entity_;
    if (columns_[0] == "Date" && columns_[1] == "Time" && words[0].size() == 8) {
      timestamp_ =
          words[0].substr(0, 4) + "-" + words[0].substr(4, 2) + "-" + words[0].substr(6) + " " + words[1];
      fields.emplace_back("timestamp", timestamp_);
      begin = 2;
    }
    for (size_t i = begin; i < words.size(); ++i)
      if (const char* field = column_field(columns_[i]); *field && words[i] != "-")
        fields.emplace_back(field, words[i]);
    rows_.take(fields, sink);
    return true;
  }
  void end(Sink& sink) override {
    rows_.end(sink);
  }

  std::vector<std::string> columns_;
  std::string timestamp_;  // of the row, from a date "20261126" and a time
  bool is_entity_ = false;
  GpuRows rows_;
};

}  // namespace

const Format kSmiTable{
    "table of GPUs (nvidia-smi, rocm-smi, amd-smi)",
    "nvidia",
    {},
    Shape::Table,
    make<SmiTable>,
    score_smi_table};
const Format kSmiColumns{
    "dmon of nvidia-smi or dcgmi, monitor of amd-smi",
    "nvidia",
    {},
    Shape::Table,
    make<SmiColumns>,
    score_columns};

}  // namespace lento::desk
