"""Lines that people paste into issues about machines: kernel messages of GPUs that carry no Xid, of AMD's error architecture and of rings
that time out, states of links and slots, tables of GPUs in three vendors' forms, nodes and events of Kubernetes, counters of ports as
files, memory of NUMA nodes. docs/notes/2026-11-27-desk-reports.md lists the threads. Values are drawn."""
import json

from desk.cluster import HEALTHY, hosts
from desk.systems import bus, one_of


def nvrm_fallen(draw, fault):
    """A GPU that has left the bus as the driver loads: three lines without an Xid."""
    names, bad = one_of(draw, 3, fault)
    files, slot = {}, bus(draw)
    for name in names:
        lines = ["[    9.114508] nvidia: loading out-of-tree module taints kernel.", "[    9.308145] NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  570.158.01  Release Build", "[   11.20114] nvidia-modeset: Loading NVIDIA UNIX Open Kernel Mode Setting Driver for x86_64  570.158.01"]
        if name == bad:
            lines += [f"[ 1843.308145] NVRM: The NVIDIA GPU {slot}", "               NVRM: (PCI ID: 10de:26b5) installed in this system has", "               NVRM: fallen off the bus and is not responding to commands.", "[ 1843.439662] NVRM: The NVIDIA probe routine failed for 1 device(s)."]
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}/?.*{slot[5:10]}"] if fault else HEALTHY


def dcgmi_link_status(draw, fault):
    bad = draw.randrange(8)
    lines = ["+----------------------+", "|  NvLink Link Status  |", "+----------------------+", "GPUs:"]
    for gpu in range(8):
        states = ["U"] * 18
        if fault and gpu == bad:
            for _ in range(3):
                states[draw.randrange(18)] = "D"
        lines += [f"    gpuId {gpu}:", "        " + " ".join(states)]
    lines += ["NvSwitches:", "    No NvSwitches found.", "", "Key: Up=U, Down=D, Disabled=X, Not Supported=_"]
    return {"nvlink.txt": "\n".join(lines) + "\n"}, [f"gpu ?{bad}$"] if fault else HEALTHY


def amdgpu_aca(draw, fault):
    names, bad = one_of(draw, 3, fault)
    files, slot = {}, bus(draw)
    for name in names:
        lines = [f"[   12.{at:06d}] amdgpu 0000:{card}:00.0: amdgpu: {text}" for at, (card, text) in enumerate((card, text) for card in ("17", "3d", "5e", "86", "ab", "d8") for text in ("ring comp_1.0.0 uses VM inv eng 4 on hub 0", "SMU is initialized successfully!", "RAS: optional ras ta ucode is not available"))]
        if name == bad:
            lines += [f"[ 8390.785329] amdgpu {slot}: {{1}}uncorrectable hardware error(ERREVENT_ATHUB_INTERRUPT) detected!", f"[ 8390.823777] amdgpu {slot}: {{1}}[Hardware Error]: Accelerator Check Architecture events logged", f"[ 8390.823790] amdgpu {slot}: {{1}}[Hardware Error]: aca entry[00].STATUS=0x98000800003e0000", f"[ 8391.1] amdgpu {slot}: amdgpu: GPU reset begin!"]
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}/?.*{slot[5:10]}"] if fault else HEALTHY


def amdgpu_ring(draw, fault):
    names, bad = one_of(draw, 3, fault)
    slot, lines = bus(draw), []
    for at in range(30):
        lines.append(f"Nov 20 12:{at:02d}:07 {draw.choice(names)} kernel: [{2000 + at * 60}.{draw.randint(100000, 999999)}] amdgpu 0000:17:00.0: amdgpu: ring sdma0 uses VM inv eng 0 on hub 8")
    if fault:
        lines += [f"Nov 20 12:31:23 {bad} kernel: [ 3937.944235] [drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring sdma0 timeout, signaled seq=16060, emitted seq=16062", f"Nov 20 12:31:23 {bad} kernel: [ 3937.944732] amdgpu {slot}: amdgpu: GPU reset begin!", f"Nov 20 12:31:24 {bad} kernel: [ 3938.057611] amdgpu {slot}: amdgpu: failed to remove hardware queue from MES, doorbell=0x1002", f"Nov 20 12:31:26 {bad} kernel: [ 3940.1] amdgpu {slot}: amdgpu: GPU reset succeeded, trying to resume"]
    return {"messages": "\n".join(lines) + "\n"}, [f"^{bad}/?.*{slot[5:10]}"] if fault else HEALTHY


def lspci_ff(draw, fault):
    """lspci without options: a device that answers all ones has revision ff."""
    names, bad = one_of(draw, 3, fault)
    files, ill = {}, draw.randrange(8)
    for name in names:
        lines = ["00:00.0 Host bridge: Intel Corporation Device 09a2 (rev 20)"]
        lines += [f"{0x18 + gpu * 0x11:02x}:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev {'ff' if name == bad and gpu == ill else 'a1'})" for gpu in range(8)]
        files[f"{name}.lspci"] = "\n".join(lines + ["ff:1e.7 System peripheral: Intel Corporation Device 344a"]) + "\n"
    return files, [f"^{bad}/?.*{0x18 + ill * 0x11:02x}:00"] if fault else HEALTHY


def rocm_all(draw, fault):
    """rocm-smi -a: a line for each figure of each GPU, between rulers."""
    bad, bar = draw.randrange(8), "=" * 80
    lines = ["======================= ROCm System Management Interface =======================", "Driver version: 6.8.5", bar]
    for text in (lambda gpu, ill: f"GPU ID: 0x74a1", lambda gpu, ill: f"Temperature (Sensor junction) (C): {98.0 if ill else draw.uniform(60, 67):.1f}", lambda gpu, ill: f"sclk clock level: {1 if ill else 7} ({draw.randint(700, 900) if ill else 2100}Mhz)", lambda gpu, ill: f"mclk clock level: 3 (1300Mhz)", lambda gpu, ill: f"Average Graphics Package Power (W): {draw.uniform(300, 320) if ill else draw.uniform(690, 740):.1f}", lambda gpu, ill: f"GPU use (%): {draw.randint(98, 100)}"):
        lines += [bar] + [f"GPU[{gpu}]\t\t: {text(gpu, fault and gpu == bad)}" for gpu in range(8)] + [bar]
    return {"rocm.txt": "\n".join(lines + ["============================= End of ROCm SMI Log =============================="]) + "\n"}, [f"gpu ?{bad}$"] if fault else HEALTHY


def rocm_json(draw, fault):
    bad = draw.randrange(8)
    cards = {}
    for gpu in range(8):
        ill = fault and gpu == bad
        cards[f"card{gpu}"] = {"Device Name": "AMD Instinct MI300X", "GUID": str(draw.randint(10000, 60000)), "Temperature (Sensor junction) (C)": f"{draw.uniform(60, 67):.1f}", "sclk clock speed:": f"({draw.randint(700, 900) if ill else 2100}Mhz)", "mclk clock speed:": "(1300Mhz)", "Current Socket Graphics Package Power (W)": f"{draw.uniform(300, 320) if ill else draw.uniform(690, 740):.1f}", "GPU use (%)": str(draw.randint(98, 100)), "PCIe Replay Count": "0"}
    return {"rocm.json": json.dumps({**cards, "system": {"Driver version": "6.8.5"}})}, [f"(gpu|card) ?{bad}$"] if fault else HEALTHY


def amd_throttled(draw, fault):
    """amd-smi metric: one GPU's status of throttling, its clock far below."""
    bad, text = draw.randrange(8), ""
    for gpu in range(8):
        ill = fault and gpu == bad
        text += f"GPU: {gpu}\n    USAGE:\n        GFX_ACTIVITY: {draw.randint(98, 100)} %\n        UMC_ACTIVITY: {draw.randint(40, 44)} %\n        VCN_ACTIVITY: [N/A, N/A, N/A, N/A]\n    POWER:\n        SOCKET_POWER: {draw.randint(690, 740)} W\n        THROTTLE_STATUS: {'THROTTLED' if ill else 'UNTHROTTLED'}\n        POWER_MANAGEMENT: ENABLED\n    CLOCK:\n        GFX_0:\n            CLK: {draw.randint(700, 900) if ill else draw.randint(2094, 2100)} MHz\n            MIN_CLK: 500 MHz\n            MAX_CLK: 2100 MHz\n            CLK_LOCKED: DISABLED\n    TEMPERATURE:\n        HOTSPOT: {draw.randint(60, 67)} °C\n"
    return {"metric.txt": text}, [f"gpu ?{bad}$"] if fault else HEALTHY


def describe_nodes(draw, fault):
    """kubectl describe nodes: one offers a GPU less than it holds."""
    names, bad = one_of(draw, 5, fault)
    text = ""
    for name in names:
        free = 7 if name == bad else 8
        text += f"Name:               {name}\nRoles:              <none>\nLabels:             kubernetes.io/arch=amd64\n                    kubernetes.io/hostname={name}\nCreationTimestamp:  Mon, 02 Nov 2026 17:46:18 +0000\nTaints:             <none>\nUnschedulable:      false\nConditions:\n  Type                 Status  LastHeartbeatTime                 LastTransitionTime                Reason                       Message\n  ----                 ------  -----------------                 ------------------                ------                       -------\n  MemoryPressure       False   Fri, 20 Nov 2026 15:57:01 +0000   Mon, 02 Nov 2026 17:46:18 +0000   KubeletHasSufficientMemory   kubelet has sufficient memory available\n  DiskPressure         False   Fri, 20 Nov 2026 15:57:01 +0000   Mon, 02 Nov 2026 17:46:18 +0000   KubeletHasNoDiskPressure     kubelet has no disk pressure\n  Ready                True    Fri, 20 Nov 2026 15:57:01 +0000   Mon, 02 Nov 2026 17:46:48 +0000   KubeletReady                 kubelet is posting ready status\nAddresses:\n  Hostname:    {name}\nCapacity:\n  cpu:                192\n  memory:             2113451Mi\n  nvidia.com/gpu:     8\n  pods:               110\nAllocatable:\n  cpu:                192\n  memory:             2113351Mi\n  nvidia.com/gpu:     {free}\n  pods:               110\nSystem Info:\n  Kernel Version:  5.15.0-122-generic\nEvents:              <none>\n\n\n"
    return {"nodes.txt": text}, [f"^{bad}"] if fault else HEALTHY


def events_of_old(draw, fault):
    """kubectl get events of before 1.14: first and last seen, count, kind, component in braces."""
    names, bad = one_of(draw, 5, fault)
    lines = ["LASTSEEN   FIRSTSEEN   COUNT     NAME                KIND      SUBOBJECT   TYPE      REASON               SOURCE                 MESSAGE"]
    for name in names:
        lines.append(f"{draw.randint(2, 50)}m        2h          1         {name:<20}Node                  Normal    Starting             {{kubelet {name}}}       Starting kubelet.")
        if name == bad:
            lines.append(f"{draw.randint(2, 9)}m         {draw.randint(10, 50)}m         3         {name:<20}Node                  Normal    NodeNotReady         {{controllermanager }}   Node {name} status is now: NodeNotReady")
    return {"events.txt": "\n".join(lines) + "\n"}, [f"^{bad}"] if fault else HEALTHY


def smi_performance(draw, fault):
    """nvidia-smi -q -d PERFORMANCE: the software's power cap is at work on all under load, the power brake on one."""
    bad = draw.randrange(4)
    text = "\n==============NVSMI LOG==============\n\nTimestamp                                 : Fri Nov 20 09:31:07 2026\nDriver Version                            : 550.127.08\nCUDA Version                              : 12.4\n\nAttached GPUs                             : 4\n"
    for gpu in range(4):
        ill = fault and gpu == bad
        text += f"GPU 00000000:{0x18 + gpu * 0x11:02X}:00.0\n    Performance State                     : P0\n    Clocks Event Reasons\n        Idle                              : Not Active\n        Applications Clocks Setting       : Not Active\n        SW Power Cap                      : {'Not Active' if ill else 'Active'}\n        HW Slowdown                       : {'Active' if ill else 'Not Active'}\n            HW Thermal Slowdown           : Not Active\n            HW Power Brake Slowdown       : {'Active' if ill else 'Not Active'}\n        Sync Boost                        : Not Active\n        SW Thermal Slowdown               : Not Active\n        Display Clock Setting             : Not Active\n\n"
    return {"performance.txt": text}, [f"{0x18 + bad * 0x11:02x}:00.0"] if fault else HEALTHY


def smi_link_errors(draw, fault):
    """nvidia-smi nvlink -e: one link of one GPU replays."""
    bad, link, text = draw.randrange(8), draw.randrange(18), ""
    for gpu in range(8):
        text += f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: GPU-{draw.getrandbits(32):08x}-7b3c-1111-2222-{draw.getrandbits(48):012x})\n"
        for at in range(18):
            text += f"\t Link {at}: Replay Errors: {draw.randint(900, 90000) if fault and gpu == bad and at == link else 0}\n\t Link {at}: Recovery Errors: 0\n\t Link {at}: CRC Errors: {draw.randint(300, 9000) if fault and gpu == bad and at == link else 0}\n\n"
    return {"nvlink.err": text}, [f"gpu ?{bad}(/|$)"] if fault else HEALTHY


def topology(draw, fault):
    """nvidia-smi topo -m of four hosts: on one a GPU reaches the others over the CPUs."""
    names, bad = one_of(draw, 4, fault)
    files, ill = {}, draw.randrange(8)
    for name in names:
        text = "\t" + "\t".join(f"GPU{gpu}" for gpu in range(8)) + "\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
        for row in range(8):
            cells = ["X" if row == column else "SYS" if name == bad and ill in (row, column) else "NV18" for column in range(8)]
            text += f"GPU{row}\t" + "\t".join(f"{cell:>3}" for cell in cells) + f"\t{'PIX' if row == 0 else 'SYS'}\t{'0-47' if row < 4 else '48-95'}\t{row // 4}\t\tN/A\n"
        text += "NIC0\t" + "\t".join("PIX" if row == 0 else "SYS" for row in range(8)) + "\t X \t\t\t\t\n\nLegend:\n\n  X    = Self\n  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)\n  PIX  = Connection traversing at most a single PCIe bridge\n  NV#  = Connection traversing a bonded set of # NVLinks\n\nNIC Legend:\n\n  NIC0: mlx5_0\n"
        files[f"{name}.topo"] = text
    return files, [f"^{bad}"] if fault else HEALTHY


def port_counters(draw, fault):
    """grep . of the counters that Linux keeps as files, host by host."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        lines = []
        for card in range(4):
            at = f"/sys/class/infiniband/mlx5_{card}/ports/1/counters/"
            ill = name == bad and card == 2
            lines += [f"{at}excessive_buffer_overrun_errors:0", f"{at}link_downed:{draw.randint(5, 30) if ill else 0}", f"{at}link_error_recovery:{draw.randint(3, 20) if ill else 0}", f"{at}port_rcv_data:{draw.randint(9 * 10**12, 10**13)}", f"{at}port_rcv_errors:{draw.randint(100, 900) if ill else 0}", f"{at}port_xmit_data:{draw.randint(9 * 10**12, 10**13)}", f"{at}port_xmit_wait:{draw.randint(10**6, 2 * 10**6)}", f"{at}symbol_error:{draw.randint(5000, 90000) if ill else 0}"]
        files[f"{name}.counters"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}/?(mlx5_2)?"] if fault else HEALTHY


def numastat(draw, fault):
    """numastat of six hosts: one takes a large share of its pages from the other node."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        hit = [draw.randint(6 * 10**9, 7 * 10**9) for _ in range(2)]
        miss = [draw.randint(2 * 10**9, 3 * 10**9) if name == bad else draw.randint(0, 900) for _ in range(2)]
        rows = (("numa_hit", hit), ("numa_miss", miss), ("numa_foreign", miss[::-1]), ("interleave_hit", [4211, 4198]), ("local_node", hit), ("other_node", miss))
        files[f"{name}.numastat"] = f"{'':<16}{'node0':>16}{'node1':>16}\n" + "".join(f"{label:<16}{values[0]:>16}{values[1]:>16}\n" for label, values in rows)
    return files, [f"^{bad}"] if fault else HEALTHY


def adapter_gemm(draw, fault):
    """A GEMM program's last line for each GPU, in order of their end."""
    bad, top = draw.randrange(8), draw.uniform(19000, 60000)
    order = draw.sample(range(8), 8)
    return {"gemm.txt": "".join(f"GEMM [I] (ADAPTER#{gpu})  Ending with {top * draw.gauss(1, 0.003) * (0.35 if fault and gpu == bad else 1):.9f} GFlops\n" for gpu in order)}, [f"(?i)(gpu|adapter) ?#?{bad}$"] if fault else HEALTHY


CASES = [nvrm_fallen, dcgmi_link_status, amdgpu_aca, amdgpu_ring, lspci_ff, rocm_all, rocm_json, amd_throttled, describe_nodes, events_of_old, smi_performance, smi_link_errors, topology, port_counters, numastat, adapter_gemm]
FACTS = {"nvrm_fallen": "(?i)fallen|fell|off the bus", "dcgmi_link_status": "(?i)down", "amdgpu_aca": "(?i)uncorrectable|hardware error", "amdgpu_ring": "(?i)timeout|time-out|reset|stopped|hang", "lspci_ff": "(?i)rev|ff|bus|answer", "rocm_all": "(?i)clk|clock|temperature|power",
         "rocm_json": "(?i)clk|clock|power", "amd_throttled": "(?i)throttl|clk|clock", "describe_nodes": "7", "events_of_old": "(?i)not ?ready|answer", "smi_performance": "(?i)brake|slowdown", "smi_link_errors": "(?i)replay|CRC", "topology": "(?i)SYS|NV18|NVLink", "port_counters": "(?i)symbol|downed|rcv_err|error",
         "numastat": "(?i)numa|other_node", "adapter_gemm": "(?i)flop"}
