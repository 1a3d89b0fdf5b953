// Reads the logs of Slurm's controller and of its daemon on each node. Lines about lost nodes are read by the
// forms of launcher.cc. Some lines here name no fault. They make the log known, so that a log without a lost
// node is an all-clear. The others are faults that the daemon finds on its own node.
//
// Source: slurmctld and slurmd of Slurm 20.11 to 25.05.
#include "desk/cluster/cluster.h"
#include "desk/read/event_form.h"

namespace lento::desk {
namespace {

const LineForm kSlurmctldForms[] = {
    {"sched: Allocate JobId={job:int} NodeList={list:word}",
     {"[2026-03-01T12:00:01.123] sched: Allocate JobId=4711 NodeList=n[1-4] #CPUs=768 Partition=train"}},
    {"_slurm_rpc_submit_batch_job: JobId={job:int} ",
     {"[2026-03-01T12:00:01.123] _slurm_rpc_submit_batch_job: JobId=4711 InitPrio=4294901 usec=412"}},
    {"launch task StepId={job:word} request", {"launch task StepId=4711.0 request from UID:1000 GID:1000"}},
    {"_job_complete: JobId={job:int} done", {"[2026-03-01T12:00:01.123] _job_complete: JobId=4711 done"}},
};

constexpr const char* kDaemon = "look at slurmd.log, the kernel log (dmesg -T) and nvidia-smi -L there";
const EventForm kSlurmdForms[] = {
    {{"Node configuration differs from hardware{what}",
      {"error: Node configuration differs from hardware: CPUs=192:96(hw) Boards=1:1(hw)"}},
     "slurm/hardware",
     Origin::Hardware,
     Severity::Fault,
     "its hardware differs from what Slurm expects",
     kDaemon},
    {{"health_check failed: {why}",
      {"error: health_check failed: rc:256 output:ERROR:  nhc:  Health check failed:  check_fs"}},
     "slurm/health check",
     Origin::Unclear,
     Severity::Fault,
     "a health check failed",
     kDaemon},
    {{"slurmstepd is not responding",
      {"error: Waiting for JobId=4711 REQUEST_KILL_JOB: slurmstepd is not responding"}},
     "slurm/stuck",
     Origin::Unclear,
     Severity::Warning,
     "a job's daemon is not responding",
     kDaemon},
};
const std::vector<LineForm> kSlurmdLines = forms_of(kSlurmdForms);

}  // namespace

const Format
    kSlurmd{"slurmd log", "cluster", kSlurmdLines, Shape::Lines, make<EventLines<kSlurmdForms>>, nullptr};

const Format kSlurmctld{
    "slurmctld log",
    "cluster",
    kSlurmctldForms,
    Shape::Lines,
    make<Reader>,
    nullptr,
    {},
    "nodes that Slurm lost"};

}  // namespace lento::desk
