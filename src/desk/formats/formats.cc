// Lists the families of formats, one on each line. The readers are in the family's folder, the grammar on
// its page in docs/formats.
#include "desk/formats/formats.h"

#include "desk/bench/bench.h"
#include "desk/cluster/cluster.h"
#include "desk/general/general.h"
#include "desk/kernel/kernel.h"
#include "desk/link/link.h"
#include "desk/machine/machine.h"
#include "desk/metrics/metrics.h"
#include "desk/nvidia/nvidia.h"
#include "desk/pytorch/pytorch.h"
#include "desk/training/training.h"

namespace lento::desk {

Formats all_formats() {
  Formats all;
  for (const Formats& family : {
           pytorch_formats(),
           kernel_formats(),
           training_formats(),
           bench_formats(),
           cluster_formats(),
           link_formats(),
           nvidia_formats(),
           machine_formats(),
           metrics_formats(),
           general_formats(),
       })
    all.insert(all.end(), family.begin(), family.end());
  return all;
}

}  // namespace lento::desk
