// The output of a program as named rows: a C struct says what each record holds.
//
//   lento tile run w.ypu ... --record 'struct {uint32_t when;}' --rows alarms.csv
//
// The struct is the program's own: the text itself, or FILE:NAME, where FILE holds `struct NAME {...}` or
// `typedef struct {...} NAME;`. Its fields are integers and floats of fixed size, and arrays of them whose
// length is a number or a #define. Programs send fields one after the other, so a struct in which C would
// leave a gap must be packed or name the gap, else its layout is not certain.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "finding/figure.h"

namespace lento::tile {

struct RecordField {
  enum class Kind {
    Unsigned,
    Signed,
    Float
  };
  std::string name;
  Kind kind = Kind::Unsigned;
  uint32_t bytes = 4;
  uint32_t length = 0;  // of an array, 0 for a plain field
  uint32_t offset = 0;
};

struct RecordLayout {
  std::string name;
  std::vector<RecordField> fields;
  uint32_t bytes = 0;
};

// Throws base::Error with the place of what cannot be read.
RecordLayout parse_record(const std::string& text, const std::string& file, const std::string& name);
// Reads FILE:NAME, or a text with braces.
RecordLayout read_record(const std::string& option);

// Rows of numbers: the tile cycle at which the record was complete, then every field and array element.
struct RecordRows {
  std::vector<std::string> columns;  // "cycle", "when", "bucket[0]"
  std::vector<std::vector<double>> rows;
  uint64_t rest_bytes = 0;  // at the end that fill no record
};
RecordRows decode_rows(
    const RecordLayout& layout,
    const std::string& output,
    const std::function<uint64_t(uint64_t)>& cycle_of);

// Writes rows by the end of the path: .csv, .trace.json (counters for Perfetto, one tile cycle as 1 us), else
// .json (a list of objects).
void write_rows(const std::string& path, const RecordLayout& layout, const RecordRows& rows);

// A table of the rows, a time line of the plain fields, and a histogram for each array.
std::vector<finding::Figure> figures_of(const RecordLayout& layout, const RecordRows& rows);

}  // namespace lento::tile
