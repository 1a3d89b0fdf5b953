"""A third set of what systems write: nodes grouped by equal output, syslog of services, sensors and optics, interfaces and switches,
logs and lists of schedulers and containers, and counts of devices. Formats after the documentation of each tool. Each case returns
files, the right parts and a fact that the answer must contain."""
import json

from desk.cluster import HEALTHY, OPEN
from desk.systems import CHATTER, bus, one_of


def clush_groups(draw, fault):
    """clush -b: hosts with equal output are one group."""
    names, bad = one_of(draw, 8, fault)
    stem, numbers = names[0].rstrip("0123456789"), [name[-3:] for name in names if name != bad]
    ranges, run = [], [numbers[0]]
    for number in numbers[1:] + [None]:
        if number and int(number) == int(run[-1]) + 1:
            run.append(number)
            continue
        ranges.append(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}")
        run = [number]
    line = "-" * 15
    text = f"{line}\n{stem}[{','.join(ranges)}] ({len(numbers)})\n{line}\n\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n\t\tLnkSta:\tSpeed 32GT/s (ok), Width x16 (ok)\n"
    if fault:
        text += f"{line}\n{bad}\n{line}\n\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n\t\tLnkSta:\tSpeed {draw.choice(['32GT/s (ok), Width x8 (downgraded)', '8GT/s (downgraded), Width x16 (ok)'])}\n"
    return {"lnksta.txt": text}, [f"^{bad}"] if fault else HEALTHY, "x8|8 ?GT|downgraded"


def smartd(draw, fault):
    names, bad = one_of(draw, 4, fault)
    disk = draw.choice("bcde")
    text = ""
    for at in range(40):
        name = draw.choice(names)
        text += f"Nov 20 09:{at:02d}:11 {name} smartd[812]: Device: /dev/sd{draw.choice('bcde')} [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from {draw.randint(110, 118)} to {draw.randint(110, 118)}\n"
        if name == bad and at > 20 or at == 39 and bad:
            text += f"Nov 20 09:{at:02d}:12 {bad} smartd[812]: Device: /dev/sd{disk} [SAT], {draw.randint(8, 60)} Currently unreadable (pending) sectors\nNov 20 09:{at:02d}:12 {bad} smartd[812]: Device: /dev/sd{disk} [SAT], {draw.randint(8, 60)} Offline uncorrectable sectors\n"
    return {"syslog": text}, [f"^{bad}"] if fault else HEALTHY, "unreadable|uncorrectable"


def lustre(draw, fault):
    """Kernel log of Lustre clients; when healthy, one reconnection of all clients after a planned failover."""
    names, bad = one_of(draw, 4, fault)
    text = ""
    for at in range(30):
        text += f"Nov 20 09:{at:02d}:{draw.randint(10, 59)} {draw.choice(names)} kernel: {draw.choice(CHATTER)}\n"
    if fault:
        for at in range(5):
            text += f"Nov 20 10:{at:02d}:07 {bad} kernel: Lustre: scratch-OST0004-osc-ffff9f1c2b3d4000: Connection to scratch-OST0004 (at 10.9.0.14@o2ib) was lost; in progress operations using this service will wait for recovery to complete\nNov 20 10:{at:02d}:41 {bad} kernel: LustreError: 11-0: scratch-OST0004-osc-ffff9f1c2b3d4000: operation ost_read to node 10.9.0.14@o2ib failed: rc = -107\n"
    return {"kern.log": text}, [f"^{bad}"] if fault else HEALTHY, "OST0004|file server"


def sdr_elist(draw, fault):
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        ill = name == bad
        psu = draw.choice(["PS2 Status", "PS1 Status"]) if ill else ""
        rows = [("CPU1 Temp", "30h", "ok", "3.1", f"{draw.randint(48, 60)} degrees C"), ("Inlet Temp", "32h", "ok", "7.1", f"{draw.randint(20, 24)} degrees C")]
        rows += [(f"FAN{at}", f"{0x40 + at:02X}h", "ok", f"29.{at}", f"{draw.randint(88, 99) * 100} RPM") for at in range(1, 5)]
        rows += [(part, "C8h", "cr" if part == psu else "ok", "10.1", "Presence detected, Power Supply AC lost" if part == psu else "Presence detected") for part in ("PS1 Status", "PS2 Status")]
        files[f"{name}.sdr"] = "".join(f"{a:<16} | {b} | {c:<3} | {d:>5} | {e}\n" for a, b, c, d, e in rows)
    return files, [f"^{bad}"] if fault else HEALTHY, "PS[12]"


def sensors_json(draw, fault):
    """sensors -j"""
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        ill = draw.randrange(2) if name == bad else -1
        files[f"{name}.json"] = json.dumps({f"coretemp-isa-000{socket}": {"Adapter": "ISA adapter", f"Package id {socket}": {"temp1_input": draw.randint(99, 103) if socket == ill else draw.randint(50, 62), "temp1_max": 88.0, "temp1_crit": 98.0, "temp1_crit_alarm": 1.0 if socket == ill else 0.0}} for socket in range(2)}, indent=3) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "alarm|crit|limit"


def ethtool_module(draw, fault):
    """ethtool -m: the optics of one port receive nearly no light."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        ill = name == bad
        power = draw.uniform(0.0001, 0.0009) if ill else draw.uniform(0.8, 1.0)
        files[f"{name}.optics"] = f"\tIdentifier                                : 0x11 (QSFP28)\n\tConnector                                 : 0x0c (MPO Parallel Optic)\n\tVendor name                               : Mellanox\n\tModule temperature                        : {draw.uniform(38, 44):.2f} degrees C / {draw.uniform(100, 111):.2f} degrees F\n\tModule voltage                            : 3.2{draw.randint(60, 99)} V\n\tAlarm/warning flags implemented           : Yes\n\tLaser tx bias current (Channel 1)         : {draw.uniform(6.7, 6.9):.3f} mA\n\tRcvr signal avg optical power (Channel 1) : {power:.4f} mW\n\tModule temperature high alarm             : Off\n\tModule temperature low alarm              : Off\n\tLaser rx power low alarm                  : {'On' if ill else 'Off'}\n\tLaser rx power low warning                : {'On' if ill else 'Off'}\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "rx power|optical power"


def ifconfig(draw, fault):
    names, bad = one_of(draw, 8, fault)
    files = {}
    for name in names:
        errors = draw.randint(9000, 90000) if name == bad else 0
        packets = draw.randint(10**9, 2 * 10**9)
        files[f"{name}.ifconfig"] = f"ens1f0: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 9000\n        inet 10.2.0.{draw.randint(2, 200)}  netmask 255.255.0.0  broadcast 10.2.255.255\n        ether 94:6d:ae:{draw.randint(16, 99)}:{draw.randint(16, 99)}:01  txqueuelen 1000  (Ethernet)\n        RX packets {packets}  bytes {packets * 4000} ({packets * 4000 / 1e12:.1f} TB)\n        RX errors {errors}  dropped {draw.randint(0, 9)}  overruns 0  frame {errors}\n        TX packets {packets}  bytes {packets * 4100} ({packets * 4100 / 1e12:.1f} TB)\n        TX errors 0  dropped 0 overruns 0  carrier 0  collisions 0\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "errors|frame"


def netstat_i(draw, fault):
    names, bad = one_of(draw, 8, fault)
    files = {}
    for name in names:
        text = "Kernel Interface table\nIface             MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n"
        for port in ("ens1f0", "ens2f0"):
            text += f"{port:<16} 9000 {draw.randint(10**8, 2 * 10**8):>8} {draw.randint(9000, 90000) if name == bad and port == 'ens2f0' else 0:>6} {draw.randint(0, 4):>6} {0:>6} {draw.randint(10**8, 2 * 10**8):>8} {0:>6} {0:>6} {0:>6} BMRU\n"
        files[f"{name}.netstat"] = text
    return files, [f"^{bad}"] if fault else HEALTHY, "RX-ERR"


def arista(draw, fault):
    """show interfaces status: a port that the switch switched off after errors; ports without a cable are ordinary."""
    ill = draw.randint(1, 12)
    rows = ["Port       Name          Status       Vlan     Duplex Speed  Type            Flags Encapsulation"]
    for port in range(1, 17):
        status = "errdisabled" if fault and port == ill else "notconnect" if port > 12 else "connected"
        rows.append(f"Et{port}/1{'':<{6 - len(str(port))}} {'gpu%03d' % port:<13} {status:<12} 10       full   400G   400GBASE-CR8")
    return {"leaf-2.txt": "\n".join(rows) + "\n"}, [f"Et{ill}/1|gpu{ill:03d}"] if fault else HEALTHY, "errdisabled"


def remapped_csv(draw, fault):
    """nvidia-smi --query-remapped-rows=... --format=csv of four hosts."""
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        ill = draw.randrange(8) if name == bad else -1
        files[f"{name}.csv"] = "gpu_bus_id, remapped_rows.correctable, remapped_rows.uncorrectable, remapped_rows.pending, remapped_rows.failure\n" + "".join(f"00000000:{0x19 + gpu * 0x11:02X}:00.0, {draw.choice([0, 0, 1])}, {draw.randint(2, 9) if gpu == ill else 0}, 0, {1 if gpu == ill else 0}\n" for gpu in range(8))
        if ill >= 0:
            right = f"^{bad}.*{0x19 + ill * 0x11:02x}:00"
    return files, [right] if fault else HEALTHY, "remap|uncorrectable"


def slurmd(draw, fault):
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        text = "".join(f"[2026-11-20T{8 + at // 60:02d}:{at % 60:02d}:12.{draw.randint(100, 999)}] {draw.choice(['launch task StepId=%d.0 request from UID:1000' % draw.randint(1000, 9000), 'done with job', 'Slurmd started on Fri, 20 Nov 2026'])}\n" for at in range(0, 60, 3))
        if name == bad:
            text += f"[2026-11-20T09:01:12.{draw.randint(100, 999)}] error: {draw.choice(['Node configuration differs from hardware: CPUs=192:96(hw) Boards=1:1(hw)', 'health_check failed: rc:256 output:ERROR:  nhc:  Health check failed:  check_nv_gpu_count 8 returned 1', 'Waiting for JobId=4711 REQUEST_KILL_JOB: slurmstepd is not responding'])}\n"
        files[f"slurmd-{name}.log"] = text
    return files, [f"^{bad}"] if fault else HEALTHY, "error|differs|failed|responding|GPU|check"


def qstat_f(draw, fault):
    """qstat -f of Grid Engine: state au is a host whose daemon does not answer."""
    names, bad = one_of(draw, 6, fault)
    text = "queuename                      qtype resv/used/tot. load_avg arch          states\n"
    for name in names:
        text += "-" * 81 + f"\n{'gpu.q@' + name:<30} BIP   0/{draw.randint(0, 8)}/8          {'-NA-' if name == bad else '%.2f' % draw.uniform(1, 9):<8} lx-amd64      {'au' if name == bad else ''}\n"
    return {"qstat.txt": text}, [bad] if fault else HEALTHY, "au|answer"


def daemonset(draw, fault):
    """kubectl get daemonset: a pod is missing, and which node it is on is not there."""
    rows = ["NAMESPACE      NAME                           DESIRED   CURRENT   READY   UP-TO-DATE   AVAILABLE   NODE SELECTOR   AGE"]
    count = draw.randint(12, 40)
    sets = ["nvidia-device-plugin-daemonset", "nvidia-dcgm-exporter", "network-operator-rdma", "node-exporter"]
    ill = draw.choice(sets) if fault else None
    for name in sets:
        ready = count - draw.randint(1, 2) if name == ill else count
        rows.append(f"gpu-operator   {name:<30} {count:<9} {count:<9} {ready:<7} {count:<12} {ready:<11} <none>          41d")
    return {"ds.txt": "\n".join(rows) + "\n"}, OPEN if fault else HEALTHY, ""


def docker_ps(draw, fault):
    names, bad = one_of(draw, 3, fault)
    files = {}
    for name in names:
        ill = name == bad
        rows = ["CONTAINER ID   IMAGE                         COMMAND                  CREATED       STATUS                      NAMES"]
        for image, container in (("dcgm-exporter:4.1", "dcgm-exporter"), ("node-exporter:1.8", "node-exporter"), ("triton:25.03", "serving")):
            status = draw.choice(["Exited (137) 2 hours ago", "Up 3 days (unhealthy)", "Restarting (1) 4 seconds ago"]) if ill and container == "serving" else "Up 3 days (healthy)"
            rows.append(f"{draw.getrandbits(48):012x}   {image:<29} \"/opt/entrypoint\"        3 days ago    {status:<27} {container}")
        files[f"{name}.ps"] = "\n".join(rows) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "Exited|unhealthy|Restarting"


def supervisorctl(draw, fault):
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        files[f"{name}.supervisor"] = "".join(f"{program:<32} {draw.choice(['FATAL     Exited too quickly (process log may have details)', 'BACKOFF   Exited too quickly']) if name == bad and program == 'dcgm-exporter' else 'RUNNING   pid %d, uptime 12 days, 3:11:09' % draw.randint(1000, 9000)}\n" for program in ("dcgm-exporter", "fabricmanager", "node-exporter", "persistenced"))
    return files, [f"^{bad}"] if fault else HEALTHY, "dcgm-exporter|FATAL|BACKOFF"


def btrfs_stats(draw, fault):
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        text = ""
        for disk in range(4):
            ill = name == bad and disk == 2
            for counter in ("write_io_errs", "read_io_errs", "flush_io_errs", "corruption_errs", "generation_errs"):
                text += f"[/dev/nvme{disk}n1].{counter:<16} {draw.randint(200, 9000) if ill and counter in ('write_io_errs', 'corruption_errs') else 0}\n"
        files[f"{name}.btrfs"] = text
    return files, [f"^{bad}"] if fault else HEALTHY, "io_errs|corruption_errs"


def amd_list(draw, fault):
    """amd-smi list of six hosts: one lists a GPU less."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        files[f"{name}.list"] = "".join(f"GPU: {gpu}\n    BDF: 0000:{0x05 + gpu * 0x20:02x}:00.0\n    UUID: {draw.getrandbits(32):08x}-0000-1000-80c1-{draw.getrandbits(48):012x}\n    KFD_ID: {draw.randint(1000, 65000)}\n    NODE_ID: {gpu + 2}\n    PARTITION_ID: 0\n\n" for gpu in range(7 if name == bad else 8))
    return files, [f"^{bad}"] if fault else HEALTHY, "7"


def smi_lost(draw, fault):
    """nvidia-smi of four hosts: one cannot reach a GPU and prints a sentence instead of its table."""
    names, bad = one_of(draw, 4, fault)
    pci = bus(draw)
    files = {}
    for name in names:
        if name == bad:
            files[f"{name}.smi"] = f"Unable to determine the device handle for GPU{pci}: Unknown Error\n"
            continue
        rows = ["+-----------------------------------------------------------------------------------------+", "| NVIDIA-SMI 570.86.15              Driver Version: 570.86.15      CUDA Version: 12.8     |", "|-----------------------------------------+------------------------+----------------------+", "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |", "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |", "|                                         |                        |               MIG M. |", "|=========================================+========================+======================|"]
        for gpu in range(4):
            rows += [f"|   {gpu}  NVIDIA H100 80GB HBM3          On  |   00000000:{0x19 + gpu * 0x11:02X}:00.0 Off |                    0 |", f"| N/A   {draw.randint(52, 60)}C    P0            {draw.randint(640, 690)}W /  700W |   71211MiB /  81559MiB |    {draw.randint(97, 99)}%      Default |", "|                                         |                        |             Disabled |", "+-----------------------------------------+------------------------+----------------------+"]
        files[f"{name}.smi"] = "\n".join(rows) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "handle|reach|bus|unknown error"


def smi_fabric(draw, fault):
    """nvidia-smi -q, the part about the fabric: one GPU was never registered."""
    names, bad = one_of(draw, 3, fault)
    files = {}
    for name in names:
        ill = draw.randrange(4) if name == bad else -1
        text = "\n==============NVSMI LOG==============\n\nTimestamp                                 : Fri Nov 20 09:31:07 2026\nDriver Version                            : 570.86.15\nCUDA Version                              : 12.8\n\nAttached GPUs                             : 4\n"
        for gpu in range(4):
            text += f"GPU 00000000:{0x19 + gpu * 0x11:02X}:00.0\n    Product Name                          : NVIDIA H100 80GB HBM3\n    Fabric\n        State                             : {'In Progress' if gpu == ill else 'Completed'}\n        Status                            : {'N/A' if gpu == ill else 'Success'}\n"
        files[f"{name}.q"] = text
        if ill >= 0:
            right = f"^{bad}.*{0x19 + ill * 0x11:02x}:00"
    return files, [right] if fault else HEALTHY, "fabric"


def node_page(draw, fault):
    """Pages of node_exporter: uncorrectable memory errors of one host."""
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        ill = name == bad
        files[f"{name}.prom"] = "# HELP node_edac_correctable_errors_total Total correctable memory errors.\n# TYPE node_edac_correctable_errors_total counter\n" + "".join(f'node_edac_correctable_errors_total{{controller="{at}"}} {draw.choice([0, 1])}\n' for at in range(2)) + "# HELP node_edac_uncorrectable_errors_total Total uncorrectable memory errors.\n# TYPE node_edac_uncorrectable_errors_total counter\n" + "".join(f'node_edac_uncorrectable_errors_total{{controller="{at}"}} {draw.randint(1, 5) if ill and at else 0}\n' for at in range(2)) + f"# HELP node_load1 1m load average.\n# TYPE node_load1 gauge\nnode_load1 {draw.uniform(20, 24):.2f}\n# HELP node_memory_MemTotal_bytes Memory information field MemTotal_bytes.\n# TYPE node_memory_MemTotal_bytes gauge\nnode_memory_MemTotal_bytes 2.163837411328e+12\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "uncorrectable"


CASES = [clush_groups, smartd, lustre, sdr_elist, sensors_json, ethtool_module, ifconfig, netstat_i, arista, remapped_csv, slurmd, qstat_f, daemonset, docker_ps, supervisorctl, btrfs_stats, amd_list, smi_lost, smi_fabric, node_page]
