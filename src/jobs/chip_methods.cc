#include "jobs/chip_methods.h"

#include "chip/paper/paper.h"

namespace lento::jobs {

const std::vector<chip::Method>& chip_methods() {
  static const std::vector<chip::Method> list{
      chip::own_method(),
      {"paper", "SLOTH's tracer as printed", chip::paper_parameters(), chip::judge_by_paper}};
  return list;
}

}  // namespace lento::jobs
