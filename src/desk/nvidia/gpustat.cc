// gpustat: a line per GPU. A GPU that the driver lists and cannot read is shown by its error.
//
//   row   = "[" N "] " NAME "| " N "'C, " N " % | " N " / " N " MB |" any
//   error = "[" N "] ((" TEXT "))" any
//
// Source: gpustat 1.0 to 1.1.
#include "desk/nvidia/nvidia.h"

namespace lento::desk {
namespace {

const LineForm kGpustatForms[] = {
    {"^[{gpu:int}] {name}| {temp:int}'C, {util:int} % |",
     {"[0] NVIDIA A100-SXM4-80GB | 41'C,  97 % | 70211 / 81920 MB | user(70201M)"}},
    {"^[{gpu:int}] (({what})) ",
     {"[3] ((Unknown Error))          | ?"
      "?'C,  ?"
      "? % |     ? /     ? MB | (Not Supported)"}},
};

class Gpustat : public Reader {
  void take(size_t form, const Match& match, Sink& sink) override {
    if (form == 0)
      return;
    Event event;
    event.kind = "gpu/not readable";
    event.severity = Severity::Fault;
    event.origin = Origin::Hardware;
    event.subject.device = "gpu" + match.text("gpu");
    event.meaning =
        "the driver cannot read it (" + match.text("what") + "), as of a GPU that fell off the bus";
    event.action = "look for Xid 79 in the kernel log, drain the host and reset it";
    sink.event(std::move(event));
  }
};

}  // namespace

const Format kGpustat{
    "gpustat",
    "nvidia",
    kGpustatForms,
    Shape::Lines,
    make<Gpustat>,
    nullptr,
    {},
    "GPUs that cannot be read"};

}  // namespace lento::desk
