// Registers the methods of judging a sketch under the names of the option --method.
#include "chip/methods.h"

#include "chip/paper/paper.h"

namespace lento::chip {

const std::vector<Method>& chip_methods() {
  static const std::vector<Method> list{
      own_method(),
      {"paper", "SLOTH's tracer as printed", paper_parameters(), judge_by_paper}};
  return list;
}

}  // namespace lento::chip
