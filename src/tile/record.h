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
  uint32_t length = 0;  // elements of an array; 0: no array
  uint32_t offset = 0;  // bytes from the begin of the record
};

struct RecordLayout {
  std::string name;
  std::vector<RecordField> fields;
  uint32_t bytes = 0;
};

// Returns the layout of the struct `name` in C text, or of the first struct for "". Throws base::Error with
// the location of the first mistake. `file` is for the messages.
RecordLayout parse_record(const std::string& text, const std::string& file, const std::string& name);
// Returns the layout for `option`, which is FILE:NAME, or a struct as text (recognised by its braces).
RecordLayout read_record(const std::string& option);

// Records as rows of numbers: the tile cycle at which the record's last byte left the tile, then every field
// and array element.
struct RecordRows {
  std::vector<std::string> columns;  // "cycle", "when", "bucket[0]"
  std::vector<std::vector<double>> rows;
  uint64_t rest_bytes = 0;  // trailing bytes that do not fill a record
};
RecordRows decode_rows(
    const RecordLayout& layout,
    const std::string& output,
    const std::function<uint64_t(uint64_t)>& cycle_of);

// Writes rows in the format that the end of the path names: .csv, .trace.json (counters for Perfetto, one
// tile cycle as 1 us), else .json (a list of objects).
void write_rows(const std::string& path, const RecordLayout& layout, const RecordRows& rows);

// Returns a table of the first records, a time line of the plain fields, and a histogram for each array of
// two or more elements.
std::vector<finding::Figure> figures_of(const RecordLayout& layout, const RecordRows& rows);

}  // namespace lento::tile
