#include "report/report.h"

namespace lento::report {

std::string write_html(const finding::Diagnosis& diagnosis) { return write_text(diagnosis, {}); }

}  // namespace lento::report
