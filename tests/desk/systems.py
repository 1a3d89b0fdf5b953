"""What machines and their services write: journals in three output formats, syslog of drivers, and tools that print pairs, tables,
counters and pages. Formats after systemd's journal export format, rasdaemon, GHES records of Linux (drivers/firmware/efi/cper.c), LBNL
NHC, MFT's mlxlink, iproute2 (rdma), libibverbs, ethtool, sysstat, nfs-utils, numactl, chrony, Slurm, Kubernetes, smartctl_exporter.
Each case returns files, the right parts and, for a planted fault, a fact that the answer must contain. Values are drawn."""
import json

from desk.cluster import HEALTHY, OPEN, hosts


def one_of(draw, count, fault):
    names = hosts(draw, count)
    return names, draw.choice(names) if fault else None


def bus(draw):
    return f"0000:{draw.choice(['17', '3d', '5e', '86', 'ab', 'd8'])}:00.0"


CHATTER = ["audit: backlog limit exceeded", "nvidia-uvm: Loaded the UVM driver, major device number 511.", "IPv6: ADDRCONF(NETDEV_CHANGE): ib0: link becomes ready", "EXT4-fs (nvme0n1p2): mounted filesystem with ordered data mode", "nvme nvme0: 32/0/0 default/read/poll queues", "perf: interrupt took too long (2511 > 2500), lowering kernel.perf_event_max_sample_rate to 79000"]


def entries(draw, names, bad, message):
    """Times, hosts and kernel messages in order."""
    at, out = 1795000000 + draw.randrange(10**6), []
    for _ in range(40):
        at += draw.randint(1, 90)
        out.append((at, draw.choice(names), draw.choice(CHATTER)))
    if bad:
        out += [(at + 3 + i, bad, text) for i, text in enumerate(message)]
    return out


def journal_json(draw, fault):
    names, bad = one_of(draw, 4, fault)
    gpu = bus(draw)
    rows = [{"__CURSOR": f"s=9a;i={i:x}", "__REALTIME_TIMESTAMP": str(at * 10**6 + 17), "__MONOTONIC_TIMESTAMP": str(i * 10**6), "_BOOT_ID": "5d1f", "_TRANSPORT": "kernel", "PRIORITY": "4", "SYSLOG_FACILITY": "0", "SYSLOG_IDENTIFIER": "kernel", "_HOSTNAME": host, "MESSAGE": text}
            for i, (at, host, text) in enumerate(entries(draw, names, bad, [f"NVRM: Xid (PCI:{gpu[:-2]}): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."]))]
    return {"kernel.json": "".join(json.dumps(row) + "\n" for row in rows)}, [f"^{bad}/"] if fault else HEALTHY, "fall|fell"


def journal_export(draw, fault):
    names, bad = one_of(draw, 3, fault)
    gpu = bus(draw)
    text = "".join(f"__CURSOR=s=4f;i={i:x}\n__REALTIME_TIMESTAMP={at * 10**6}\n__MONOTONIC_TIMESTAMP={i * 10**6}\n_TRANSPORT=kernel\nPRIORITY=4\nSYSLOG_IDENTIFIER=kernel\nMESSAGE={message}\n_HOSTNAME={host}\n\n"
                   for i, (at, host, message) in enumerate(entries(draw, names, bad, [f"mlx5_core {gpu}: poll_health:800:(pid 0): device's health compromised - reached miss count"])))
    return {"journal.export": text}, [f"^{bad}/.*{gpu[5:7]}"] if fault else HEALTHY, "firmware"


def syslog_ghes(draw, fault):
    """/var/log/messages with ISO times; a memory error that the platform firmware reports as recoverable, one that was corrected elsewhere."""
    names, bad = one_of(draw, 3, fault)
    other = draw.choice(names)
    slot = draw.choice("ABCDEFGH") + str(draw.randint(1, 2))

    def record(kind, fru, number):
        head = [f"{{{number}}}[Hardware Error]: Hardware error from APEI Generic Hardware Error Source: 4"] + ([f"{{{number}}}[Hardware Error]: It has been corrected by h/w and requires no further action"] if kind == "corrected" else [])
        return head + [f"{{{number}}}[Hardware Error]: event severity: {kind}", f"{{{number}}}[Hardware Error]:  Error 0, type: {kind}", f"{{{number}}}[Hardware Error]:  fru_text: {fru}", f"{{{number}}}[Hardware Error]:   section_type: memory error", f"{{{number}}}[Hardware Error]:   physical_address: 0x000000{draw.getrandbits(36):09x}", f"{{{number}}}[Hardware Error]:   error_type: {'2, single-bit ECC' if kind == 'corrected' else '3, multi-bit ECC'}"]

    rows = entries(draw, names, bad, record("recoverable", slot, 2))
    at = rows[20][0]
    rows[21:21] = [(at, other, text) for text in record("corrected", "C1", 1)]
    stamp = lambda at: f"2026-11-{17 + at // 86400 % 9:02d}T{at // 3600 % 24:02d}:{at // 60 % 60:02d}:{at % 60:02d}.{draw.randint(100000, 999999)}+01:00"
    return {"messages": "".join(f"{stamp(at)} {host} kernel: [{at % 10**6}.113121] {text}\n" for at, host, text in rows)}, [f"^{bad}"] if fault else HEALTHY, "memory"


def journal_disks(draw, fault):
    """A local NVMe disk that goes away, as journalctl -o short-precise prints it, a file a host."""
    names, bad = one_of(draw, 4, fault)
    disk = draw.randint(1, 7)
    files = {}
    for name in names:
        rows = entries(draw, [name], name if name == bad else None, [f"nvme nvme{disk}: controller is down; will reset: CSTS=0xffffffff, PCI_STATUS=0x10", f"nvme nvme{disk}: Removing after probe failure status: -19", f"blk_update_request: I/O error, dev nvme{disk}n1, sector {draw.randrange(10**9)} op 0x1:(WRITE) flags 0x800 phys_seg 2 prio class 0", f"Buffer I/O error on dev nvme{disk}n1, logical block {draw.randrange(10**8)}, lost async page write"])
        files[f"{name}.journal"] = "-- Journal begins at Mon 2026-11-02 08:11:21 CET, ends at Fri 2026-11-20 09:33:01 CET. --\n" + "".join(f"Nov 20 {at // 3600 % 24:02d}:{at // 60 % 60:02d}:{at % 60:02d}.{draw.randint(100000, 999999)} {host} kernel: {text}\n" for at, host, text in rows)
    return files, [f"^{bad}"] if fault else HEALTHY, "nvme"


def drivers(draw, fault):
    """Links that flap in the kernel log: bnxt_en, ice, irdma; a single planned down and up at boot is nobody's fault."""
    names, bad = one_of(draw, 4, fault)
    kind = draw.choice(["bnxt", "ice", "irdma"])
    port = f"ens{draw.randint(1, 9)}f0np0"
    pci = bus(draw)
    message = {"bnxt": [f"bnxt_en {pci} {port}: NIC Link is Down", f"bnxt_en {pci} {port}: NIC Link is Up, 100000 Mbps full duplex, Flow control: none", f"bnxt_en {pci} {port}: FEC autoneg off encoding: RS"],
               "ice": [f"ice {pci} {port}: NIC Link is Down", f"ice {pci} {port}: NIC Link is up 100 Gbps Full Duplex, Requested FEC: RS-FEC, Negotiated FEC: RS-FEC, Autoneg Advertised: Off, Autoneg Negotiated: False, Flow Control: None"],
               "irdma": [f"irdma {pci}: Abnormal AE occurred, qp_id=12 ae_id=0x0504", f"ice {pci} {port}: NIC Link is Down", f"ice {pci} {port}: NIC Link is up 100 Gbps Full Duplex, Flow Control: None"]}[kind]
    rows = entries(draw, names, bad, message * draw.randint(4, 9))
    rows[:0] = [(rows[0][0] - 60, name, f"{'bnxt_en' if kind == 'bnxt' else 'ice'} {pci} {port}: NIC Link is {'Up, 100000 Mbps full duplex, Flow control: none' if kind == 'bnxt' else 'up 100 Gbps Full Duplex, Flow Control: None'}") for name in names]
    return {"syslog": "".join(f"Nov 20 {at // 3600 % 24:02d}:{at // 60 % 60:02d}:{at % 60:02d} {host} kernel: [{at % 10**6}.004211] {text}\n" for at, host, text in rows)}, [f"^{bad}"] if fault else HEALTHY, port + "|" + pci


def ras_errors(draw, fault):
    """ras-mc-ctl --error-count of each host. Corrected errors are ordinary, uncorrected ones are not."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        ill = draw.randrange(8) if name == bad else -1
        files[f"{name}.ras"] = "Label               \tCE\tUE\n" + "".join(f"CPU{at // 4}_DIMM_{'ABCD'[at % 4]}1         \t{draw.choice([0, 0, 0, 1])}\t{draw.randint(1, 4) if at == ill else 0}\n" for at in range(8))
    return files, [f"^{bad}"] if fault else HEALTHY, "UE|ncorrect"


def nhc(draw, fault):
    names, bad = one_of(draw, 6, fault)
    why = draw.choice(["check_hw_ib:  No IB port mlx5_3:1 is ACTIVE (LinkUp 400 Gb/sec).", "check_fs_mount:  /scratch not mounted", "check_hw_physmem:  Actual RAM size (1056561236 kB) less than minimum allowed (2113122472 kB)."])
    text = ""
    for at, name in enumerate(names):
        text += f"20261120 09:{at:02d}:11 [slurm] /usr/libexec/nhc/node-mark-{'offline' if name == bad else 'online'} {name}\n" + (f"{name}: ERROR:  nhc:  Health check failed:  {why}\n" if name == bad else f"{name}: NHC: check passed\n")
    return {"nhc.log": text}, [f"^{bad}"] if fault else HEALTHY, why.split(":")[0]


def mlxlink(draw, fault):
    names, bad = one_of(draw, 6, fault)
    how = draw.choice(["ber", "state"])
    files = {}
    for name in names:
        ill = name == bad
        down = ill and how == "state"
        ber = f"{draw.randint(2, 9)}E-0{draw.randint(6, 7)}" if ill else "15E-255"
        files[f"{name}.mlxlink"] = f"\nOperational Info\n----------------\nState                              : {'Polling' if down else 'Active'}\nPhysical state                     : {'ETH_AN_FSM_ENABLE' if down else 'LinkUp'}\nSpeed                              : {'N/A' if down else 'IB-NDR'}\nWidth                              : {'N/A' if down else '4x'}\nFEC                                : {'N/A' if down else 'Standard_RS-FEC - (544,514)'}\nLoopback Mode                      : No Loopback\nAuto Negotiation                   : ON\n\nSupported Info\n--------------\nEnabled Link Speed                 : 0x000000c1 (NDR,HDR,SDR)\n\nTroubleshooting Info\n--------------------\nStatus Opcode                      : {'15' if down else '0'}\nGroup Opcode                       : {'PHY FW' if down else 'N/A'}\nRecommendation                     : {'Bad signal integrity' if down else 'No issue was observed'}\n\nPhysical Counters and BER Info\n------------------------------\nTime Since Last Clear [Min]        : {draw.uniform(900, 9000):.1f}\nEffective Physical Errors          : {draw.randint(9000, 90000) if ill else 0}\nEffective Physical BER             : {ber}\nRaw Physical BER                   : {draw.randint(1, 9)}E-{'05' if ill else '10'}\nLink Down Counter                  : {draw.randint(5, 30) if ill else 0}\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "BER|Errors|Down|Polling|integrity"


def rdma_statistic(draw, fault):
    names, bad = one_of(draw, 4, fault)
    port = draw.randrange(8)
    files = {}
    for name in names:
        files[f"{name}.rdma"] = "".join(f"link mlx5_{at}/1 rx_write_requests {draw.randint(10**8, 2 * 10**8)} rx_read_requests {draw.randint(10, 90)} rx_atomic_requests 0 out_of_buffer 0 out_of_sequence {draw.randint(20000, 90000) if name == bad and at == port else 0} duplicate_request 0 rnr_nak_retry_err 0 packet_seq_err {draw.randint(20000, 90000) if name == bad and at == port else 0} implied_nak_seq_err 0 local_ack_timeout_err {draw.randint(300, 900) if name == bad and at == port else 0} resp_local_length_error 0 req_cqe_error 0 roce_adp_retrans 0\n" for at in range(8))
    return files, [f"^{bad}/mlx5_{port}|^{bad}.*mlx5_{port}"] if fault else HEALTHY, "seq|timeout"


def ibv_devinfo(draw, fault):
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        text = ""
        ill = draw.randrange(4) if name == bad else -1
        for card in range(4):
            down = card == ill
            text += f"hca_id:\tmlx5_{card}\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t28.39.2048\n\tnode_guid:\t\t\t{draw.getrandbits(16):04x}:7003:00e4:{draw.getrandbits(16):04x}\n\tvendor_id:\t\t\t0x02c9\n\tphys_port_cnt:\t\t\t1\n\t\tport:\t1\n\t\t\tstate:\t\t\t{'PORT_DOWN (1)' if down else 'PORT_ACTIVE (4)'}\n\t\t\tmax_mtu:\t\t4096 (5)\n\t\t\tactive_mtu:\t\t4096 (5)\n\t\t\tsm_lid:\t\t\t1\n\t\t\tport_lid:\t\t{0 if down else draw.randint(2, 900)}\n\t\t\tport_lmc:\t\t0x00\n\t\t\tlink_layer:\t\tInfiniBand\n\n"
        files[f"{name}.devinfo"] = text
        if name == bad:
            right = f"^{bad}.*mlx5_{ill}"
    return files, [right] if fault else HEALTHY, "DOWN|down"


def ethtool_plain(draw, fault):
    names, bad = one_of(draw, 6, fault)
    how = draw.choice(["speed", "link"])
    files = {}
    for name in names:
        ill = name == bad
        speed = "25000Mb/s" if ill and how == "speed" else "Unknown!" if ill else "100000Mb/s"
        files[f"{name}.txt"] = f"Settings for ens1f0np0:\n\tSupported ports: [ Backplane ]\n\tSupported link modes:   25000baseCR/Full\n\t                        100000baseCR4/Full\n\tSupported pause frame use: Symmetric\n\tSupports auto-negotiation: Yes\n\tAdvertised auto-negotiation: Yes\n\tSpeed: {speed}\n\tDuplex: {'Unknown! (255)' if ill and how == 'link' else 'Full'}\n\tAuto-negotiation: on\n\tPort: Direct Attach Copper\n\tPHYAD: 0\n\tTransceiver: internal\n\tWake-on: d\n\tLink detected: {'no' if ill and how == 'link' else 'yes'}\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "25|no|Unknown|down"


def sar_cpu(draw, fault):
    """sar -u of six hosts: one waits for its disks all the time. A busy host is no fault."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        text = f"Linux 5.15.0-127-generic ({name}) \t11/20/2026 \t_x86_64_\t(192 CPU)\n\n09:00:01 AM     CPU     %user     %nice   %system   %iowait    %steal     %idle\n"
        total = [0.0, 0.0, 0.0, 0.0]
        for at in range(12):
            wait = draw.uniform(55, 70) if name == bad else draw.uniform(0, 0.2)
            user = draw.uniform(8, 12)
            system = draw.uniform(1, 2)
            total = [a + b for a, b in zip(total, [user, system, wait, 100 - user - system - wait])]
            text += f"09:{at * 5 + 5:02d}:01 AM     all     {user:5.2f}      0.00     {system:5.2f}     {wait:5.2f}      0.00     {100 - user - system - wait:5.2f}\n"
        user, system, wait, idle = [value / 12 for value in total]
        files[f"{name}.sar"] = text + f"Average:        all     {user:5.2f}      0.00     {system:5.2f}     {wait:5.2f}      0.00     {idle:5.2f}\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "iowait"


def nfsiostat(draw, fault):
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        slow = draw.uniform(9, 20) if name == bad else 1
        rtt = draw.uniform(0.9, 1.1) * slow
        files[f"{name}.nfs"] = f"\nfiler:/data mounted on /data:\n\n           ops/s       rpc bklog\n         {draw.uniform(900, 1000) / slow:.3f}           0.000\n\nread:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)  avg queue (ms)          errors\n                 {draw.uniform(800, 900) / slow:.3f}       {draw.uniform(80000, 90000) / slow:.3f}         100.000        0 (0.0%)           {rtt:.3f}           {rtt * 1.04:.3f}           0.011        0 (0.0%)\nwrite:             ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)  avg queue (ms)          errors\n                  {draw.uniform(80, 90) / slow:.3f}        {draw.uniform(8000, 9000) / slow:.3f}         100.000        0 (0.0%)           {rtt * 1.3:.3f}           {rtt * 1.35:.3f}           0.013        0 (0.0%)\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "RTT|exe"


def numactl_hardware(draw, fault):
    """A host that lost the memory of one socket."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        size = draw.choice([0, 515874]) if name == bad else 1031748
        cpus = [" ".join(str(cpu) for cpu in range(node * 48, node * 48 + 48)) for node in range(2)]
        files[f"{name}.numa"] = f"available: 2 nodes (0-1)\nnode 0 cpus: {cpus[0]}\nnode 0 size: 1031700 MB\nnode 0 free: {draw.randint(700000, 900000)} MB\nnode 1 cpus: {cpus[1]}\nnode 1 size: {size} MB\nnode 1 free: {0 if size == 0 else draw.randint(size // 2, size - 9)} MB\nnode distances:\nnode   0   1\n  0:  10  21\n  1:  21  10\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "size"


def chrony(draw, fault):
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        ill = name == bad
        offset = draw.uniform(2, 40) if ill else draw.uniform(2e-6, 8e-6)
        files[f"{name}.chrony"] = f"Reference ID    : {'7F7F0101 ()' if ill else '0A020001 (ntp1)'}\nStratum         : {10 if ill else 3}\nRef time (UTC)  : Fri Nov 20 09:{draw.randint(10, 50)}:11 2026\nSystem time     : {offset:.9f} seconds {draw.choice(['slow', 'fast'])} of NTP time\nLast offset     : {draw.choice('+-')}{offset / 2:.9f} seconds\nRMS offset      : {offset / 1.5:.9f} seconds\nFrequency       : {draw.uniform(3, 20):.3f} ppm slow\nRoot delay      : {draw.uniform(1e-4, 2e-4):.9f} seconds\nLeap status     : {'Not synchronised' if ill else 'Normal'}\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "synchronised|offset|time|tratum"


def sinfo_reasons(draw, fault):
    """sinfo -R: a drained node with a reason of hardware; when healthy, nodes that an operator reserved."""
    names, bad = one_of(draw, 4, fault)
    text = "REASON               USER      TIMESTAMP           NODELIST\n"
    if fault:
        text += f"{draw.choice(['NHC: check_xid_error', 'gpu ecc uncorrectabl', 'Low RealMemory (rep', 'Kill task failed    ', 'IB port down        ']):<20} slurm     2026-11-20T08:{draw.randint(10, 59)}:11 {bad}\n"
    text += f"{'reserved for class':<20} root      2026-11-18T10:11:12 {names[0] if names[0] != bad else names[1]}\n"
    return {"reasons.txt": text}, [f"^{bad}"] if fault else OPEN, "check|ecc|RealMemory|Kill|IB|gpu"


def kubectl_json(draw, fault):
    """kubectl get nodes -o json with the conditions of node-problem-detector."""
    names, bad = one_of(draw, 5, fault)
    what = draw.choice(["Ready", "KernelDeadlock", "XidError"])
    items = []
    for name in names:
        ill = name == bad
        conditions = [("MemoryPressure", "False", "KubeletHasSufficientMemory"), ("DiskPressure", "False", "KubeletHasNoDiskPressure"), ("KernelDeadlock", "True" if ill and what == "KernelDeadlock" else "False", "DockerHung" if ill and what == "KernelDeadlock" else "KernelHasNoDeadlock"), ("XidError", "True" if ill and what == "XidError" else "False", "XidErrorFound" if ill and what == "XidError" else "NoXidError"), ("Ready", "Unknown" if ill and what == "Ready" else "True", "NodeStatusUnknown" if ill and what == "Ready" else "KubeletReady")]
        items.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name}}, "status": {"allocatable": {"nvidia.com/gpu": "8"}, "conditions": [{"type": a, "status": b, "reason": c, "message": c, "lastTransitionTime": "2026-11-20T08:31:12Z"} for a, b, c in conditions]}})
    return {"nodes.json": json.dumps({"apiVersion": "v1", "items": items, "kind": "List"}, indent=4) + "\n"}, [f"^{bad}"] if fault else HEALTHY, what + "|NodeStatusUnknown|not ready"


def smart_exporter(draw, fault):
    """A page of smartctl_exporter a host."""
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        ill = draw.randrange(4) if name == bad else -1
        text = "# HELP smartctl_device_smart_status General smart status\n# TYPE smartctl_device_smart_status gauge\n" + "".join(f'smartctl_device_smart_status{{device="nvme{at}"}} {0 if at == ill else 1}\n' for at in range(4))
        text += "# HELP smartctl_device_media_errors Contains the number of occurrences where the controller detected an unrecovered data integrity error\n# TYPE smartctl_device_media_errors counter\n" + "".join(f'smartctl_device_media_errors{{device="nvme{at}"}} {draw.randint(20, 900) if at == ill else 0}\n' for at in range(4))
        text += "# HELP smartctl_device_temperature Device temperature celsius\n# TYPE smartctl_device_temperature gauge\n" + "".join(f'smartctl_device_temperature{{device="nvme{at}",temperature_type="current"}} {draw.randint(33, 41)}\n' for at in range(4))
        files[f"{name}.prom"] = text
    return files, [f"^{bad}"] if fault else HEALTHY, "smart_status|media_errors|media errors|smart status"


def gpu_list(draw, fault):
    """nvidia-smi -L of six hosts: one lists a GPU less."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        gone = draw.randrange(8) if name == bad else -1
        files[f"{name}.gpus"] = "".join(f"GPU {at}: NVIDIA H200 (UUID: GPU-{draw.getrandbits(32):08x}-{draw.getrandbits(16):04x}-{draw.getrandbits(16):04x}-{draw.getrandbits(16):04x}-{draw.getrandbits(48):012x})\n" for at in range(8 - (gone >= 0)))
    return files, [f"^{bad}"] if fault else HEALTHY, "7"


def lscpu(draw, fault):
    """lscpu of six hosts: one booted with half of its processors."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        cpus = 96 if name == bad else 192
        files[f"{name}.lscpu"] = f"Architecture:            x86_64\n  CPU op-mode(s):        32-bit, 64-bit\n  Byte Order:            Little Endian\nCPU(s):                  {cpus}\n  On-line CPU(s) list:   0-{cpus - 1}\nVendor ID:               GenuineIntel\n  Model name:            Intel(R) Xeon(R) Platinum 8480C\n    Thread(s) per core:  {cpus // 96}\n    Core(s) per socket:  48\n    Socket(s):           2\n    CPU max MHz:         3800.0000\n    CPU min MHz:         800.0000\n    BogoMIPS:            4000.00\nNUMA:\n  NUMA node(s):          2\n  NUMA node0 CPU(s):     0-47\n  NUMA node1 CPU(s):     48-95\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "CPU|hread"


CASES = [journal_json, journal_export, syslog_ghes, journal_disks, drivers, ras_errors, nhc, mlxlink, rdma_statistic, ibv_devinfo, ethtool_plain, sar_cpu, nfsiostat, numactl_hardware, chrony, sinfo_reasons, kubectl_json, smart_exporter, gpu_list, lscpu]
