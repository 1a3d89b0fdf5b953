// TCP connections with what their kernel counts: ss -ti. The peer whose connections send segments again while
// those to other peers do not is odd: its host, or the way to it, loses packets.
//
//   connection = "ESTAB" N N LOCAL PEER newline blanks {any} ["retrans:" N "/" N] {any}
//
// Source: misc/ss.c of iproute2 5 and 6.
#include <algorithm>
#include <map>

#include "base/number.h"
#include "desk/link/link.h"

namespace lento::desk {
namespace {

const LineForm kSocketForms[] = {
    {"ESTAB {_:int} {_:int} {local:word} {peer:word}",
     {"ESTAB  0       0        10.4.0.10:51021        10.4.0.11:46009"}},
};

const Quantity kAgain{
    "segments sent again",
    "",
    Kind::Counter,
    Better::Lower,
    "ss",
    Scope::Own,
    "look at drops and errors of the ports between both hosts (ethtool -S) and at the MTU of the way"};

class Sockets : public Reader {
  void take(size_t, const Match& match, Sink& sink) override {
    const std::string_view peer = match["peer"];
    peer_ = peer.substr(0, peer.rfind(':'));
    sink.follow(1);
  }

  void behind(std::string_view line, Sink& sink) override {
    constexpr size_t kMostPeers = 4096;
    if (line.find("cwnd:") == line.npos || (!peers_.contains(peer_) && peers_.size() == kMostPeers))
      return;
    const size_t at = line.find(" retrans:");
    std::string_view total =
        at == line.npos ? "0" : line.substr(std::min(line.find('/', at), line.size() - 1) + 1);
    total = total.substr(0, total.find_first_not_of("0123456789"));
    Connections& connections = peers_[peer_];
    connections.again += double(base::try_uint(total).value_or(0));
    connections.line = sink.number();
  }

  void end(Sink& sink) override {
    for (const auto& [peer, connections] : peers_) {
      sink.at("", connections.line, {}, {});
      sink.state(kAgain, connections.again, {{peer, "", ""}});
    }
  }

  struct Connections {
    double again = 0;
    int64_t line = 0;
  };
  std::string peer_;  // of the last connection
  std::map<std::string, Connections> peers_;
};

}  // namespace

const Format kSockets{"ss -ti", "link", kSocketForms, Shape::Lines, make<Sockets>, nullptr};

}  // namespace lento::desk
