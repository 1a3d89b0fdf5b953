// Any bytes as a table of questions, each answered on one system.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "predict/time/question.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::string path = "/tmp/lento_fuzz_questions." + std::to_string(getpid());
  static const lento::predict::System system = lento::predict::read_system("h100");
  try {
    lento::base::write_file(path, {reinterpret_cast<const char*>(data), size});
    lento::base::ReadReport report;
    lento::base::CsvReader in(path, report);
    const lento::predict::Dialect dialect = lento::predict::dialect_of(in);
    while (in.next()) {
      try {
        const lento::predict::Question question = lento::predict::parse_question(dialect, in);
        lento::predict::answer(lento::predict::system_for(&system, question), question);
      } catch (const lento::base::Error&) {
      }
    }
  } catch (const lento::base::Error&) {
  }
  return 0;
}
