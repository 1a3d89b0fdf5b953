"""Tables of devices that are none of NVIDIA's and AMD's own tools: gpustat, npu-smi, hl-smi, smartctl, ibqueryerrors, ipmitool sdr,
ip -s link. Formats as these tools print them and public reports quote them (vllm-ascend 2534, collectd 819). Values are drawn."""
from desk.cluster import HEALTHY, hosts


def gpustat(draw, fault):
    """Three hosts; a GPU that cannot be read is what gpustat shows of one that fell off."""
    names, lines = hosts(draw, 3), []
    bad, gone = draw.choice(names), draw.randrange(8)
    files = {}
    for name in names:
        lines = [f"{name}                 Fri Nov 20 09:31:07 2026  550.127.08"]
        for gpu in range(8):
            if fault and name == bad and gpu == gone:
                lines.append(f"[{gpu}] ((Unknown Error))          | ??'C,  ?? % |     ? /     ? MB | (Not Supported)")
            else:
                lines.append(f"[{gpu}] NVIDIA H100 80GB HBM3 | {draw.randint(55, 66)}'C, {draw.randint(97, 100):>3} % | {draw.randint(70000, 71000)} / 81559 MB | train({draw.randint(70000, 71000)}M)")
        files[f"{name}.txt"] = "\n".join(lines) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def npu_smi(draw, fault):
    bad = draw.randrange(8)
    line = "+---------------------------+---------------+----------------------------------------------------+"
    rows = ["+" + "-" * 96 + "+", "| npu-smi 24.1.0                   Version: 24.1.0                                               |", line, "| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|", "| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |", line.replace("-", "=")]
    for npu in range(8):
        health = draw.choice(["Alarm", "Critical"]) if fault and npu == bad else "OK"
        rows += [f"| {npu}     910B3               | {health:<13} | {draw.uniform(340, 380):<11.1f} {draw.randint(45, 58):<17} 0    / 0             |", f"| 0                         | 0000:{0xC1 + npu:02X}:00.0  | {draw.randint(96, 99):<11} 0    / 0          {draw.randint(57000, 58000)}/ 65536         |", line]
    return {"npu.txt": "\n".join(rows) + "\n"}, [f"(npu|NPU|gpu) ?{bad}$|c{1 + bad}:00.0$"] if fault else HEALTHY


def hl_smi(draw, fault):
    """Uncorrected ECC errors in the column behind the bus address."""
    bad = draw.randrange(8)
    line = "|-------------------------------+----------------------+----------------------+"
    rows = ["+" + "-" * 77 + "+", "| HL-SMI Version:                              hl-1.16.0-fw-50.1.2.0          |", "| Driver Version:                                     1.16.0-94aac46          |", line, "| AIP  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncor-Events|",
            "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | AIP-Util  Compute M. |", line.replace("-", "=")]
    for aip in range(8):
        rows += [f"|   {aip}  HL-225              N/A  | 0000:{0x19 + aip * 0x10:02x}:00.0     N/A |                 {draw.randint(1, 9) if fault and aip == bad else 0:>3}  |", f"| N/A   {draw.randint(38, 48)}C   N/A  {draw.randint(380, 420)}W / 600W | {draw.randint(90000, 91000)}MiB / 98304MiB |    {draw.randint(96, 99)}%           N/A |", line]
    return {"hl.txt": "\n".join(rows) + "\n"}, [f"(aip|AIP|gpu) ?{bad}$|{0x19 + bad * 0x10:02x}:00.0$"] if fault else HEALTHY


def smartctl(draw, fault):
    names = hosts(draw, 5)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        files[f"{name}.smartctl"] = "\n".join(["smartctl 7.2 2020-12-30 r5155 [x86_64-linux-5.15.0-127-generic] (local build)", "", "=== START OF INFORMATION SECTION ===", "Model Number:                       SAMSUNG MZQL23T8HCLS-00A07", "=== START OF SMART DATA SECTION ===",
                                               f"SMART overall-health self-assessment test result: {'FAILED!' if ill else 'PASSED'}"] + (["- media has been placed in read only mode"] if ill else []) + ["", "SMART/Health Information (NVMe Log 0x02)", f"Critical Warning:                   {'0x08' if ill else '0x00'}", f"Temperature:                        {draw.randint(33, 48)} Celsius",
                                               f"Available Spare:                    {'3' if ill else '100'}%", "Available Spare Threshold:          10%", f"Percentage Used:                    {draw.randint(1, 30)}%", f"Data Units Written:                 {draw.randint(10**7, 10**8):,} [51.1 TB]", f"Power On Hours:                     {draw.randint(1000, 20000):,}", f"Unsafe Shutdowns:                   {draw.randint(3, 90)}",
                                               f"Media and Data Integrity Errors:    {draw.randint(20, 900) if ill else 0}", f"Error Information Log Entries:      {draw.randint(20, 900) if ill else 0}"]) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def ibqueryerrors(draw, fault):
    """Waits are ordinary under load; errors of symbols on the port towards one host are not."""
    names = hosts(draw, 8)
    bad, lines = draw.choice(names), []
    for at, name in enumerate(names):
        counters = f"[PortXmitWait == {draw.randint(10**6, 9 * 10**6)}]"
        if fault and name == bad:
            counters = f"[SymbolErrorCounter == {draw.randint(2000, 60000)}] [LinkErrorRecoveryCounter == {draw.randint(20, 90)}] [LinkDownedCounter == {draw.randint(5, 40)}] " + counters
        lines += [f'Errors for "{name} mlx5_0"', f"   GUID 0x506b4b0300aa{at:04x} port 1: {counters}", f'   Link info:     {at + 12}   1[  ] ==( 4X      106.25 Gbps Active/  LinkUp)==>  0x506b4b0300bb0001      7   {at + 1}[  ] "MF0;leaf-1:MQM9700/U1" ( )']
    return {"errors.txt": "\n".join(lines + ["", "## Summary: 9 nodes checked, 8 bad nodes found", "##          72 ports checked, 8 ports have errors beyond threshold"]) + "\n"}, [f"^{bad}"] if fault else HEALTHY


def ipmi_sdr(draw, fault):
    names = hosts(draw, 4)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        kind = draw.choice(["fan", "temperature"])
        rows = [("CPU1 Temp", f"{draw.randint(93, 99) if ill and kind == 'temperature' else draw.randint(48, 60)} degrees C", "cr" if ill and kind == "temperature" else "ok"), ("CPU2 Temp", f"{draw.randint(48, 60)} degrees C", "ok"), ("Inlet Temp", f"{draw.randint(20, 24)} degrees C", "ok")]
        rows += [(f"FAN{at}", "0 RPM" if ill and kind == "fan" and at == 3 else f"{draw.randint(88, 99) * 100} RPM", "cr" if ill and kind == "fan" and at == 3 else "ok") for at in range(1, 7)]
        rows += [("PS1 Status", "0x01", "ok"), ("PS2 Status", "0x01", "ok"), ("GPU7 Temp", "no reading", "ns")]
        files[f"{name}.sdr"] = "\n".join(f"{a:<17}| {b:<18}| {c}" for a, b, c in rows) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def ip_link(draw, fault):
    names = hosts(draw, 8)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        rx, tx = draw.randint(10**12, 10**13), draw.randint(10**12, 10**13)
        files[f"{name}.iplink"] = "\n".join(["2: ens1f0np0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000", f"    link/ether 94:6d:ae:{draw.randint(16, 99)}:12:34 brd ff:ff:ff:ff:ff:ff", "    RX:  bytes    packets  errors  dropped  missed   mcast",
                                             f"    {rx} {rx // 4000} {draw.randint(9000, 90000) if ill else 0} {draw.randint(0, 20)} 0 {draw.randint(100, 900)}", "    TX:  bytes    packets  errors  dropped  carrier  collsns", f"    {tx} {tx // 4000} 0 0 0 0"]) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


CASES = [gpustat, npu_smi, hl_smi, smartctl, ibqueryerrors, ipmi_sdr, ip_link]
