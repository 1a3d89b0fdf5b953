// iblinkinfo lists the links of a fabric by switch, with the speed that both ends could do.
//
//   link = any "==( " WIDTH "X " SPEED " Gbps Active/ LinkUp)==>" any '"' PEER '"' " (" note ")"
//   note = "" | "Could be " (SPEED " Gbps" | WIDTH "X" | NAME)
//
// A block of a card, "CA: HOST CARD:", has the links of that card, whose peers are switches.
//
// The peer is "HOST CARD" for a card and "SWITCH:MODEL" for a switch. A port without a cable is down and
// polls, which is no fault.
//
// Source: infiniband-diags 2.1 to 50.
#include "base/number.h"
#include "desk/link/link.h"

namespace lento::desk {
namespace {

const LineForm kFabricForms[] = {
    {"^CA: {card}:$", {"CA: tern-01 mlx5_0:", "CA: n7 HCA-1:"}},
    {"^Switch:~0x", {"Switch: 0x248a070300a1b2c3 MF0;leaf-03:MQM9700/U1:"}},
    {"==(~{width:int}X {speed:num} Gbps Active/ LinkUp)==>{_}\"{peer}\"{note}",
     {"          12   33[  ] ==( 4X       53.125 Gbps Active/  LinkUp)==>     211    1[  ] \"n7 mlx5_2\" ( )",
      "          12   34[  ] ==( 4X      25.78125 Gbps Active/  LinkUp)==>     212    1[  ] \"n8 mlx5_2\" ( "
      "Could be 53.125 Gbps)",
      "       9   1[  ] ==( 1X  26.5625 Gbps Active/  LinkUp)==>  19  7[  ] \"MF0;spine3:MQM8700/U1\" ( "
      "Could be 4X )"}},
};

constexpr const char* kCableAdvice =
    "reseat or replace cable and transceiver of that link, look at its symbol errors (perfquery)";

class FabricLinks : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form < 2) {
      card_ = match.text("card");  // none in the block of a switch
      return;
    }
    const std::string_view peer = card_.empty() ? match["peer"] : std::string_view(card_);
    const size_t blank = peer.find(' ');
    const Subject subject{
        std::string(peer.substr(0, blank)),
        blank == peer.npos ? "" : std::string(peer.substr(blank + 1)),
        ""};
    const std::string_view note = match["note"];
    const double width = match.number("width").value_or(kUnknown);
    const double speed = match.number("speed").value_or(kUnknown);
    double could = speed;
    double lanes = width;
    if (const size_t at = note.find("Could be "); at != note.npos) {
      std::string_view can = note.substr(at + 9);
      can = can.substr(0, can.find_first_not_of("0123456789."));
      const double number = base::try_double(can).value_or(kUnknown);
      const std::string_view behind = note.substr(at + 9 + can.size());
      (behind.starts_with("X") ? lanes : could) = number;
    }
    const auto state = [&](const char* name, const char* unit, double value, double expected) {
      sink.state(
          {name, unit, Kind::FewValued, Better::Higher, "", Scope::Own, kCableAdvice},
          value,
          {subject, kUnknown, expected});
    };
    state("link speed of a lane", "Gb/s", speed, could);
    state("link width", "lanes", width, lanes);
  }

  std::string card_;  // of the block, when it is that of a card
};

}  // namespace

const Format kFabricLinks{"iblinkinfo", "link", kFabricForms, Shape::Lines, make<FabricLinks>};

}  // namespace lento::desk
