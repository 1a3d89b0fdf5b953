// Reads and writes the transfer-record file (`lento-records 2`), and reads the data-movement records of
// other tools. All readers yield a TransferTrace (docs/formats/transfers.md).
#pragma once

#include <string>
#include <vector>

#include "base/read_report.h"
#include "chip/read/transfer_record.h"

namespace lento::chip {

// Write the native form: a magic line, a JSON line, column names, one text line for each record.
void write_transfers(const std::string& path, const TransferTrace& trace);
std::string print_transfers(const TransferTrace& trace);

// The user's names for the columns of a table. Empty: the table has no such column.
struct TableColumns {
  std::string component = "component";  // "x-y", "x,y" or "chip:x,y"
  std::string kind = "kind";            // read, write, message, compute
  std::string peer = "peer";
  std::string bytes = "bytes";
  std::string start = "start";
  std::string end = "end";
  std::string layer = "layer";
};

// Read one file of any supported form, recognised by its first bytes: the native form, tt-metal NoC events
// (a JSON array of one chip or of several), event traces of AI Engines, profile_log_device.csv, or a table.
// The file may be compressed. Throw base::Error when it is none of them. Single invalid records are skipped
// and counted in `report`.
TransferTrace read_transfers(const std::string& path, const TableColumns& columns, base::ReadReport& report);
TransferTrace parse_transfers(
    const std::string& text,
    const std::string& file,
    const TableColumns& columns,
    base::ReadReport& report);

// Joins the files of one run: their streams are kept side by side. A file of a single chip gives its chip in
// the records or in the file name (`_dev3_`).
void append(TransferTrace& all, const TransferTrace& more);

// Read tt-metal's topology file: the Ethernet channels that connect chips.
void read_topology(const std::string& path, TransferTrace& trace);
void parse_topology(const std::string& text, const std::string& file, TransferTrace& trace);

}  // namespace lento::chip
