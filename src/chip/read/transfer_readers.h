// Declares the reader of each form, for transfer_file.cc and its tests.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "chip/read/transfer_file.h"

namespace lento::chip {

// The streams of a trace, by core and processor. at() creates a stream on first use.
class StreamTable {
 public:
  explicit StreamTable(TransferTrace& trace);
  TransferStream& at(const Place& core, uint32_t processor);

 private:
  TransferTrace& trace_;
  std::map<std::pair<Place, uint32_t>, size_t> index_;
};

TransferTrace parse_records(std::string_view text, const std::string& file, base::ReadReport& report);
TransferTrace parse_noc_events(const std::string& text, const std::string& file, base::ReadReport& report);
bool looks_like_aie_trace(std::string_view text);
TransferTrace parse_aie_trace(const std::string& text, const std::string& file, base::ReadReport& report);
TransferTrace parse_profile_log(std::string_view text, const std::string& file, base::ReadReport& report);
TransferTrace parse_table(
    std::string_view text,
    const std::string& file,
    const TableColumns& columns,
    base::ReadReport& report);

// Splits one line of a table, and removes blanks around the fields.
std::vector<std::string> fields_of(std::string_view line, char delimiter = ',');

}  // namespace lento::chip
