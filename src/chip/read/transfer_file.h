// The transfer-record file (`lento-records 2`) and the readers of other tools' data-movement records, all of
// which yield a TransferTrace (docs/formats/transfers.md).
#pragma once

#include <string>
#include <vector>

#include "base/read_report.h"
#include "chip/read/transfer_record.h"

namespace lento::chip {

// Our own form: a line of magic, a line of JSON, column names, one text line a record.
void write_transfers(const std::string& path, const TransferTrace& trace);
std::string print_transfers(const TransferTrace& trace);

// What the user calls the columns of a table; empty: the table has none.
struct TableColumns {
  std::string component = "component";  // "x-y", "x,y" or "chip:x,y"
  std::string kind = "kind";            // read, write, message, compute
  std::string peer = "peer";
  std::string bytes = "bytes";
  std::string start = "start";
  std::string end = "end";
  std::string layer = "layer";
};

// One file of any of these forms, told apart by its first bytes: ours, tt-metal NoC events (JSON array; per
// chip or combined), profile_log_device.csv, a table. Compressed or not. Throws base::Error when it is none
// of them; single broken records are skipped and counted.
TransferTrace read_transfers(const std::string& path, const TableColumns& columns, base::ReadReport& report);
TransferTrace parse_transfers(
    const std::string& text,
    const std::string& file,
    const TableColumns& columns,
    base::ReadReport& report);

// Several files of one run: streams side by side. Files of single chips carry their chip in the records, or
// in the file name (`_dev3_`).
void append(TransferTrace& all, const TransferTrace& more);

// tt-metal's topology file: which Ethernet channels of which chips are joined.
void read_topology(const std::string& path, TransferTrace& trace);
void parse_topology(const std::string& text, const std::string& file, TransferTrace& trace);

}  // namespace lento::chip
