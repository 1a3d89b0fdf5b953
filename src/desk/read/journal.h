// Unwraps logs whose lines are wrapped in fields: the journal of systemd in its formats export, verbose, json
// and json-pretty, the log files of Docker, JSON lines of loggers and collectors (Loki, Fluent), lists of
// Google Cloud and tables of Splunk.
//
//   {"_HOSTNAME":"n1","SYSLOG_IDENTIFIER":"kernel","__REALTIME_TIMESTAMP":"1795000000000000","MESSAGE":"..."}
//   becomes "2026-11-18T11:06:40.000000Z n1 kernel: ..."
//
// An entry of several lines becomes one line in the place of its last line, behind empty ones, so that the
// numbers of lines stay those of the file.
#pragma once

#include <string>
#include <string_view>

#include "desk/read/line_source.h"

namespace lento::desk {

// Returns a source of plain log lines, or of the same bytes when they are not wrapped.
LineSource::Read as_log_lines(LineSource::Read read);

// Converts the beginning of a file as as_log_lines() converts the whole.
std::string head_as_log_lines(std::string_view head);

}  // namespace lento::desk
