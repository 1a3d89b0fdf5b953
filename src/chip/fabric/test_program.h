// For tests: programs made in code.
#pragma once

#include "chip/read/transfer_record.h"

namespace lento::chip::test {

// A stream that begins at `begin`, reads `count` times `bytes` from each peer in turn and waits, `rounds`
// times. Issue times are `gap` cycles apart. Waits have no recorded end unless `tail`, in cycles, is given.
inline void add_reader(
    TransferTrace& trace,
    const Place& core,
    const std::vector<Place>& peers,
    int count,
    int rounds,
    uint64_t bytes,
    uint64_t begin = 0,
    uint64_t gap = 10,
    uint64_t tail = kNoTime) {
  TransferStream stream;
  stream.core = core;
  stream.processor = trace.name_id("P");
  if (trace.networks.empty())
    trace.network_id("noc");
  uint64_t now = begin;
  const auto add = [&](TransferKind kind, const Place& peer, uint64_t size) {
    TransferRecord record;
    record.kind = kind;
    record.begin = now;
    record.peer = peer;
    record.bytes = size;
    stream.records.push_back(record);
  };
  add(TransferKind::Zone, {}, 0);
  for (int round = 0; round < rounds; ++round) {
    for (int k = 0; k < count; ++k) {
      add(TransferKind::Read, peers[size_t(k) % peers.size()], bytes);
      now += gap;
    }
    add(TransferKind::ReadGroup, {}, 0);
    if (tail == kNoTime)
      continue;
    now += tail;
    stream.records.back().end = now;
  }
  trace.streams.push_back(std::move(stream));
}

}  // namespace lento::chip::test
