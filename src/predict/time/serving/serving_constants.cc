// Reads the shipped table share/lento/serving_constants.csv with the columns
// chip,framework,step_s,layer_s,kernels,prefill,first_s,skipped,look,balance,pool_prefill,pool_first_s.
// `lento-lab validate --serving-constants` writes it. A chip without a row takes the constants of the
// similar chip that its sheet names (System::similar_chip), else the framework's over all chips, else those
// over all frameworks.
#include "embedded/serving_constants.h"

#include <map>
#include <sstream>

#include "base/number.h"
#include "predict/time/serving/serving.h"

namespace lento::predict {
namespace {

using ConstantsByStack = std::map<std::pair<std::string, std::string>, ServingConstants>;

ConstantsByStack parse(std::string_view text) {
  ConstantsByStack out;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#' || line.starts_with("chip,"))
      continue;
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');)
      fields.push_back(field);
    LENTO_CHECK(fields.size() == 12, "the shipped table of serving constants has twelve columns");
    const auto number = [&fields](size_t i) {
      return base::parse_double(fields[i], {});
    };
    ServingConstants& c = out[{fields[0], fields[1]}];
    double* const scalars[] = {
        &c.step_s,
        &c.layer_s,
        &c.kernels,
        &c.prefill,
        &c.first_s,
        &c.skipped,
        &c.look,
        &c.balance,
        &c.pool_prefill,
        &c.pool_first_s};
    for (size_t i = 0; i < std::size(scalars); ++i)
      *scalars[i] = number(i + 2);
  }
  return out;
}

}  // namespace

// Returns the constants of the closest match: this chip and framework, a similar chip, then any.
ServingConstants serving_constants(const System& system, std::string_view framework) {
  static const ConstantsByStack table = parse(embedded::serving_constants("serving_constants.csv"));
  const std::string software(framework);
  const std::pair<std::string, std::string> tried[] =
      {{system.name, software}, {system.similar_chip, software}, {system.name, ""}, {"", software}, {"", ""}};
  for (const auto& key : tried) {
    const auto at = table.find(key);
    if (at != table.end() && !(key.first.empty() && &key == &tried[1]))
      return at->second;
  }
  return {};
}

}  // namespace lento::predict
