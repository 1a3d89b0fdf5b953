// The lines that 'lento fleet watch' and 'lento fleet replay' print.
#pragma once

#include <string>

#include "cli/context.h"
#include "fleet/watch/watch.h"

namespace lento::cli {

// Declares --format: text or jsonl.
void add_watch_format(Command& app, std::string& format);

// Returns how a watch writes its messages: lines of JSON or text.
fleet::WatchLog watch_log(Context& context, const std::string& format);

}  // namespace lento::cli
