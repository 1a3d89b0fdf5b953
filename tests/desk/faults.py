"""Messages of programs and services when a part fails: CUDA errors, monitored barriers, soft lockups, the fabric manager, slurmctld,
PBS, pods of Kubernetes. Formats as these programs print them and public reports quote them (nccl 849, gpud). Values are drawn."""
from desk.cluster import HEALTHY, OPEN, hosts


def cuda_ecc(draw, fault):
    """One rank reports memory errors of its GPU, the others that a peer closed; or all report an illegal access: the program."""
    bad, lines = draw.randrange(8), [f"[rank{rank}]: step {step} loss {8 - step * 0.1:.3f}" for step in range(5) for rank in range(8)]
    if fault:
        lines += [f"[rank{bad}]: RuntimeError: CUDA error: uncorrectable ECC error encountered", f"[rank{bad}]: CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect."]
        return {"job.log": "\n".join(lines) + "\n"}, [f"rank {bad}$"]
    lines += [f"[rank{rank}]: RuntimeError: CUDA error: an illegal memory access was encountered" for rank in range(8)]
    return {"job.log": "\n".join(lines) + "\n"}, OPEN


def monitored_barrier(draw, fault):
    world, timeout = draw.choice([8, 16, 32]), draw.choice([300000, 1800000, 2000000])
    missing = [draw.randrange(1, world)] if fault else sorted(draw.sample(range(1, world), 4))
    ranks = ", ".join(map(str, missing))
    lines = ["Traceback (most recent call last):", '  File "/opt/train/main.py", line 211, in setup', "    dist.monitored_barrier(timeout=timeout, wait_all_ranks=True)",
             f"RuntimeError: [Rank 0]: Ranks {ranks} failed to pass monitoredBarrier in {timeout} ms"]
    return {"rank0.err": "\n".join(lines) + "\n"}, [f"rank {missing[0]}$"] if fault else OPEN


def soft_lockup(draw, fault):
    names = hosts(draw, 4)
    bad, files = draw.choice(names), {}
    for name in names:
        lines = [f"[{at * 31.5 + 500:.6f}] {draw.choice(['IPv6: ADDRCONF(NETDEV_CHANGE): cali12: link becomes ready', 'systemd-journald[811]: Received client request to flush runtime journal.', 'nvidia-peermem: loaded'])}" for at in range(30)]
        if fault and name == bad:
            cpu = draw.randrange(224)
            lines[20:20] = [f"[1130.552211] watchdog: BUG: soft lockup - CPU#{cpu} stuck for {draw.randint(22, 70)}s! [python3:{draw.randint(2000, 90000)}]", f"[1158.552218] watchdog: BUG: soft lockup - CPU#{cpu} stuck for {draw.randint(71, 99)}s! [python3:4711]"]
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def fabric_manager(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    for name in names:
        lines = [f"[Nov 20 2026 08:0{at}:12] [INFO] [tid {1800 + at}] {text}" for at, text in enumerate(["Fabric Manager version 550.127.08 is running with the following configuration options", "Successfully configured all the available NVSwitches to route GPU NVLink traffic.", "multicast group 0 is allocated.", "multicast group 0 is freed."])]
        if fault and name == bad:
            lines.append(f"[Nov 20 2026 09:14:07] [ERROR] [tid 841] detected NVSwitch fatal error {draw.choice([20034, 11004, 12030])} on fid 0 on NVSwitch pci bus id 00000000:{draw.choice(['85', '86', 'c4'])}:00.0 physical id {draw.randrange(4)} port {draw.randrange(64)}")
        files[f"{name}/fabricmanager.log"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def slurmctld(draw, fault):
    names = hosts(draw, 12)
    bad, job = draw.choice(names), draw.randint(40000, 90000)
    lines = []
    for at in range(20):
        lines += [f"[2026-11-20T09:{at:02d}:11.{draw.randint(100, 999)}] _slurm_rpc_submit_batch_job: JobId={job + at} InitPrio=4294901{draw.randint(100, 999)} usec={draw.randint(300, 900)}",
                  f"[2026-11-20T09:{at:02d}:12.{draw.randint(100, 999)}] sched: Allocate JobId={job + at} NodeList={draw.choice(names)} #CPUs=192 Partition=train",
                  f"[2026-11-20T09:{at:02d}:40.{draw.randint(100, 999)}] _job_complete: JobId={job + at} done"]
    if fault:
        lines += [f"[2026-11-20T09:21:00.104] error: Nodes {bad} not responding", f"[2026-11-20T09:25:00.233] error: Nodes {bad} not responding, setting DOWN", f"[2026-11-20T09:25:00.234] Killing JobId={job + 19} on failed node {bad}"]
    return {"slurmctld.log": "\n".join(lines) + "\n"}, [bad] if fault else HEALTHY


def pbsnodes(draw, fault):
    names = hosts(draw, 8)
    bad, lines = draw.choice(names), []
    for name in names:
        ill = fault and name == bad
        lines += [name, f"     Mom = {name}.cluster", "     ntype = PBS", f"     state = {'down' if ill else draw.choice(['free', 'job-exclusive'])}", "     pcpus = 128", "     resources_available.ngpus = 8", "     resources_assigned.ncpus = 0", f"     last_state_change_time = Fri Nov 20 0{draw.randint(1, 9)}:12:31 2026"]
        lines += ["     comment = node down: communication closed", ""] if ill else [""]
    return {"pbsnodes.txt": "\n".join(lines)}, [bad] if fault else HEALTHY


def pods(draw, fault):
    names = hosts(draw, 6)
    bad, lines = draw.choice(names), ["NAME                      READY   STATUS             RESTARTS        AGE     IP            NODE         NOMINATED NODE   READINESS GATES"]
    for at, name in enumerate(names):
        for pod in range(2):
            ill = fault and name == bad
            state = draw.choice(["UnexpectedAdmissionError", "ContainerStatusUnknown"]) if ill else "Running"
            lines.append(f"pretrain-worker-{at * 2 + pod:<9} {'0/1' if ill else '1/1'}     {state:<18} 0               {draw.randint(3, 20)}h     10.42.{at}.{pod + 5}     {name}       <none>           <none>")
    return {"pods.txt": "\n".join(lines) + "\n"}, [bad] if fault else HEALTHY


CASES = [cuda_ecc, monitored_barrier, soft_lockup, fabric_manager, slurmctld, pbsnodes, pods]
