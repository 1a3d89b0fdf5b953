// Lines of programs that state that one host or process cannot reach another. Libraries of every network
// write them in words of their own, with three things in common: a few phrases, a name behind a word for the
// other end ("Peer host id: i-07", "server 10.0.0.3", "rlid 703"), and the own name in front of the line or
// behind a word for this end ("My host id: i-03").
//
//   line = any PHRASE any, with [OWN {FILLER} NAME] and PEER {FILLER} NAME, the latter also in the next line
//
// One line names two ends and shows neither to be at fault (incident/completions.cc).
// Sources: UCX 1.5 to 1.17, libfabric 1.18 (efa), Gloo, gRPC.
#include <algorithm>
#include <array>
#include <span>

#include "desk/general/general.h"
#include "desk/read/host_parts.h"

namespace lento::desk {
namespace {

const LineForm kPeerForms[] = {
    {"etry count exceeded", {"ib_mlx5_log.c:177  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15)"}},
    {"nresponsive receiver", {"err: 5, message: Unresponsive receiver My host id: i-07 Peer host id: i-09"}},
    {"nreachable", {"peer node7 is unreachable"}},
    {"not responding", {"server 10.0.0.3 not responding"}},
    {"not reachable", {"host node7 not reachable"}},
    {"o route to host", {"connect to node7:29500: No route to host"}},
    {"onnection timed out", {"connect to node7:29500: Connection timed out"}},
    {"onnection reset", {"peer node7: Connection reset by peer"}},
    {"ost connection", {"lost connection to node7"}},
};

constexpr std::array<const char*, std::size(kPeerForms)> kMeanings{
    "retries exceeded",
    "no answer",
    "unreachable",
    "no answer",
    "unreachable",
    "no route",
    "connection timed out",
    "connection reset",
    "connection lost"};

constexpr std::array<std::string_view, 3> kOwn{"my", "local", "from"};
constexpr std::array<std::string_view, 10>
    kPeer{"peer", "remote", "server", "to", "towards", "with", "destination", "dest", "rlid", "host"};
constexpr std::array<std::string_view, 10>
    kFillers{"host", "id", "name", "node", "address", "addr", "is", "at", "the", "hostname"};

bool is_listed_word(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

// Returns whether a word names a machine: "i-0ce6d3d57139f053c" of Amazon, "10.0.0.3", "gpu034",
// "gke-pool-ab12-x7".
bool names_machine(std::string_view word) {
  const auto count = [&](std::string_view of) {
    return size_t(std::ranges::count_if(word, [&](char c) {
      return of.find(c) != of.npos;
    }));
  };
  const bool is_address = count(".") == 3 && word.find_first_not_of("0123456789.") == word.npos;
  const bool is_instance = word.starts_with("i-") && word.size() > 9 &&
                           word.substr(2).find_first_not_of("0123456789abcdef") == word.npos;
  const bool is_in_pool = count("-") > 2 && count("0123456789") > 1 && word[0] >= 'a' && word[0] <= 'z';
  return is_address || is_instance || is_in_pool || may_be_host(word);
}

struct TwoEnds {
  std::string own;
  std::string peer;
};

// Returns the words of a line, without signs around them.
std::vector<std::string_view> words_of_line(std::string_view line) {
  constexpr size_t kMost = 128;
  std::vector<std::string_view> words;
  for (size_t at = 0; at < line.size() && words.size() < kMost;) {
    at = std::min(line.find_first_not_of(" \t[]()<>=,;\"'", at), line.size());
    const size_t end = std::min(line.find_first_of(" \t[]()<>=,;\"'", at), line.size());
    std::string_view word = line.substr(at, end - at);
    while (word.ends_with(":") || word.ends_with("."))
      word.remove_suffix(1);
    if (!word.empty())
      words.push_back(word);
    at = end;
  }
  return words;
}

TwoEnds ends_of(std::string_view line) {
  TwoEnds ends;
  const std::vector<std::string_view> words = words_of_line(line);
  std::string* wanted = nullptr;
  for (const std::string_view word : words) {
    std::string small(word.substr(0, 16));
    for (char& c : small)
      c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    if (is_listed_word(kOwn, small)) {
      wanted = &ends.own;
    } else if (is_listed_word(kPeer, small) && (small != "host" || !wanted)) {
      wanted = &ends.peer;
    } else if (wanted && !is_listed_word(kFillers, small)) {
      const std::string_view name = word.substr(0, word.find(':'));
      if (wanted->empty() && names_machine(name))
        *wanted = name;
      wanted = nullptr;
    }
  }
  return ends;
}

// Returns the host in brackets that begins a line, or "": "[node7:2330856:0:2330856] text".
std::string host_in_front(std::string_view line) {
  if (!line.starts_with("["))
    return "";
  const std::string_view name = line.substr(1, line.find_first_of(":]") - 1);
  return names_machine(name) ? std::string(name) : "";
}

class PeerFailures : public Reader {
  void take(size_t form, const Match&, Sink& sink) override {
    if (sink.number() == last_)
      return;
    last_ = sink.number();
    pending_ = {};
    pending_.meaning = kMeanings[form];
    const TwoEnds ends = ends_of(sink.line());
    pending_.kind = "peer/unreachable";
    pending_.subject.host = ends.own.empty() ? host_in_front(sink.line()) : ends.own;
    if (ends.peer.empty()) {
      sink.follow(1);  // UCX names the other end in the next line
      return;
    }
    write(ends.peer, sink);
  }

  void behind(std::string_view line, Sink& sink) override {
    static const Pattern port("rlid {lid:int}");
    Match match;
    if (port.match(line, match))
      write("LID " + match.text("lid"), sink);
    else if (const TwoEnds ends = ends_of(line); !ends.peer.empty())
      write(ends.peer, sink);
  }

  void write(const std::string& peer, Sink& sink) {
    pending_.fields = {{"peer", peer}};
    sink.event(std::move(pending_));
    is_used_ = true;
  }

  void end(Sink& sink) override {
    if (is_used_)
      sink.took();
  }

  int64_t last_ = 0;
  bool is_used_ = false;
  Event pending_;
};

}  // namespace

const Format kPeerFailures{
    .name = "peers that do not answer",
    .family = "general",
    .forms = kPeerForms,
    .make = make<PeerFailures>,
    .is_fallback = true,
    .is_of_whole_line = true};

}  // namespace lento::desk
