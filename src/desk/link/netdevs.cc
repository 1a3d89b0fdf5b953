// RDMA devices with the network interfaces of their ports: ibdev2netdev.
//
//   line = CARD "port" N "==>" INTERFACE "(" ("Up" | "Down") ")"
//
// Source: the script of MLNX_OFED 4 to 24 and of rdma-core.
#include "desk/link/link.h"

namespace lento::desk {
namespace {

const LineForm kNetdevForms[] = {
    {"^{card:name} port {port:int} ==> {netdev:name} ({state:name})", {"mlx5_0 port 1 ==> ens1f0np0 (Up)"}},
};

class Netdevs : public Reader {
  void take(size_t, const Match& match, Sink& sink) override {
    sink.state(
        {"state of an interface",
         "",
         Kind::FewValued,
         Better::Same,
         "",
         Scope::Own,
         "look at cable, switch port and ip link of that interface"},
        match.text("state"),
        {{"", port_device(match["card"], match["port"]), ""}});
  }
};

}  // namespace

const Format kNetdevs{"ibdev2netdev", "link", kNetdevForms, Shape::Lines, make<Netdevs>, nullptr};

}  // namespace lento::desk
