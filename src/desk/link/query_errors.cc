// ibqueryerrors: ports of the fabric whose counters are beyond their thresholds.
//
//   node = "Errors for " QUOTE HOST CARD QUOTE newline {"GUID" N "port" (N | "ALL") ":" {"[" COUNTER "==" N
//   "]"}}
//
// A counter that is not shown is below its threshold and counts as none, so that the ports of the report are
// peers in every counter that one of them shows.
//
// Source: ibqueryerrors of infiniband-diags 2.1 to 5.
#include <map>
#include <set>

#include "desk/link/link.h"

namespace lento::desk {
namespace {

enum ErrorsForm {
  ErrorsOf,
  ErrorsOfPort,
};

const LineForm kQueryErrorForms[] = {
    {"^Errors for \"{node}\"", {"Errors for \"n7 mlx5_0\""}},
    {"^~GUID {_:hex} port {port:word} {counters}",
     {"   GUID 0xe41d2d0300ab1234 port 1: [SymbolErrorCounter == 12] [PortXmitWait == 4211]"}},
};

class QueryErrors : public Reader {
  static constexpr size_t kMostPorts = 65536;

  struct ErrorPort {
    Subject subject;
    int64_t line = 0;
    std::map<std::string, std::string> counters;
  };

  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == ErrorsOf) {
      const std::string_view node = match["node"];
      const size_t blank = node.find(' ');
      host_ = blank == node.npos ? "" : std::string(node.substr(0, blank));
      card_ = blank == node.npos ? std::string(node) : std::string(node.substr(blank + 1));
      return;
    }
    std::string_view port = match["port"];
    if (port.ends_with(":"))
      port.remove_suffix(1);
    if (card_.empty() || port == "ALL" || ports_.size() == kMostPorts)
      return;
    ErrorPort& one = ports_.emplace_back();
    one.subject = {host_, port_device(card_, port), ""};
    one.line = sink.number();
    std::string_view rest = match["counters"];
    for (size_t open = rest.find('['); open != rest.npos; open = rest.find('[')) {
      const size_t equal = rest.find(" == ", open);
      const size_t close = rest.find(']', open);
      if (equal == rest.npos || close == rest.npos || equal > close)
        break;
      const std::string name(rest.substr(open + 1, equal - open - 1));
      one.counters[name] = rest.substr(equal + 4, close - equal - 4);
      names_.insert(name);
      rest.remove_prefix(close + 1);
    }
  }

  void end(Sink& sink) override {
    for (const ErrorPort& port : ports_) {
      sink.at("", port.line, port.subject, {});
      for (const std::string& name : names_) {
        const auto at = port.counters.find(name);
        write_port_counter(name, at == port.counters.end() ? "0" : at->second, port.subject, sink);
      }
    }
  }

  std::string host_;
  std::string card_;
  std::vector<ErrorPort> ports_;
  std::set<std::string> names_;
};

}  // namespace

const Format
    kQueryErrors{"ibqueryerrors", "link", kQueryErrorForms, Shape::Lines, make<QueryErrors>, nullptr};

}  // namespace lento::desk
