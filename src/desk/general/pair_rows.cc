// Finds the two columns by words for the ends of a connection, which are the first two columns or begin with
// a word for a host, and takes the first column with a rate.
#include "desk/general/pair_rows.h"

#include <algorithm>
#include <array>

#include "desk/general/cells.h"
#include "desk/general/entries.h"
#include "desk/general/states.h"

namespace lento::desk {
namespace {

// Returns whether a column names one end of a connection: "host_a", "node2", "src", "client", "rank_from".
bool names_end(const std::string& column) {
  constexpr std::array<std::string_view, 14> kEnds{
      "src",
      "dst",
      "source",
      "target",
      "destination",
      "dest",
      "from",
      "to",
      "client",
      "server",
      "sender",
      "receiver",
      "peer",
      "remote"};
  const std::vector<std::string> words = label_words(column);
  if (words.empty() || words.size() > 2)
    return false;
  std::string first = words[0];
  first.erase(first.find_last_not_of("0123456789") + 1);
  const auto is_end = [&](const std::string& word) {
    return std::ranges::find(kEnds, word) != kEnds.end();
  };
  const bool is_numbered = first != words[0] || (words.size() == 2 && words[1].size() == 1);
  return is_end(words[0]) || is_end(words.back()) || (is_numbered && names_host(first));
}

}  // namespace

bool take_pair_row(
    const std::vector<std::string>& columns,
    const std::vector<std::string>& cells,
    Sink& sink) {
  constexpr double kGiga = 1e9;
  constexpr double kBits = 8;
  std::vector<std::string> members;
  for (size_t i = 0; i < columns.size(); ++i)
    if (names_end(columns[i]) && has_letter(cells[i]))
      members.push_back(cells[i]);
  if (members.size() != 2 || members[0] == members[1])
    return false;
  for (size_t i = 0; i < columns.size(); ++i) {
    const auto number = cell_value(cells[i]);
    const Measure measure = column_measure(columns[i]);
    if (!number || measure.meaning != Meaning::Rate || !(number->value > 0))
      continue;
    const double scale = measure.unit == "B/s"     ? measure.scale / kGiga
                         : measure.unit == "bit/s" ? measure.scale / kGiga / kBits
                                                   : 1;
    Run run;
    run.kind = "collective benchmark";
    run.members = members;
    run.facts = {{"operation", columns[i]}};
    run.measured = {{{"bus bandwidth", "GB/s", Kind::Level, Better::Higher}, number->value * scale}};
    sink.run(std::move(run));
    sink.covers("rates of pairs of hosts");
    return true;
  }
  return false;
}

}  // namespace lento::desk
