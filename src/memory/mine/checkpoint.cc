// Writes and reads the state of the first pass. One set of visitors serves both ways, so that a member is
// never written without being read. Layout, little-endian: "LENTOPA5", key, mark, functions, the members of
// Scan in their order, the crc32 of all bytes before. Strings and lists begin with their length (u64), and
// all numbers are u64.
#include "memory/mine/checkpoint.h"

#include "base/bytes.h"
#include "base/compress.h"

namespace lento::memory {
namespace {

constexpr std::string_view kMagic = "LENTOPA5";

// Each of the following visitors lists the members of a struct once, for writing and for reading, so that
// both use one order.
template <class Way, class Block>
void visit_block(Way& way, Block& c) {
  way(c.cycles);
  way(c.accesses);
  way(c.misses);
  way(c.jumps);
  way(c.cpus);
  way(c.address);
  way(c.worst);
}

template <class Way, class Sum>
void visit_sampled(Way& way, Sum& s) {
  way(s.latency);
  way(s.accesses);
  way(s.address);
  way(s.worst);
}

template <class Way, class Time>
void visit_time(Way& way, Time& t) {
  way(t.first);
  way(t.last);
  way(t.accesses);
  way(t.latency);
}

template <class Way, class Times>
void visit_times(Way& way, Times& t) {
  way(t.first);
  way(t.last);
  way(t.count);
}

class Packer {
 public:
  std::string bytes{kMagic};

  void operator()(uint64_t value) {
    base::append_little(bytes, value);
  }
  void operator()(const std::string& text) {
    (*this)(text.size()), bytes += text;
  }
  void operator()(const LatencyHistogram& histogram) {
    const auto values = histogram.values();
    (*this)(values.size());
    for (const auto& [latency, count] : values)
      (*this)(latency), (*this)(count);
  }
  void operator()(const BlockKey& k) {
    (*this)(k.block);
    (*this)(uint64_t{k.process});
  }
  void operator()(const BlockCost& c) {
    visit_block(*this, c);
  }
  void operator()(const Sampled& s) {
    visit_sampled(*this, s);
  }
  void operator()(const CpuTime& t) {
    visit_time(*this, t);
  }
  void operator()(const Extent::Times& t) {
    visit_times(*this, t);
  }
  void operator()(const Blame& b) {
    (*this)(b.cycles);
    (*this)(b.accesses);
  }
  void operator()(const std::pair<uint32_t, uint32_t>& p) {
    (*this)(p.first), (*this)(p.second);
  }
  template <class T, size_t N>
  void operator()(const std::array<T, N>& values) {
    for (const T& value : values)
      (*this)(value);
  }
  void sample(const AccessSample& sample) {
    sample.visit_with([&](uint64_t seen, uint64_t limit, const std::vector<AccessSample::Kept>& kept) {
      (*this)(seen);
      (*this)(limit);
      (*this)(kept.size());
      for (const AccessSample::Kept& k : kept) {
        (*this)(k.address);
        (*this)(k.number);
        (*this)(uint64_t{k.process});
        (*this)(uint64_t{k.missed});
      }
    });
  }
  template <class Map>
  void map(const Map& map) {
    (*this)(map.size());
    for (const auto& [key, value] : map)
      (*this)(key), (*this)(value);
  }
};

class Unpacker {
 public:
  Unpacker(std::string_view bytes, const std::string& path)
      : in_(bytes, path) {
  }

  uint64_t number() {
    return in_.read<uint64_t>("a number");
  }
  std::string text() {
    return std::string(in_.take(number(), "a text"));
  }
  template <class T>
  void operator()(T& value) requires std::is_integral_v<T> {
    value = static_cast<T>(number());
  }
  void operator()(LatencyHistogram& histogram) {
    for (uint64_t left = number(); left > 0; --left) {
      const uint64_t latency = number();
      histogram.add(uint32_t(latency), number());
    }
  }
  void operator()(BlockKey& k) {
    (*this)(k.block);
    (*this)(k.process);
  }
  void operator()(BlockCost& c) {
    visit_block(*this, c);
  }
  void operator()(Sampled& s) {
    visit_sampled(*this, s);
  }
  void operator()(CpuTime& t) {
    visit_time(*this, t);
  }
  void operator()(Extent::Times& t) {
    visit_times(*this, t);
  }
  void operator()(Blame& b) {
    (*this)(b.cycles);
    (*this)(b.accesses);
  }
  void operator()(std::pair<uint32_t, uint32_t>& p) {
    (*this)(p.first), (*this)(p.second);
  }
  template <class T, size_t N>
  void operator()(std::array<T, N>& values) {
    for (T& value : values)
      (*this)(value);
  }
  void sample(AccessSample& sample) {
    sample.visit_with([&](uint64_t& seen, uint64_t& limit, std::vector<AccessSample::Kept>& kept) {
      (*this)(seen);
      (*this)(limit);
      for (uint64_t left = number(); left > 0; --left) {
        AccessSample::Kept& k = kept.emplace_back();
        (*this)(k.address);
        (*this)(k.number);
        (*this)(k.process);
        (*this)(k.missed);
      }
    });
  }
  template <class Map>
  void map(Map& map) {
    for (uint64_t left = number(); left > 0; --left) {
      typename Map::key_type key{};
      (*this)(key);
      (*this)(map[key]);
    }
  }

 private:
  base::ByteReader in_;
};

// Visits the members of a Scan. The baselines are left out because they follow from the histograms.
template <class Visit, class AScan>
void visit(Visit& visit, AScan& s) {
  visit(s.events);
  visit(s.trivial);
  visit(s.no_latency);
  visit(s.failed_sc);
  visit(s.first_cycle);
  visit(s.last_cycle);
  visit(s.service_known);
  visit(s.culprits_known);
  visit(s.sampled);
  visit(s.levels_known);
  visit(s.local_hits);
  visit(s.writes);
  visit(s.slow);
  visit(s.peers);
  visit(s.remote);
  visit(s.with_node);
  visit(s.with_thread);
  visit(s.latencies);
  visit(s.by_type);
  visit(s.by_service);
  visit(s.excess_by_type);
  visit(s.cycles_by_cause);
  visit(s.losses);
  visit(s.excess);
  visit(s.latency_sum);
  visit(s.unnamed_latency);
  visit(s.blocks_dropped);
  visit.sample(s.sample);
  visit.map(s.blocks);
  visit.map(s.cpus);
  visit.map(s.actors);
  visit.map(s.last_miss);
  visit.map(s.processes);
  visit.map(s.cpu_blame);
  visit.map(s.function_blame);
  visit.map(s.sampled_code);
  visit.map(s.sampled_data);
  Extent::visit(s.extent, [&](auto& shift, auto& open, auto& closed) {
    visit(shift);
    visit(open);
    visit.map(closed);
  });
}

}  // namespace

// Packs the state of a pass, so that an interrupted analysis resumes there. `key` identifies inputs and
// options.
std::string
pack_pass(const std::string& key, const PassMark& mark, const Scan& scan, const Functions& functions) {
  Packer out;
  out(key), out(mark.records), out(uint64_t{mark.finished});
  const auto known = functions.known();
  out(known.size());
  for (const Functions::Known& function : known) {
    out(function.process);
    out(function.start);
    out(uint64_t{function.has_name});
    out(function.name);
  }
  visit(out, scan);
  base::append_little(out.bytes, base::crc32(out.bytes));
  return std::move(out.bytes);
}

bool unpack_pass(
    std::string_view bytes,
    const std::string& path,
    const std::string& key,
    const PassState& state) {
  const auto& [mark, scan, functions] = state;
  const std::string_view body = bytes.substr(0, bytes.size() < 12 ? 0 : bytes.size() - 4);
  std::string sum;
  base::append_little(sum, base::crc32(body));
  if (body.substr(0, kMagic.size()) != kMagic || bytes.substr(body.size()) != sum)
    throw base::Error(
        {path},
        "no state of an interrupted diagnosis, or a damaged one",
        "remove it to start over");
  Unpacker in(body.substr(kMagic.size()), path);
  if (in.text() != key)
    return false;
  mark.records = in.number();
  mark.finished = in.number() != 0;
  for (uint64_t left = in.number(); left > 0; --left) {
    Functions::Known function;
    function.process = uint16_t(in.number());
    function.start = in.number();
    function.has_name = in.number() != 0;
    function.name = in.text();
    functions.add(function);
  }
  visit(in, scan);
  return true;
}

}  // namespace lento::memory
