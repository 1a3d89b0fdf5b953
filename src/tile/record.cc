// Reads a C struct and decodes bytes with it. Grammar: { "#define" name number } ["typedef"] "struct" [name]
// "{" { type declarator { "," declarator } ";" } "}" {attribute} [name] ";", declarator = name ["[" length
// "]"]. Values are kept as doubles, so integers above 2^53 are rounded.
#include "tile/record.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

namespace lento::tile {
namespace {

constexpr uint32_t kMaxRecord = 4096;  // bytes
constexpr size_t kShownRows = 100;
constexpr size_t kShownPoints = 1000;

struct Token {
  std::string text;
  int line = 1;
};

// Splits C text into words, numbers and single characters, without comments. Collects in `defines` those
// #defines whose value is a positive integer.
std::vector<Token> tokens_of(const std::string& text, std::map<std::string, uint64_t>& defines) {
  std::vector<Token> out;
  int line = 1;
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
  };
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\n')
      ++line;
    if (text.compare(at, 2, "//") == 0 || text[at] == '#') {
      const size_t end = std::min(text.find('\n', at), text.size());
      char name[64];
      long long value = 0;
      if (std::sscanf(text.substr(at, end - at).c_str(), "# define %63s %lli", name, &value) == 2 &&
          value > 0)
        defines[name] = uint64_t(value);
      at = end;
    } else if (text.compare(at, 2, "/*") == 0) {
      const size_t end = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
      line += int(std::count(text.begin() + std::ptrdiff_t(at), text.begin() + std::ptrdiff_t(end), '\n'));
      at = end;
    } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else {
      size_t end = at + 1;
      while (is_word(text[at]) && end < text.size() && is_word(text[end]))
        ++end;
      out.push_back({text.substr(at, end - at), line});
      at = end;
    }
  }
  return out;
}

struct Type {
  RecordField::Kind kind;
  uint32_t bytes;
};

// Returns the type that these words of C name, or nothing when it is none of fixed size. Sizes are those of
// RV32.
std::optional<Type> type_of(std::vector<std::string> words) {
  using Kind = RecordField::Kind;
  static const std::map<std::string, Type> kTypes = {
      {"uint8_t", {Kind::Unsigned, 1}},
      {"uint16_t", {Kind::Unsigned, 2}},
      {"uint32_t", {Kind::Unsigned, 4}},
      {"uint64_t", {Kind::Unsigned, 8}},
      {"int8_t", {Kind::Signed, 1}},
      {"int16_t", {Kind::Signed, 2}},
      {"int32_t", {Kind::Signed, 4}},
      {"int64_t", {Kind::Signed, 8}},
      {"char", {Kind::Unsigned, 1}},
      {"bool", {Kind::Unsigned, 1}},
      {"_Bool", {Kind::Unsigned, 1}},
      {"short", {Kind::Signed, 2}},
      {"int", {Kind::Signed, 4}},
      {"long", {Kind::Signed, 4}},
      {"float", {Kind::Float, 4}},
      {"double", {Kind::Float, 8}},
      {"size_t", {Kind::Unsigned, 4}}};
  std::erase_if(words, [](const std::string& w) {
    return w == "const" || w == "volatile";
  });
  const bool is_signed = std::erase(words, "signed") > 0;
  const bool is_unsigned = std::erase(words, "unsigned") > 0;
  if (words.size() > 1 && words.back() == "int")
    words.pop_back();  // "short int" is one type
  if (words.size() == 2 && words[0] == "long" && words[1] == "long")
    return Type{is_unsigned ? Kind::Unsigned : Kind::Signed, 8};
  if (words.empty() && (is_signed || is_unsigned))
    words.emplace_back("int");
  if (words.size() != 1 || !kTypes.contains(words[0]))
    return std::nullopt;
  Type type = kTypes.at(words[0]);
  if (is_unsigned || is_signed)
    type.kind = is_unsigned ? Kind::Unsigned : Kind::Signed;
  return type;
}

class RecordParser {
 public:
  RecordParser(const std::string& text, std::string file)
      : file_(std::move(file)),
        tokens_(tokens_of(text, defines_)) {
  }

  // Returns the layout of the struct with this name, or of the first struct for "". Throws base::Error with
  // similar names when there is no such struct.
  RecordLayout find(const std::string& name) {
    std::vector<std::string> known;
    for (at_ = 0; at_ < tokens_.size();) {
      const size_t begin = at_;
      if (next() != "struct")
        continue;
      const std::string tag = peek() == "{" ? "" : next();
      if (peek() != "{")
        continue;
      const std::string alias = name_after_body(begin > 0 && tokens_[begin - 1].text == "typedef");
      if (!name.empty() && name != tag && name != alias) {
        known.push_back(tag.empty() ? alias : tag);
        continue;
      }
      RecordLayout out = body();
      out.name = !name.empty() ? name : tag.empty() ? alias : tag;
      return out;
    }
    throw base::Error({file_}, "there is no 'struct " + name + " {'", base::suggestion(name, known));
  }

 private:
  std::string peek() const {
    return at_ < tokens_.size() ? tokens_[at_].text : "";
  }
  std::string next() {
    return at_ < tokens_.size() ? tokens_[at_++].text : "";
  }
  base::Location here() const {
    return {file_, tokens_.empty() ? 0 : tokens_[std::min(at_, tokens_.size() - 1)].line};
  }

  // Returns NAME of `typedef struct {...} NAME;` for the body that begins at at_, and "" without typedef.
  std::string name_after_body(bool is_typedef) const {
    size_t at = at_;
    while (at < tokens_.size() && tokens_[at].text != "}")
      ++at;
    std::string last;
    for (++at; at < tokens_.size() && tokens_[at].text != ";"; ++at)
      last = tokens_[at].text;
    return is_typedef ? last : "";
  }

  // Parses the body of a struct, up to the semicolon behind it. Throws base::Error when C would leave gaps
  // between or behind its fields and it is not packed.
  RecordLayout body() {
    RecordLayout out;
    uint32_t natural = 0;
    uint32_t alignment = 1;
    next();  // {
    while (peek() != "}") {
      if (peek().empty())
        throw base::Error(here(), "the struct does not end");
      fields(out);
    }
    bool packed = false;
    for (; at_ < tokens_.size() && peek() != ";"; ++at_)
      packed = packed || peek().find("packed") != std::string::npos;
    for (const RecordField& field : out.fields) {
      natural = (natural + field.bytes - 1) / field.bytes * field.bytes;
      natural += field.bytes * std::max(field.length, 1u);
      alignment = std::max(alignment, field.bytes);
    }
    natural = (natural + alignment - 1) / alignment * alignment;
    if (out.fields.empty())
      throw base::Error(here(), "the struct has no fields");
    if (natural != out.bytes && !packed) {
      throw base::Error(
          here(),
          "C leaves gaps in this struct: " + std::to_string(natural) + " bytes with them, " +
              std::to_string(out.bytes) + " without",
          "add __attribute__((packed)) when the program sends field by field, or give the gaps names");
    }
    return out;
  }

  // Parses one declaration and appends its fields to `out`. Throws base::Error for a type without fixed size,
  // a bit field, a nested struct, and a record above kMaxRecord bytes.
  void fields(RecordLayout& out) {
    std::vector<std::string> words;
    while (at_ < tokens_.size() && peek() != ";" && peek() != "," && peek() != "[" && peek() != ":" &&
           peek() != "}")
      words.push_back(next());
    if (words.size() < 2)
      throw base::Error(here(), "a field is a type and a name");
    std::string name = words.back();
    words.pop_back();
    const std::optional<Type> type = type_of(words);
    if (!type)
      throw base::Error(
          here(),
          "'" + words.back() + "' is no type of fixed size",
          "use uint32_t and the like");
    while (true) {
      RecordField field{name, type->kind, type->bytes, 0, out.bytes};
      if (peek() == "[")
        field.length = length();
      out.bytes += field.bytes * std::max(field.length, 1u);
      if (out.bytes > kMaxRecord)
        throw base::Error(here(), "the struct has more than 4096 bytes");
      out.fields.push_back(field);
      if (peek() != ",")
        break;
      next();
      name = next();
    }
    if (peek() != ";")
      throw base::Error(
          here(),
          "found '" + peek() + "', needed ';'",
          "bit fields and nested structs are not read");
    next();
  }

  // Parses "[length]" of an array, where the length is a number or a #define of one. Throws base::Error
  // unless it is 1 to kMaxRecord.
  uint32_t length() {
    next();  // [
    const std::string text = next();
    const auto defined = defines_.find(text);
    const std::optional<uint64_t> value = defined != defines_.end() ? defined->second : base::try_uint(text);
    if (!value || *value == 0 || *value > kMaxRecord || next() != "]")
      throw base::Error(here(), "'" + text + "' is no length of an array", "a number, or a #define of one");
    return uint32_t(*value);
  }

  std::string file_;
  std::map<std::string, uint64_t> defines_;
  std::vector<Token> tokens_;
  size_t at_ = 0;
};

// Returns the value at byte `at` of the output as a number, with the kind and size of the field. Bytes are
// little-endian.
double value_of(const RecordField& field, const std::string& bytes, size_t at) {
  uint64_t raw = 0;
  for (uint32_t i = field.bytes; i-- > 0;)
    raw = raw << 8 | uint8_t(bytes[at + i]);
  if (field.kind == RecordField::Kind::Float)
    return field.bytes == 8 ? std::bit_cast<double>(raw) : double(std::bit_cast<float>(uint32_t(raw)));
  const uint32_t unused = 64 - 8 * field.bytes;
  if (field.kind == RecordField::Kind::Signed)
    return double(int64_t(raw << unused) >> unused);
  return double(raw);
}

// Returns a number as text: whole numbers below 10^20 in full, others with 9 digits. Infinity and NaN become
// null, because JSON cannot express them.
std::string shown(double value) {
  if (!std::isfinite(value))
    return "null";
  char text[40];
  std::snprintf(
      text,
      sizeof text,
      std::floor(value) == value && std::fabs(value) < 1e20 ? "%.0f" : "%.9g",
      value);
  return text;
}

// Returns the first records, at most kShownRows, as a table.
finding::Figure table_of(const RecordLayout& layout, const RecordRows& rows) {
  finding::TableFigure table;
  table.columns = rows.columns;
  for (size_t i = 0; i < std::min(rows.rows.size(), kShownRows); ++i) {
    table.rows.emplace_back();
    for (const double value : rows.rows[i])
      table.rows.back().push_back(shown(value));
  }
  const std::string caption = std::to_string(table.rows.size()) + " of " + std::to_string(rows.rows.size()) +
                              " records; --rows FILE writes all.";
  return {"Records '" + layout.name + "'", caption, table};
}

// Returns the plain fields over the tile cycle as lines. Draws every n-th record, with the smallest n for
// which a line has at most kShownPoints points.
finding::Figure time_line_of(const RecordLayout& layout, const RecordRows& rows) {
  finding::SeriesFigure series;
  series.x_name = "tile cycle";
  const size_t step = rows.rows.size() / kShownPoints + 1;
  size_t column = 1;
  for (const RecordField& field : layout.fields) {
    if (field.length == 0) {
      series.lines.push_back({field.name, {}, {}, false, false});
      for (size_t i = 0; i < rows.rows.size(); i += step) {
        series.lines.back().x.push_back(rows.rows[i][0]);
        series.lines.back().y.push_back(rows.rows[i][column]);
      }
    }
    column += std::max(field.length, 1u);
  }
  const std::string caption =
      step > 1 ? "Every " + std::to_string(step) + "th record." : std::string("Every record.");
  return {"Time line of '" + layout.name + "'", caption, series};
}

// Returns an array field as bars, one for each element, with the sum of that element over all records.
finding::Figure histogram_of(const RecordField& field, const RecordRows& rows, size_t column) {
  finding::BarsFigure bars;
  bars.y_name = field.name;
  bars.series = {field.name};
  bars.values.emplace_back();
  for (uint32_t i = 0; i < field.length; ++i) {
    bars.categories.push_back(std::to_string(i));
    double sum = 0;
    for (const std::vector<double>& row : rows.rows)
      sum += row[column + i];
    bars.values[0].push_back(sum);
  }
  return {
      "Histogram of '" + field.name + "'",
      "The sum over " + std::to_string(rows.rows.size()) + " records.",
      bars};
}

}  // namespace

RecordLayout parse_record(const std::string& text, const std::string& file, const std::string& name) {
  return RecordParser(text, file).find(name);
}

RecordLayout read_record(const std::string& option) {
  if (option.find('{') != std::string::npos) {
    const bool bare = option.find("struct") == std::string::npos;
    return parse_record(bare ? "struct " + option : option, "--record", "");
  }
  const size_t colon = option.rfind(':');
  if (colon == std::string::npos)
    throw base::Error({"--record"}, "give FILE:NAME, or the struct itself", "--record watchdog.h:alarm");
  const std::string file = option.substr(0, colon);
  const std::string name = option.substr(colon + 1);
  return parse_record(
      base::read_file(file, 1 << 20),
      file,
      name.starts_with("struct ") ? name.substr(7) : name);
}

// Decodes all complete records of `output`. `cycle_of(n)` returns the tile cycle in which byte n of the
// output, counted from 1, left the tile.
RecordRows decode_rows(
    const RecordLayout& layout,
    const std::string& output,
    const std::function<uint64_t(uint64_t)>& cycle_of) {
  RecordRows out;
  out.columns = {"cycle"};
  for (const RecordField& field : layout.fields) {
    for (uint32_t i = 0; i < std::max(field.length, 1u); ++i)
      out.columns.push_back(field.length == 0 ? field.name : field.name + "[" + std::to_string(i) + "]");
  }
  size_t at = 0;
  for (; output.size() - at >= layout.bytes; at += layout.bytes) {
    std::vector<double> row = {double(cycle_of(at + layout.bytes))};
    for (const RecordField& field : layout.fields) {
      for (uint32_t i = 0; i < std::max(field.length, 1u); ++i)
        row.push_back(value_of(field, output, at + field.offset + i * field.bytes));
    }
    out.rows.push_back(std::move(row));
  }
  out.rest_bytes = output.size() - at;
  return out;
}

void write_rows(const std::string& path, const RecordLayout& layout, const RecordRows& rows) {
  base::OutputFile out(path);
  if (path.ends_with(".csv")) {
    for (size_t c = 0; c < rows.columns.size(); ++c)
      out.write((c > 0 ? "," : "") + rows.columns[c]);
    for (const std::vector<double>& row : rows.rows) {
      for (size_t c = 0; c < row.size(); ++c)
        out.write((c > 0 ? "," : "\n") + shown(row[c]));
    }
    out.write("\n");
    return out.commit();
  }
  const bool trace = path.ends_with(".trace.json");
  out.write(trace ? "{\"traceEvents\": [" : "[");
  for (size_t r = 0; r < rows.rows.size(); ++r) {
    std::string text = r > 0 ? ",\n" : "\n";
    if (trace) {
      text += "{\"ph\": \"C\", \"pid\": 1, \"name\": \"" + layout.name +
              "\", \"ts\": " + shown(rows.rows[r][0]) + ", \"args\": ";
    }
    for (size_t c = trace ? 1 : 0; c < rows.columns.size(); ++c) {
      const bool first = c == (trace ? 1 : 0);
      text += (first ? "{\"" : ", \"") + rows.columns[c] + "\": " + shown(rows.rows[r][c]);
    }
    out.write(text + (trace ? "}}" : "}"));
  }
  out.write(trace ? "\n]}\n" : "\n]\n");
  out.commit();
}

std::vector<finding::Figure> figures_of(const RecordLayout& layout, const RecordRows& rows) {
  std::vector<finding::Figure> out = {table_of(layout, rows)};
  if (rows.rows.empty())
    return out;
  if (std::ranges::any_of(layout.fields, [](const RecordField& f) {
        return f.length == 0;
      }))
    out.push_back(time_line_of(layout, rows));
  size_t column = 1;
  for (const RecordField& field : layout.fields) {
    if (field.length > 1)
      out.push_back(histogram_of(field, rows, column));
    column += std::max(field.length, 1u);
  }
  return out;
}

}  // namespace lento::tile
