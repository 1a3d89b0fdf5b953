// The methods and recorders of a campaign file. A number may be a list: every combination becomes a choice of
// its own, and its label names the values.
#pragma once

#include <vector>

#include "base/error.h"
#include "chip/detect/method.h"
#include "lab/chip/recorder.h"
#include "spec/yaml.h"

namespace lento::chip {

// An item is "paper:restart=1" or a mapping: `method`, optional `label`, and its parameters. Both throw
// base::Error at the first bad item.
std::vector<MethodChoice> read_methods(const std::vector<const spec::YamlNode*>& items);

// An item is a mapping: `kind` (sketch, exact, raw), optional `label`, `budget`, `threshold`, `bins`,
// `hashes`, `buckets`, `entries`, `as_printed`, `evict`.
std::vector<RecorderChoice> read_recorders(const std::vector<const spec::YamlNode*>& items);

}  // namespace lento::chip
