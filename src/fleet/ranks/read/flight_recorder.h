// Dumps of PyTorch's flight recorder, pickle or JSON (docs/formats/flight-recorder.md).
#pragma once

#include <string>
#include <string_view>

#include "base/read_report.h"
#include "fleet/ranks/read/collective_record.h"

namespace lento::fleet::ranks {

// The rank is the last number of the file's name. Throws base::Error when the dump is damaged or would run
// code when unpickled by others.
HangDump read_flight_recorder(const std::string& path, base::ReadReport& report);

// The same of bytes, for the fuzzer.
HangDump parse_flight_recorder(std::string_view bytes, const std::string& path, base::ReadReport& report);

// The last run of digits in the name of the file, before its extension; -1 when there is none.
int rank_in_name(const std::string& path);

}  // namespace lento::fleet::ranks
