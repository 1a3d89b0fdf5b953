// lspci lists the PCI functions; one that has left the bus has revision ff. lspci -vv states for each PCI
// function the speed and width that its link can do (LnkCap) and those that it has (LnkSta). Three states a
// function: speed, width, and the bandwidth that follows from both, each with what the function itself can
// do. Functions of one model are peers.
//
//   function = BUS ":" DEVICE "." FUNCTION " " CLASS [" [0302]"] ": " MODEL [" (rev a1)"]
//   LnkCap   = "LnkCap: Port #0, Speed 32GT/s, Width x16, ..."
//   LnkSta   = "LnkSta: Speed 8GT/s [" (downgraded)"] ", Width x8" [" (downgraded)"]
//
// A bridge is no subject: what its link has follows from the function behind it. Source: pciutils 3.9,
// ls-caps.c. The line codes are those of PCI Express Base 6.0: 8b/10b up to 5 GT/s, 128b/130b up to 32 GT/s,
// flits above.
#include <deque>

#include "desk/link/link.h"
#include "desk/read/pci.h"

namespace lento::desk {
namespace {

// Classes of PCI functions. The links of the first kJudgedClasses are judged. The others are matched only so
// that the LnkCap and LnkSta lines below them are not attributed to the function above.
constexpr std::string_view kClasses[] = {
    "3D controller",
    "VGA compatible controller",
    "Display controller",
    "Processing accelerators",
    "Infiniband controller",
    "Ethernet controller",
    "Non-Volatile memory controller",
    "PCI bridge",
    "Host bridge",
    "ISA bridge",
    "Bridge",
    "System peripheral",
    "USB controller",
    "SATA controller",
    "RAID bus controller",
    "Serial Attached SCSI controller",
    "Signal processing controller",
    "Network controller",
    "Audio device",
    "SMBus",
    "Communication controller",
    "Encryption controller",
    "Co-processor",
};
constexpr size_t kJudgedClasses = 7;
constexpr size_t kCapability = std::size(kClasses);
constexpr size_t kStatus = kCapability + 1;

// Returns the forms of the heading lines of PCIe devices.
std::vector<LineForm> forms_of_classes() {
  static std::deque<std::string> texts;
  std::vector<LineForm> forms;
  for (const std::string_view name : kClasses) {
    const std::string& pattern =
        texts.emplace_back("^{pci:word} " + std::string(name) + "(? [{_:word}]?): {model}");
    const std::string& plain =
        texts.emplace_back("0000:3b:00.0 " + std::string(name) + ": Maker Model (rev a1)");
    const std::string& codes =
        texts.emplace_back("3b:00.0 " + std::string(name) + " [0302]: Maker Model [10de:2330]");
    forms.push_back({pattern, {plain, codes}});
  }
  forms.push_back(
      {"LnkCap:~Port #{_:int}, Speed {speed:num}GT/s, Width x{width:int}",
       {"\t\tLnkCap:\tPort #0, Speed 16GT/s, Width x8, ASPM L1, Exit Latency L1 <4us"}});
  forms.push_back(
      {"LnkSta:~Speed {speed:num}GT/s(? ({_:word})?), Width x{width:int}",
       {"\t\tLnkSta:\tSpeed 16GT/s, Width x8",
        "\t\tLnkSta:\tSpeed 2.5GT/s (downgraded), Width x8 (ok)",
        "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x4 (downgraded)"}});
  return forms;
}

const std::vector<LineForm> kPcieForms = forms_of_classes();

constexpr const char* kAdvice =
    "reseat the board or its riser, look for PCIe errors (AER) of that slot in the kernel log, then replace "
    "it";

// Returns the bandwidth in GB/s in one direction of a link with `width` lanes of `speed` GT/s, after line
// coding, rounded to 0.01.
double bandwidth(double speed, double width) {
  const double code = speed <= 5 ? 8.0 / 10 : speed <= 32 ? 128.0 / 130 : 1;
  return std::round(speed * code * width / 8 * 100) / 100;
}

struct Link {
  double speed = kUnknown;
  double width = kUnknown;
};

Link link_of(const Match& match) {
  return {match.number("speed").value_or(kUnknown), match.number("width").value_or(kUnknown)};
}

class PcieLinks : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form < kCapability) {
      can_ = {};
      device_ = form < kJudgedClasses ? pci_device(match["pci"]) : "";
      if (!device_.empty())
        sink.covers("devices that answer on the PCIe bus");
      model_ = match.text("model");
      const size_t revision = model_.find(" (rev");
      if (!device_.empty() && model_.substr(std::min(revision, model_.size())).starts_with(" (rev ff)"))
        lose(sink);
      model_ = model_.substr(0, revision);
    } else if (form == kCapability) {
      can_ = link_of(match);
    } else if (form == kStatus) {
      write(link_of(match), sink);
      device_.clear();  // a class that is not listed must not be attributed to the previous function
    }
  }

  // Reports a function that has left the bus. Reading from it gives ones only, so its revision is ff.
  void lose(Sink& sink) const {
    Event event;
    event.kind = "pcie/no answer";
    event.severity = Severity::Fault;
    event.origin = Origin::Hardware;
    event.subject.device = device_;
    event.meaning = "the device does not answer on the PCIe bus (revision ff)";
    event.action =
        "look for Xid 79 and PCIe errors in the kernel log; reset or power-cycle the node, reseat it";
    sink.event(std::move(event));
  }

  void write(const Link& has, Sink& sink) const {
    if (device_.empty() || std::isnan(can_.speed) || std::isnan(can_.width))
      return;
    const auto state = [&](const char* name, const char* unit, double value, double expected) {
      const Quantity quantity{name, unit, Kind::FewValued, Better::Higher, model_, Scope::Own, kAdvice};
      sink.state(quantity, value, {{"", device_, ""}, kUnknown, expected});
    };
    state("PCIe bandwidth", "GB/s", bandwidth(has.speed, has.width), bandwidth(can_.speed, can_.width));
    state("PCIe speed", "GT/s", has.speed, can_.speed);
    state("PCIe width", "lanes", has.width, can_.width);
  }

  std::string device_;
  std::string model_;
  Link can_;
};

}  // namespace

const Format kPcieLinks{"PCIe links (lspci -vv)", "link", kPcieForms, Shape::Lines, make<PcieLinks>, nullptr};

Formats link_formats() {
  return {
      &kPcieLinks,
      &kPorts,
      &kMlxlink,
      &kPortCounters,
      &kQueryErrors,
      &kNetdevs,
      &kSockets,
      &kFabricLinks,
      &kSubnetManager};
}

}  // namespace lento::desk
