#include "finding/finding.h"

namespace lento::finding {

base::Json to_json(const Diagnosis& d) { return base::Json::object().set("schema", Diagnosis::kSchema).set("verdict", d.verdict); }

Diagnosis diagnosis_from_json(const base::Json& json, const std::string& file) {
  Diagnosis d;
  d.verdict = json.string_or("verdict", "", {file});
  return d;
}

}  // namespace lento::finding
