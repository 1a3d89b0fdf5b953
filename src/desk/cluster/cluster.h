// Tables and messages of the programs that place jobs on nodes: which jobs failed on which nodes, which nodes
// were taken out and why (docs/formats/desk-cluster.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "desk/read/format.h"

namespace lento::desk {

extern const Format kSacct;          // sacct, with | between columns or in columns of fixed width
extern const Format kScontrolJob;    // scontrol show job
extern const Format kScontrolNode;   // scontrol show node
extern const Format kKubeEvents;     // kubectl get events, as a table
extern const Format kKubeJson;       // kubectl get events -o json
extern const Format kSinfo;          // sinfo, also -R
extern const Format kSqueue;         // squeue
extern const Format kKubeNodes;      // kubectl get nodes
extern const Format kKubePods;       // kubectl get pods -o wide
extern const Format kPodPage;        // kubectl describe pod
extern const Format kSlurmctld;      // the log of slurmctld
extern const Format kSlurmd;         // the log of slurmd
extern const Format kKubeDescribe;   // conditions of kubectl describe node
extern const Format kLauncher;       // srun, slurmstepd, slurmctld, mpirun, torchrun
extern const Format kFailure;        // torchrun's report of the process that failed first
extern const Format kMissing;        // ranks without a heartbeat (JAX) or without their tensors (Horovod)
extern const Format kProcessErrors;  // tracebacks, fatal errors, signals of processes

// Returns all formats of this family.
Formats cluster_formats();

// Makes the event of a node that was taken out of service, does not answer or is not ready.
Event node_event(const char* kind, Severity severity, std::string host, std::string meaning);
// Adds to an event the meaning of a reason, whether hardware or software causes it, and the next action,
// when the reason's words are known. The severity is never lowered, except that planned maintenance is a
// note.
void explain(Event& event, std::string_view reason);

// Adds what an Xid that a message names means: "GPU 3: Xid 79 GPU has fallen off the bus".
void explain_xid(Event& event, std::string_view message);

// Expands a list of hosts as Slurm writes it: "gpu[001-003,7],login1" is gpu001, gpu002, gpu003, gpu7,
// login1. Returns an empty list for text that is damaged, cut ("gpu[001-0+"), not a list ("None assigned"),
// or a list of more than kMostHosts.
inline constexpr size_t kMostHosts = size_t{1} << 16;
std::vector<std::string> expand_hosts(std::string_view list);

// Expands the lists of hosts of one file. Once it has expanded kMostOfFile hosts, it returns an empty list.
class HostLists {
 public:
  static constexpr size_t kMostOfFile = size_t{1} << 20;
  std::vector<std::string> expand(std::string_view list);

 private:
  size_t held_ = 0;
};

}  // namespace lento::desk
