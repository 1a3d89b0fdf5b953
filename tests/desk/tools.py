"""Tools of GPUs and links that the desk was made with: a table a row a GPU, kernel messages, counters of ports, results of
benchmarks. Formats as in docs/formats/desk-*.md. Values are drawn."""
import json

from desk.cluster import HEALTHY, OPEN, hosts


def smi_csv(draw, fault):
    bad, since, low = draw.randrange(8), draw.randint(20, 40), draw.randint(900, 1300)
    lines = ["timestamp, index, name, clocks.current.sm [MHz], temperature.gpu, power.draw [W], utilization.gpu [%], clocks_event_reasons.active"]
    for at in range(60):
        for gpu in range(8):
            ill = fault and gpu == bad and at >= since
            clock = low + 15 * draw.randint(0, 1) if ill else 1980 - 15 * draw.randint(0, 1)
            lines.append(f"2026/11/20 09:{at // 6:02d}:{at % 6 * 10:02d}.{gpu:02d}0, {gpu}, NVIDIA H100 80GB HBM3, {clock} MHz, {89 if ill else draw.randint(60, 66)}, {draw.uniform(600, 690):.2f} W, {draw.randint(97, 100)} %, {'0x0000000000000040' if ill else '0x0000000000000000'}")
    return {"gpus.csv": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def smi_query(draw, fault):
    bad = draw.randrange(4)
    lines = ["==============NVSMI LOG==============", "", "Timestamp                                 : Fri Nov 20 09:31:07 2026", "Driver Version                            : 550.127.08", "Attached GPUs                             : 4"]
    for gpu in range(4):
        lines += [f"GPU 00000000:{0x18 + gpu * 0x11:02X}:00.0", "    Product Name                          : NVIDIA H100 80GB HBM3", "    Remapped Rows", f"        Correctable Error                 : {draw.randint(0, 2)}",
                  f"        Uncorrectable Error               : {1 if fault and gpu == bad else 0}", f"        Pending                           : {'Yes' if fault and gpu == bad else 'No'}", "        Remapping Failure Occurred        : No",
                  "    Temperature", f"        GPU Current Temp                  : {draw.randint(40, 66)} C", "    Clocks", "        SM                                : 1980 MHz"]
    return {"query.txt": "\n".join(lines) + "\n"}, [f"{0x18 + bad * 0x11:02x}:00.0"] if fault else HEALTHY


def smi_nvlink(draw, fault):
    bad, lines = draw.randrange(8), []
    for gpu in range(8):
        lines.append(f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: GPU-{draw.getrandbits(32):08x})")
        lost = draw.randrange(18)
        lines += [f"\t Link {link}: {'<inactive>' if fault and gpu == bad and link == lost else '26.562 GB/s'}" for link in range(18)]
    return {"nvlink.txt": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def dcgm_json(draw, fault):
    bad = draw.randrange(8)
    results = [{"entity_id": gpu, "status": "Fail" if fault and gpu == bad else "Pass", **({"warnings": [{"warning": f"GPU {gpu} had uncorrectable memory errors"}]} if fault and gpu == bad else {})} for gpu in range(8)]
    page = {"DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [{"name": "Memory", "results": results}]}]}}
    return {"diag.json": json.dumps(page, indent=1)}, [f"gpu{bad}$"] if fault else HEALTHY


def dcgm_dmon(draw, fault):
    bad = draw.randrange(8)
    lines = ["#Entity   SMCLK      TMPTR", "ID"]
    lines += [f"GPU {gpu}     {draw.randint(900, 1200) if fault and gpu == bad else 1980 - 15 * draw.randint(0, 1)}       {draw.randint(60, 66)}" for _ in range(30) for gpu in range(8)]
    return {"dmon.txt": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def rocm_csv(draw, fault):
    bad = draw.randrange(8)
    lines = ["device,Temperature (Sensor junction) (C),sclk clock speed:,GPU use (%)"]
    lines += [f"card{gpu},{draw.uniform(60, 70):.1f},({draw.randint(900, 1200) if fault and gpu == bad else 2100}Mhz),{draw.randint(98, 100)}" for gpu in range(8)]
    return {"rocm.csv": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def amd_csv(draw, fault):
    bad = draw.randrange(8)
    lines = ["gpu,gfx_activity,socket_power,hotspot,gfx_0_clk,total_uncorrectable_count"]
    lines += [f"{gpu},{draw.randint(97, 100)},{draw.randint(640, 740)},{draw.randint(60, 70)},2100,{draw.randint(1, 9) if fault and gpu == bad else 0}" for gpu in range(8)]
    return {"amd.csv": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def gpu_burn(draw, fault):
    bad, lines = draw.randrange(8), [f"GPU {gpu}: NVIDIA H100 80GB HBM3 (UUID: GPU-{draw.getrandbits(32):08x})" for gpu in range(8)]
    for at in range(20):
        rates = [draw.randint(47500, 48000) if not fault or gpu != bad else draw.randint(35000, 37000) for gpu in range(8)]
        lines.append(f"{at * 5:.1f}%  proc'd: " + " - ".join(f"{at * 100 + 50} ({rate} Gflop/s)" for rate in rates) + "   errors: " + " - ".join("0" for _ in rates) + "   temps: " + " - ".join(f"{draw.randint(60, 63)} C" for _ in rates))
    return {"burn.log": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def xid(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    for name in names:
        lines = [f"[{at * 11.25 + 100:.6f}] {draw.choice(['docker0: port 1(veth12ab) entered forwarding state', 'nvidia-uvm: Loaded the UVM driver', 'perf: interrupt took too long (2501 > 2500)'])}" for at in range(40)]
        if fault and name == bad:
            lines.insert(20, f"[420.112233] NVRM: Xid (PCI:0000:{draw.choice(['18', '4b', '9d'])}:00): {draw.choice([48, 79, 95])}, pid=4711, name=python3, fault")
        files[f"{name}.dmesg"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}/"] if fault else HEALTHY


def lspci(draw, fault):
    bad, text = draw.randrange(8), ""
    for gpu in range(8):
        state = "Speed 8GT/s (downgraded), Width x8 (downgraded)" if fault and gpu == bad else "Speed 32GT/s, Width x16"
        text += f"{0x18 + gpu * 0x11:02x}:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev a1)\n\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n\t\tLnkSta:\t{state}\n\n"
    return {"lspci.txt": text}, [f"{0x18 + bad * 0x11:02x}:00.0"] if fault else HEALTHY


def ibstatus(draw, fault):
    bad, text = draw.randrange(8), ""
    for card in range(8):
        text += f"Infiniband device 'mlx5_{card}' port 1 status:\n\tdefault gid:\t fe80::{card}\n\tstate:\t\t 4: ACTIVE\n\tphys state:\t 5: LinkUp\n\trate:\t\t {'200 Gb/sec (2X NDR)' if fault and card == bad else '400 Gb/sec (4X NDR)'}\n\tlink_layer:\t InfiniBand\n\n"
    return {"ibstatus.txt": text}, [f"mlx5_{bad}$"] if fault else HEALTHY


def ibstat(draw, fault):
    bad, text = draw.randrange(8), ""
    for card in range(8):
        down = fault and card == bad
        text += f"CA 'mlx5_{card}'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: {'Down' if down else 'Active'}\n\t\tPhysical state: {'Polling' if down else 'LinkUp'}\n\t\tRate: {10 if down else 400}\n\t\tBase lid: {card + 3}\n\t\tLink layer: InfiniBand\n"
    return {"ibstat.txt": text}, [f"mlx5_{bad}$"] if fault else HEALTHY


def ethtool(draw, fault):
    names = hosts(draw, 8)
    bad = draw.choice(names)
    return {f"{name}.ethtool": "NIC statistics:\n" + f"     rx_packets: {draw.randint(10**9, 2 * 10**9)}\n     tx_prio3_pause: {draw.randint(400000, 900000) if fault and name == bad else draw.randint(5, 20)}\n     rx_prio3_pause: {draw.randint(100, 4000)}\n" for name in names}, [bad] if fault else HEALTHY


def perfquery(draw, fault):
    names = hosts(draw, 6)
    bad = draw.choice(names)
    return {f"{name}.perf": f"# Port counters: Lid {at + 3} port 1 (CapMask: 0x5A00)\nPortSelect:......................1\nSymbolErrorCounter:..............{draw.randint(9000, 40000) if fault and name == bad else draw.randint(0, 3)}\nLinkErrorRecoveryCounter:........0\nPortXmitWait:....................{draw.randint(1000, 90000)}\n" for at, name in enumerate(names)}, [bad] if fault else HEALTHY


def nccl_info(draw, fault):
    names = hosts(draw, 6)
    bad, files = draw.choice(names), {}
    for at, name in enumerate(names):
        way = "NET/IB/0" if fault and name == bad else "NET/IB/0/GDRDMA"
        pid = draw.randint(20000, 90000)
        files[f"{name}.log"] = "".join(f"{name}:{pid + gpu}:{pid + gpu + 40} [{gpu}] NCCL INFO Channel 0{c}/0 : {at * 8 + gpu}[{gpu}] -> {(at * 8 + gpu + 8) % 48}[{gpu}] [send] via {way}\n" for gpu in range(8) for c in range(2))
    return files, [f"^{bad}"] if fault else HEALTHY


def nccl_tests(draw, fault):
    names = hosts(draw, 5)
    bad, files = draw.choice(names), {}
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            top = draw.uniform(368, 374) * (0.5 if fault and bad in (a, b) else 1)
            rows = [f"{2 ** p:>12} {2 ** (p - 2):>12}     float     sum      -1  {2 ** p / top / 1e3:8.1f} {top / 1.9:7.2f} {top * share:7.2f}      0  {2 ** p / top / 1e3:8.1f} {top / 1.9:7.2f} {top * share:7.2f}      0" for p, share in ((28, 0.9), (30, 0.97), (32, 1))]
            ranks = "".join(f"#  Rank {8 * side + gpu:>2} Group  0 Pid {4000 + gpu} on {host:>10} device {gpu:>2} [0x{0x18 + gpu:02x}] NVIDIA H100 80GB HBM3\n" for side, host in enumerate((a, b)) for gpu in range(8))
            files[f"pair-{a}-{b}.txt"] = "# Collective test starting: all_reduce_perf\n# Using devices\n" + ranks + "#\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n" + "\n".join(rows) + f"\n# Out of bounds values : 0 OK\n# Avg bus bandwidth    : {top * 0.95:.3f}\n#\n"
    return files, [bad] if fault else HEALTHY


def nsys(draw, fault):
    base = draw.randint(200000, 400000)
    mean = base * 2 if fault else base * 1.01
    return {"kern.csv": "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n"
            f"60.0,{int(mean * 400)},400,{mean:.1f},{base}.0,{base - 9000},{base * 25 if fault else base + 20000},5000.0,ncclDevKernel_AllReduce_Sum_bf16_RING_LL\n"
            "40.0,90000000,800,112500.0,112000.0,110000,119000,900.0,ampere_bf16_s16816gemm_bf16_128x256\n"}, OPEN if fault else HEALTHY


def metrics_page(draw, fault):
    names = hosts(draw, 8)
    bad = draw.choice(names)
    return {f"{name}.prom": "# HELP nvidia_smi_clocks_current_sm_clock_hz Current SM clock\n# TYPE nvidia_smi_clocks_current_sm_clock_hz gauge\n"
            f'nvidia_smi_clocks_current_sm_clock_hz{{uuid="GPU-{at}"}} {345000000 if fault and name == bad else 1980000000}\nnvidia_smi_utilization_gpu_ratio{{uuid="GPU-{at}"}} 0.99\n' for at, name in enumerate(names)}, [bad] if fault else HEALTHY


LOGS = [xid, nccl_info, gpu_burn]  # made of lines that stand alone
TABLES = [smi_csv, smi_query, smi_nvlink, dcgm_json, dcgm_dmon, rocm_csv, amd_csv, lspci, ibstatus, ibstat, ethtool, perfquery, nccl_tests, nsys, metrics_page]
