// Writes a diagnosis as indented JSON. The schema is in finding/json.cc, so that readers and writers cannot
// drift apart.
#include "base/json.h"

#include "report/report.h"

namespace lento::report {

std::string write_json(const finding::Diagnosis& diagnosis) {
  return base::write_json(finding::to_json(diagnosis), 1) + "\n";
}

}  // namespace lento::report
