// Derivatives of every recorded duration by the slowness of each part, from one simulated run.
//
// Each event of the simulator is pushed by the event that it waited for longest, so its time grows by what
// that one's time grows by plus its own service. A run therefore carries, with each pending event, one row:
// cycles that its time grows by when a part takes longer by one unit of log factor. The difference of two
// rows is the derivative of a duration, waiting in queues included, as long as the order of events stays
// (infinitesimal perturbation analysis: Ho, Cao, "Perturbation analysis of discrete event dynamic systems",
// 1983). Cost: one row of floats copied for each event.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chip/map/grid.h"
#include "chip/read/probe_record.h"

namespace lento::chip {

// The columns of a row: cores, links (both directions are one), memory units, DRAM ports, and three of the
// whole chip: start-up of messages, cycles of each hop, scratchpads.
class InfluenceColumns {
 public:
  explicit InfluenceColumns(const Grid& grid);

  uint32_t core(int core) const {
    return uint32_t(core);
  }
  uint32_t link(int id) const {
    return link_columns_[size_t(id)];
  }
  uint32_t memory_unit(int core) const {
    return links_end_ + uint32_t(core);
  }
  uint32_t port(int port) const {
    return ports_ + uint32_t(port);
  }
  uint32_t start_up() const {
    return parts_;
  }
  uint32_t hops() const {
    return parts_ + 1;
  }
  uint32_t scratchpads() const {
    return parts_ + 2;
  }
  uint32_t parts() const {
    return parts_;
  }
  uint32_t size() const {
    return parts_ + 3;
  }
  // Class of a part: 0 cores, 1 links, 2 memory units, 3 DRAM ports.
  uint32_t class_of(uint32_t column) const {
    const uint32_t cores = ports_ - links_end_;
    return column < cores ? 0 : column < links_end_ ? 1 : column < ports_ ? 2 : 3;
  }

 private:
  std::vector<uint32_t> link_columns_;  // by link id
  uint32_t links_end_ = 0;
  uint32_t ports_ = 0;
  uint32_t parts_ = 0;
};

// Receives records with the derivatives of their durations, in cycles by column.
class InfluenceSink {
 public:
  virtual ~InfluenceSink() = default;
  virtual void record(const ProbeRecord& record, std::span<const float> cycles) = 0;
};

// The rows of derivatives of one run. The machine that simulates it reports each event, and the begin and end
// of each record.
class Influence {
 public:
  Influence(const Grid& grid, InfluenceSink& sink);

  const InfluenceColumns& columns() const {
    return columns_;
  }
  // Makes `what` the event in progress. Everything pushed until the next call waited for it.
  void happens(uint32_t what);
  // Adds the service that ends with event `what`: `cycles` of the part in `column`, and `hop_cycles` of
  // set-up besides.
  void pushed(uint32_t what, uint32_t column, double cycles, double hop_cycles = 0);
  // Report the begin and the end of a record. begins() keeps the row of the event in progress under the index
  // `mark`, and ends() gives the sink the record with the difference between the row of the event in progress
  // and that one.
  void begins(uint32_t mark);
  void ends(uint32_t mark, const ProbeRecord& record);

 private:
  using Row = std::vector<float>;
  Row& row_of(std::vector<Row>& rows, uint32_t index);

  InfluenceColumns columns_;
  InfluenceSink& sink_;
  Row now_;
  Row difference_;
  std::vector<Row> pending_[8];  // by kind and index of the event
  std::vector<Row> marks_;
};

}  // namespace lento::chip
