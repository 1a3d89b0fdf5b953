// Decodes the output of a program into named rows. A C struct describes the layout of a record.
//
//   lento tile run w.ypu ... --record 'struct {uint32_t when;}' --rows alarms.csv
//
// The struct is the program's own: the text itself, or FILE:NAME, where FILE holds `struct NAME {...}` or
// `typedef struct {...} NAME;`. Its fields are integers and floats of fixed size, and arrays whose length is
// a number or a #define. Programs send fields one after the other. A struct in which C would insert padding
// must be packed or name the gap, because its layout would be ambiguous otherwise.
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
  uint32_t length = 0;  // length of an array; 0: a plain field
  uint32_t offset = 0;
};

struct RecordLayout {
  std::string name;
  std::vector<RecordField> fields;
  uint32_t bytes = 0;
};

// Parses a struct. Throws base::Error with the location of the first mistake.
RecordLayout parse_record(const std::string& text, const std::string& file, const std::string& name);
// Reads FILE:NAME, or a struct as text (recognised by its braces).
RecordLayout read_record(const std::string& option);

// Rows of numbers: the tile cycle at which the record was complete, then every field and array element.
struct RecordRows {
  std::vector<std::string> columns;  // "cycle", "when", "bucket[0]"
  std::vector<std::vector<double>> rows;
  uint64_t rest_bytes = 0;  // trailing bytes that do not fill a record
};
RecordRows decode_rows(
    const RecordLayout& layout,
    const std::string& output,
    const std::function<uint64_t(uint64_t)>& cycle_of);

// Writes rows by the end of the path: .csv, .trace.json (counters for Perfetto, one tile cycle as 1 us), else
// .json (a list of objects).
void write_rows(const std::string& path, const RecordLayout& layout, const RecordRows& rows);

// Returns a table of the rows, a time line of the plain fields, and a histogram for each array.
std::vector<finding::Figure> figures_of(const RecordLayout& layout, const RecordRows& rows);

}  // namespace lento::tile
