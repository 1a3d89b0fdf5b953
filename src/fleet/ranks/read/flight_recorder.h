// Reads dumps of PyTorch's flight recorder, pickle or JSON (docs/formats/flight-recorder.md).
#pragma once

#include <string>
#include <string_view>

#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

// Reads a dump. The rank is the last number in the file's name. Throws base::Error when the dump is damaged
// or when unpickling it in Python would run code.
HangDump read_flight_recorder(const std::string& path, base::ReadReport& report);

// Parses the bytes of a dump. The fuzzer calls this.
HangDump parse_flight_recorder(std::string_view bytes, const std::string& path, base::ReadReport& report);

// Returns the last run of digits in the name of the file, before its extension, or -1.
int rank_in_name(const std::string& path);

}  // namespace lento::fleet::ranks
