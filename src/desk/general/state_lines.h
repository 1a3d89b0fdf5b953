// Lines of reports that state whether a part or a service works (grammar: report.cc).
#pragma once

#include <string_view>

#include "desk/general/entries.h"
#include "desk/general/part_context.h"

namespace lento::desk {

// Each function takes a line without blanks around it and returns whether the line is of its form.
class StateLines {
 public:
  StateLines(Entries& entries, const PartContext& context)
      : entries_(entries),
        context_(context) {
  }
  bool limit(std::string_view text, Sink& sink);
  bool check(std::string_view text, Sink& sink);
  bool sentence(std::string_view text, Sink& sink);
  bool outcome(std::string_view text, Sink& sink);
  bool row_of_state(std::string_view text, Sink& sink);
  bool words_of_state(std::string_view text, Sink& sink);
  // Takes a key and its value.
  bool listed_parts(std::string_view key, std::string_view value, Sink& sink);

 private:
  void alarm(std::string_view text, bool is_failed_check, Sink& sink);

  Entries& entries_;
  const PartContext& context_;
};

}  // namespace lento::desk
