"""Schedulers and the hardware under them: sinfo, srun, kubectl, ipmitool, nvme, lctl. Formats after the manual pages of Slurm 23,
the Kubernetes reference, node-problem-detector, ipmitool 1.8, nvme-cli 2 and the sources of Lustre 2.12. Values are drawn."""
HEALTHY, OPEN = "healthy", "open"


def hosts(draw, count):
    stem = draw.choice(["gpu", "node", "h100-", "worker-", "dgx"])
    first = draw.randint(1, 80)
    return [f"{stem}{number:03d}" for number in range(first, first + count)]


def sinfo(draw, fault):
    names = hosts(draw, 12)
    bad = draw.choice(names)
    lines = ["Fri Nov 20 09:12:31 2026",
             "NODELIST   NODES PARTITION       STATE CPUS    S:C:T MEMORY TMP_DISK WEIGHT AVAIL_FE REASON              "]
    for name in names:
        state, reason = draw.choice(["allocated", "mixed", "idle"]), "none"
        if fault and name == bad:
            state, reason = "down*", "Not responding"
        lines.append(f"{name:<10} {1:>5} {'train*':>9} {state:>11} 192    2:48:2 2063937        0      1   (null) {reason:<20}")
    return {"sinfo.txt": "\n".join(lines) + "\n"}, [bad] if fault else HEALTHY


def srun(draw, fault):
    names = hosts(draw, 4)
    bad, job = draw.choice(names[1:]), draw.randint(10000, 99999)
    lines = [f"iteration {i} done, loss {8 - i * 0.01:.3f}" for i in range(30)]
    if fault:
        lines += [f"srun: error: Node failure on {bad}",
                  f"slurmstepd: error: *** STEP {job}.0 ON {names[0]} CANCELLED AT 2026-11-20T09:40:02 DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***",
                  "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."]
        lines += [f"srun: error: {name}: task {at * 8}: Killed" for at, name in enumerate(names) if name != bad]
        return {f"slurm-{job}.out": "\n".join(lines) + "\n"}, [bad]
    lines += [f"slurmstepd: error: *** JOB {job} ON {names[0]} CANCELLED AT 2026-11-20T21:00:12 DUE TO TIME LIMIT ***",
              "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."]
    lines += [f"srun: error: {name}: tasks {at * 8}-{at * 8 + 7}: Terminated" for at, name in enumerate(names)]
    return {f"slurm-{job}.out": "\n".join(lines) + "\n"}, OPEN


def kubectl_nodes(draw, fault):
    names = hosts(draw, 9)
    bad = draw.choice(names)
    lines = ["NAME        STATUS                     ROLES    AGE    VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE             KERNEL-VERSION     CONTAINER-RUNTIME"]
    for at, name in enumerate(names):
        status = "NotReady" if fault and name == bad else "Ready,SchedulingDisabled" if at == 2 and name != bad else "Ready"
        lines.append(f"{name:<11} {status:<26} <none>   {draw.randint(20, 300)}d   v1.31.4   10.2.0.{at + 3}    <none>        Ubuntu 22.04.5 LTS   5.15.0-127-generic containerd://1.7.24")
    return {"nodes.txt": "\n".join(lines) + "\n"}, [bad] if fault else HEALTHY


def kubectl_describe(draw, fault):
    name = hosts(draw, 1)[0]
    reason, text = draw.choice([("GPUHasXidError", "NVRM: Xid 79 on GPU 5"), ("EccErrorsFound", "uncorrectable ECC errors on GPU 2"),
                                ("NVLinkDown", "NVLink 11 of GPU 6 is down")])
    kind = {"GPUHasXidError": "GpuXidError", "EccErrorsFound": "GpuEccError", "NVLinkDown": "GpuNvlinkError"}[reason]
    stamp = "Fri, 20 Nov 2026 09:02:11 +0000   Thu, 19 Nov 2026 22:15:40 +0000  "
    rows = [("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
            ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
            ("KernelDeadlock", "False", "KernelHasNoDeadlock", "kernel has no deadlock"),
            (kind, "True" if fault else "False", reason if fault else "NoProblem", text if fault else "no problem"),
            ("Ready", "True", "KubeletReady", "kubelet is posting ready status")]
    lines = [f"Name:               {name}", "Roles:              <none>", "Labels:             kubernetes.io/arch=amd64",
             f"                    kubernetes.io/hostname={name}", "Taints:             <none>", "Unschedulable:      false", "Conditions:",
             "  Type             Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message",
             "  ----             ------  -----------------                 ------------------                ------                       -------"]
    lines += [f"  {a:<16} {b:<7} {stamp}{c:<28} {d}" for a, b, c, d in rows]
    lines += ["Addresses:", "  InternalIP:  10.2.0.7", f"  Hostname:    {name}", "Capacity:", "  cpu:             192", "  nvidia.com/gpu:  8"]
    return {"describe.txt": "\n".join(lines) + "\n"}, [name] if fault else HEALTHY


def ipmi_sel(draw, fault):
    names = hosts(draw, 3)
    bad = draw.choice(names)
    worst = draw.choice(["Power Supply PS2 Status | Power Supply AC lost | Asserted", "Memory DIMM_B2 | Uncorrectable ECC (UnCorrectable ECC |  DIMM_B2) | Asserted",
                         "Fan FAN3 | Lower Critical going low  | Asserted | Reading 0 < Threshold 1200 RPM"])
    files = {}
    for name in names:
        lines = ["   1 | 10/02/2026 | 08:01:12 | Event Logging Disabled SEL | Log area reset/cleared | Asserted",
                 "   2 | 10/02/2026 | 08:14:55 | System Boot Initiated BIOS | Initiated by power up | Asserted",
                 "   3 | 11/03/2026 | 02:00:00 | OS Boot | C: boot completed | Asserted"]
        if fault and name == bad:
            lines.append(f"   4 | 11/20/2026 | 07:{draw.randint(10, 59)}:31 | {worst}")
        files[f"{name}.sel"] = "\n".join(lines) + "\n"
    return files, [bad] if fault else HEALTHY


def nvme_smart(draw, fault):
    names = hosts(draw, 5)
    bad = draw.choice(names)
    files = {}
    for name in names:
        ill = fault and name == bad
        errors = draw.randint(12, 900) if ill else 0
        files[f"{name}.smart"] = (
            "Smart Log for NVME device:nvme0n1 namespace-id:ffffffff\n"
            f"critical_warning                        : {'0x4' if ill else '0'}\n"
            f"temperature                             : {draw.randint(33, 52)}°C (315 Kelvin)\n"
            f"available_spare                         : {draw.randint(1, 6) if ill else 100}%\n"
            "available_spare_threshold               : 10%\n"
            f"percentage_used                         : {draw.randint(2, 30)}%\n"
            f"power_on_hours                          : {draw.randint(900, 20000)}\n"
            f"unsafe_shutdowns                        : {draw.randint(2, 60)}\n"
            f"media_errors                            : {errors}\n"
            f"num_err_log_entries                     : {errors}\n"
            "Warning Temperature Time                : 0\n"
            "Critical Composite Temperature Time     : 0\n")
    return files, [bad] if fault else HEALTHY


def lustre_import(draw, fault):
    """lctl get_param osc.*.import on one client: one target answers slowly or is lost. An idle target has an average of few requests."""
    count, first, stem = draw.randint(6, 12), draw.randint(1, 99), draw.choice(["scratch", "lustre", "home"])
    bad = draw.randrange(count)
    idle = draw.choice([at for at in range(count) if at != bad])
    lost = draw.random() < 0.5
    text = ""
    for at in range(count):
        name, usual = f"{stem}-OST{at:04x}", draw.randint(700, 950)
        state = "IDLE" if at == idle else draw.choice(["DISCONN", "EVICTED", "CONNECTING"]) if fault and lost and at == bad else "FULL"
        wait = draw.randint(200000, 700000) if at == idle else usual * draw.randint(12, 60) if fault and not lost and at == bad else usual
        server = f"10.9.0.{first + at // 2}@o2ib"
        text += (f"osc.{name}-osc-ffff8800a1b2c000.import=\nimport:\n    name: {name}-osc-ffff8800a1b2c000\n    target: {name}_UUID\n    state: {state}\n"
                 "    connect_flags: [ write_grant, server_lock, version, adaptive_timeouts, lvb_type ]\n    connect_data:\n       flags: 0xa0425af2e3440478\n"
                 "       instance: 1\n       target_version: 2.12.7.0\n       initial_grant: 8437760\n       max_brw_size: 4194304\n"
                 f"    import_flags: [ replayable, pingable, connect_tried ]\n    connection:\n       failover_nids: [ {server} ]\n       current_connection: {server}\n"
                 f"       connection_attempts: {draw.randint(1, 3)}\n       generation: 1\n       in-progress_invalidations: 0\n       idle: {draw.randint(0, 19)} sec\n"
                 f"    rpcs:\n       inflight: {draw.randint(0, 8)}\n       unregistering: 0\n       timeouts: 0\n       avg_waittime: {wait} usec\n"
                 "    service_estimates:\n       services: 5 sec\n       network: 1 sec\n    transactions:\n       last_replay: 0\n       peer_committed: 0\n       last_checked: 0\n")
    return {"imports.txt": text}, [f"{stem}-OST{bad:04x}"] if fault else HEALTHY


CASES = [sinfo, srun, kubectl_nodes, kubectl_describe, ipmi_sel, nvme_smart, lustre_import]
