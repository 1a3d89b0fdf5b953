// Rows of letters for states of links, and the legend that gives the letters a meaning, above or below them.
//
//   row    = PART [CELL] MARK MARK {MARK}             MARK = 1 to 4 capitals
//            "GPU0  0000:05:00.0  U  U  D  U"
//   legend = ["*"] MARK ":" WORD MARK ":" WORD {MARK ":" WORD} | MARK " - " WORD any
//            "* U:Up D:Down X:Disabled", "D - Disconnected - lost"
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "desk/general/entries.h"

namespace lento::desk {

class LetterRows {
 public:
  // Returns whether the line is a row or a legend.
  bool take(std::string_view text, const std::string& host);
  // Writes the states of the rows. A part is at fault when none of its links is well and the other parts have
  // no bad link but those to such parts.
  void end(Entries& entries, Sink& sink) const;

 private:
  struct Row {
    Subject subject;
    std::vector<std::string> marks;
  };
  bool take_legend(std::string_view text);

  std::vector<Row> rows_;
  std::map<std::string, std::string> meanings_;
};

}  // namespace lento::desk
