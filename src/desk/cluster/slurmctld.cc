// The log of Slurm's controller. Its lines about nodes that are lost are read by the launcher's forms
// (launcher.cc). These name no fault: they make a log known, so that one without a lost node is an all-clear.
//
// Source: slurmctld of Slurm 20.11 to 25.05.
#include "desk/cluster/cluster.h"

namespace lento::desk {
namespace {

const LineForm kSlurmctldForms[] = {
    {"sched: Allocate JobId={job:int} NodeList={list:word}",
     {"[2026-03-01T12:00:01.123] sched: Allocate JobId=4711 NodeList=n[1-4] #CPUs=768 Partition=train"}},
    {"_slurm_rpc_submit_batch_job: JobId={job:int} ",
     {"[2026-03-01T12:00:01.123] _slurm_rpc_submit_batch_job: JobId=4711 InitPrio=4294901 usec=412"}},
    {"_job_complete: JobId={job:int} done", {"[2026-03-01T12:00:01.123] _job_complete: JobId=4711 done"}},
};

}  // namespace

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
