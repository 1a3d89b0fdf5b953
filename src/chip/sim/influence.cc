// Updates the rows of derivatives. The row of an event becomes the current one by a swap when the event
// happens, and is copied for each event that it pushes, so that an event costs about one copy.
#include "chip/sim/influence.h"

namespace lento::chip {
namespace {

constexpr int kKindShift = 29;  // bits of the index in an event number, as in Machine
constexpr uint32_t kIndex = (1U << kKindShift) - 1;

}  // namespace

InfluenceColumns::InfluenceColumns(const Grid& grid)
    : link_columns_(size_t(grid.link_count())) {
  uint32_t next = uint32_t(grid.core_count());
  for (int id = 0; id < grid.link_count(); ++id) {
    const int back = grid.find_link(grid.link(id).to, grid.link(id).from);
    link_columns_[size_t(id)] = back >= 0 && back < id ? link_columns_[size_t(back)] : next++;
  }
  links_end_ = next;
  ports_ = links_end_ + uint32_t(grid.core_count());
  parts_ = ports_ + uint32_t(grid.port_count());
}

Influence::Influence(const Grid& grid, InfluenceSink& sink)
    : columns_(grid),
      sink_(sink),
      now_(columns_.size()),
      difference_(columns_.size()) {
}

Influence::Row& Influence::row_of(std::vector<Row>& rows, uint32_t index) {
  if (index >= rows.size())
    rows.resize(index + 1);
  if (rows[index].empty())
    rows[index].resize(columns_.size());
  return rows[index];
}

void Influence::happens(uint32_t what) {
  now_.swap(row_of(pending_[what >> kKindShift], what & kIndex));
}

void Influence::pushed(uint32_t what, uint32_t column, double cycles, double hop_cycles) {
  Row& row = row_of(pending_[what >> kKindShift], what & kIndex);
  row = now_;
  row[column] += float(cycles);
  row[columns_.hops()] += float(hop_cycles);
}

void Influence::begins(uint32_t mark) {
  row_of(marks_, mark) = now_;
}

// Gives the record to the sink with the derivatives of its duration: the row of the event in progress less
// the row at the begin of the record.
void Influence::ends(uint32_t mark, const ProbeRecord& record) {
  const Row& from = row_of(marks_, mark);
  for (size_t c = 0; c < now_.size(); ++c)
    difference_[c] = now_[c] - from[c];
  sink_.record(record, difference_);
}

}  // namespace lento::chip
