"""A second set of what systems write: one command run on many hosts (pdsh, ansible), tables of nvidia-smi, amd-smi and DCGM that were
not met before, fabrics, memory, file systems, switches, cluster managers, and JSON of exporters and management controllers. Formats
after the documentation of each tool. Each case returns files, the right parts and a fact that the answer must contain."""
import json

from desk.cluster import HEALTHY
from desk.systems import one_of


def pdsh_smi(draw, fault):
    """pdsh -w HOSTS nvidia-smi --query-gpu=...: lines of hosts interleave. One GPU under load stays far below the clock of the others."""
    names, bad = one_of(draw, 4, fault)
    ill = draw.randrange(8)
    rows = {}
    for name in names:
        rows[name] = ["index, name, temperature.gpu, utilization.gpu [%], clocks.current.sm [MHz], power.draw [W]"]
        for gpu in range(8):
            slow = name == bad and gpu == ill
            rows[name].append(f"{gpu}, NVIDIA H100 80GB HBM3, {draw.randint(52, 61)}, {draw.randint(98, 100)} %, {draw.choice([345, 480, 705]) if slow else draw.choice([1965, 1980, 1980])} MHz, {draw.uniform(180, 220) if slow else draw.uniform(640, 690):.2f} W")
    text = ""
    while any(rows.values()):
        name = draw.choice([name for name in names if rows[name]])
        text += f"{name}: {rows[name].pop(0)}\n"
    return {"smi.txt": text}, [f"^{bad}/gpu{ill}$"] if fault else HEALTHY, "clock|MHz"


def ansible_ibstat(draw, fault):
    names, bad = one_of(draw, 5, fault)
    text = ""
    for name in names:
        ill = draw.randrange(2) if name == bad else -1
        text += f"{name} | CHANGED | rc=0 >>\n"
        for card in range(2):
            down = card == ill
            text += f"CA 'mlx5_{card}'\n\tCA type: MT4129\n\tNumber of ports: 1\n\tFirmware version: 28.39.2048\n\tPort 1:\n\t\tState: {'Down' if down else 'Active'}\n\t\tPhysical state: {'Disabled' if down else 'LinkUp'}\n\t\tRate: {10 if down else 400}\n\t\tBase lid: {draw.randint(1, 900)}\n\t\tLink layer: InfiniBand\n"
    return {"ibstat.txt": text}, [f"^{bad}"] if fault else HEALTHY, "Down|down|10"


def smi_dmon(draw, fault):
    """nvidia-smi dmon -s pucvmet of one host of eight GPUs under load."""
    ill = draw.randrange(8)
    text = ""
    for second in range(20):
        if second % 10 == 0:
            text += "# gpu    pwr  gtemp  mtemp     sm    mem    enc    dec    jpg    ofa   mclk   pclk  pviol  tviol     fb   bar1   ccpm  sbecc  dbecc    pci  rxpci  txpci\n# Idx      W      C      C      %      %      %      %      %      %    MHz    MHz      %   bool     MB     MB     MB   errs   errs   errs   MB/s   MB/s\n"
        for gpu in range(8):
            slow = fault and gpu == ill
            text += f"{gpu:>5} {draw.randint(300, 330) if slow else draw.randint(640, 690):>6} {draw.randint(84, 87) if slow else draw.randint(52, 60):>6} {draw.randint(60, 70):>6} {draw.randint(97, 100):>6} {draw.randint(60, 64):>6}      0      0      0      0   2619 {draw.randint(980, 1020) if slow else draw.choice([1965, 1980]):>6} {0:>6} {1 if slow else 0:>6} {71211:>6} {5:>6} {0:>6} {0:>6} {0:>6} {0:>6} {draw.randint(900, 1100):>6} {draw.randint(900, 1100):>6}\n"
    return {"dmon.txt": text}, [f"gpu ?{ill}$"] if fault else HEALTHY, "clock|pclk|tviol|thermal|MHz"


def amd_ecc(draw, fault):
    """amd-smi metric --ecc of three hosts."""
    names, bad = one_of(draw, 3, fault)
    files = {}
    for name in names:
        ill = draw.randrange(8) if name == bad else -1
        if ill >= 0:
            right = f"^{bad}.*{ill}"
        files[f"{name}.ecc"] = "".join(f"GPU: {gpu}\n    ECC:\n        TOTAL_CORRECTABLE_COUNT: {draw.choice([0, 0, 2])}\n        TOTAL_UNCORRECTABLE_COUNT: {draw.randint(1, 5) if gpu == ill else 0}\n        TOTAL_DEFERRED_COUNT: 0\n        CACHE_CORRECTABLE_COUNT: 0\n        CACHE_UNCORRECTABLE_COUNT: 0\n\n" for gpu in range(8))
    return files, [right] if fault else HEALTHY, "(?i)uncorrect"


def row_remapper(draw, fault):
    """nvidia-smi -q -d ROW_REMAPPER of three hosts."""
    names, bad = one_of(draw, 3, fault)
    files = {}
    for name in names:
        ill = draw.randrange(4) if name == bad else -1
        text = "\n==============NVSMI LOG==============\n\nTimestamp                                 : Fri Nov 20 09:31:07 2026\nDriver Version                            : 570.86.15\nCUDA Version                              : 12.8\n\nAttached GPUs                             : 4\n"
        for gpu in range(4):
            text += f"GPU 00000000:{0x19 + gpu * 0x11:02X}:00.0\n    Remapped Rows\n        Correctable Error                 : {draw.choice([0, 0, 1])}\n        Uncorrectable Error               : {draw.randint(2, 9) if gpu == ill else 0}\n        Pending                           : No\n        Remapping Failure Occurred        : {'Yes' if gpu == ill else 'No'}\n        Bank Remap Availability Histogram\n            Max                           : {2559 if gpu != ill else 2551} bank(s)\n            High                          : 0 bank(s)\n            None                          : {1 if gpu == ill else 0} bank(s)\n"
        files[f"{name}.remap"] = text
        if ill >= 0:
            right = f"^{bad}.*{0x19 + ill * 0x11:02x}:00"
    return files, [right] if fault else HEALTHY, "(?i)remap"


def dcgmi_discovery(draw, fault):
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        count = 7 if name == bad else 8
        line = "+--------+----------------------------------------------------------------------+"
        rows = [f"{count} GPUs found.", line, "| GPU ID | Device Information                                                   |", line]
        for gpu in range(count):
            rows += [f"| {gpu}      | Name: NVIDIA H100 80GB HBM3                                          |", f"|        | PCI Bus ID: 00000000:{0x1B + gpu * 0x11:02X}:00.0                                         |", f"|        | Device UUID: GPU-{draw.getrandbits(32):08x}-7b3c-1111-2222-{draw.getrandbits(48):012x}                |", line]
        rows += ["4 NvSwitches found.", "+-----------+", "| Switch ID |", "+-----------+"] + [f"| {at}         |" for at in range(4)] + ["+-----------+"]
        files[f"{name}.disc"] = "\n".join(rows) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "7"


def ibdiagnet(draw, fault):
    names, bad = one_of(draw, 4, fault)
    text = "Running version:   \"IBDIAGNET 2.13.0.MLNX20240321\"\nTimestamp:         2026-11-20 09:31:07 CET +0100\n\nDiscovery\n-I- Discovering ... 21 nodes (1 Switches & 20 CA-s) discovered.\n-I- Fabric Discover finished successfully\n\nPort Counters\n-I- Retrieving ... 21/21 nodes (1/1 Switches & 20/20 CA-s) retrieved.\n"
    if fault:
        text += f"-E- Ports counters Difference Check (during run) finished with errors\n-E- {bad}/mlx5_0/U1/P1 - \"symbol_error_counter\" increased during the run (difference value={draw.randint(20, 900)},difference allowed threshold=1)\n"
    else:
        text += "-I- Ports counters value Check finished successfully\n-I- Ports counters Difference Check (during run) finished successfully\n"
    text += f"\nSummary\n-I- Stage                     Warnings   Errors     Comment\n-I- Discovery                 0          0\n-I- Lids Check                0          0\n-I- Links Check               0          0\n-I- Subnet Manager            0          0\n-I- Port Counters             0          {1 if fault else 0}\n-I- Routing                   0          0\n"
    return {"ibdiagnet2.log": text}, [f"^{bad}"] if fault else HEALTHY, "symbol"


def vmstat(draw, fault):
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        text = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
        for _ in range(12):
            steal = draw.randint(30, 45) if name == bad else 0
            us = draw.randint(20, 24)
            text += f"{draw.randint(10, 20):>2}  0      0 {draw.randint(900000, 990000)} 20112 {draw.randint(800000, 810000)}    0    0     {draw.randint(1, 9)}    {draw.randint(10, 90)} {draw.randint(2000, 2900)} {draw.randint(4000, 4900)} {us}  2 {98 - us - steal}  0 {steal}\n"
        files[f"{name}.vmstat"] = text
    return files, [f"^{bad}"] if fault else HEALTHY, r"\bst\b|steal"


def meminfo(draw, fault):
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        total = 2113122472 * (7 if name == bad else 8) // 8
        free = draw.randint(total // 3, total // 2)
        files[f"{name}.meminfo"] = f"MemTotal:       {total} kB\nMemFree:        {free} kB\nMemAvailable:   {free + draw.randint(10**6, 10**7)} kB\nBuffers:          {draw.randint(200000, 300000)} kB\nCached:         {draw.randint(10**6, 10**8)} kB\nSwapCached:            0 kB\nActive:         {draw.randint(10**6, 10**8)} kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\nDirty:              {draw.randint(10, 900)} kB\nHugePages_Total:       0\nHugePages_Free:        0\nHugepagesize:       2048 kB\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "MemTotal"


def beegfs(draw, fault):
    names, bad = one_of(draw, 6, fault)
    rows = ["TargetID     Reachability  Consistency   NodeID", "========     ============  ===========   ======"]
    for at, name in enumerate(names):
        ill = name == bad
        rows.append(f"{101 + at:>8}          {'Offline' if ill else ' Online':>7}  {'Needs-resync' if ill else 'Good':>11}   {name}")
    return {"beegfs.txt": "\n".join(rows) + "\n"}, [bad] if fault else HEALTHY, "Offline|Needs"


def sonic(draw, fault):
    """show interfaces counters of a SONiC switch."""
    ill = 4 * draw.randrange(12)
    rows = ["    IFACE    STATE         RX_OK        RX_BPS    RX_UTIL    RX_ERR    RX_DRP    RX_OVR         TX_OK        TX_BPS    TX_UTIL    TX_ERR    TX_DRP    TX_OVR", "---------  -------  ------------  ------------  ---------  --------  --------  --------  ------------  ------------  ---------  --------  --------  --------"]
    for port in range(0, 48, 4):
        bad = fault and port == ill
        rows.append(f"{'Ethernet' + str(port):>9}        U  {draw.randint(10**8, 2 * 10**8):>12,}  {draw.uniform(900, 999):8.2f} MB/s     {draw.uniform(20, 25):5.2f}%  {draw.randint(20000, 90000) if bad else 0:>8,}  {draw.randint(0, 9):>8}         0  {draw.randint(10**8, 2 * 10**8):>12,}  {draw.uniform(900, 999):8.2f} MB/s     {draw.uniform(20, 25):5.2f}%         0         0         0")
    return {"leaf-3.txt": "\n".join(rows) + "\n"}, [f"Ethernet{ill}$"] if fault else HEALTHY, "RX_ERR"


def openshift(draw, fault):
    """oc get clusteroperators."""
    names = ["authentication", "dns", "etcd", "gpu-operator", "ingress", "kube-apiserver", "machine-config", "network", "storage"]
    bad = draw.choice(names) if fault else None
    rows = [f"{'NAME':<18}VERSION   AVAILABLE   PROGRESSING   DEGRADED   SINCE   MESSAGE"]
    for name in names:
        rows.append(f"{name:<18}4.16.8    {'False' if name == bad else 'True':<12}False         {'True' if name == bad else 'False':<11}{draw.randint(1, 40)}d     ")
    return {"co.txt": "\n".join(rows) + "\n"}, [bad] if fault else HEALTHY, "(?i)available|degraded"


def cmsh(draw, fault):
    names, bad = one_of(draw, 8, fault)
    return {"status.txt": "".join(f"{name} {'.' * (20 - len(name))} [  {'DOWN' if name == bad else ' UP '}  ]\n" for name in names)}, [bad] if fault else HEALTHY, "DOWN"


def neuron(draw, fault):
    """neuron-monitor: one report of JSON a host."""
    names, bad = one_of(draw, 4, fault)
    files = {}
    for name in names:
        ill = draw.randrange(4) if name == bad else -1
        devices = [{"neuron_device_index": at, "mem_ecc_corrected": draw.choice([0, 1]), "mem_ecc_uncorrected": draw.randint(1, 4) if at == ill else 0, "sram_ecc_uncorrected": 0, "sram_ecc_corrected": 0} for at in range(4)]
        files[f"{name}.json"] = json.dumps({"neuron_runtime_data": [], "system_data": {"neuron_hw_counters": {"period": 5.0, "neuron_devices": devices, "error": ""}, "vcpu_usage": {"average_usage": {"user": draw.uniform(1, 9), "idle": 90.1}}}, "instance_info": {"instance_name": name, "instance_type": "trn1.32xlarge", "error": ""}, "neuron_hardware_info": {"neuron_device_count": 4, "error": ""}}) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "mem_ecc_uncorrected"


def gpud(draw, fault):
    """gpud's /v1/states of three hosts."""
    names, bad = one_of(draw, 3, fault)
    files = {}
    for name in names:
        parts = ["cpu", "disk", "memory", "os", "accelerator-nvidia-ecc", "accelerator-nvidia-error-xid", "accelerator-nvidia-infiniband", "accelerator-nvidia-nvlink"]
        ill = draw.choice(parts[4:]) if name == bad else None
        files[f"{name}.json"] = json.dumps([{"component": part, "states": [{"time": "2026-11-20T08:31:07Z", "component": part, "name": part, "health": "Unhealthy" if part == ill else "Healthy", "reason": "1 device is not in order" if part == ill else "ok"}]} for part in parts], indent=2) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "Unhealthy"


def redfish_log(draw, fault):
    """Log entries of a management controller, a file a host. Entries of severity OK are ordinary."""
    names, bad = one_of(draw, 3, fault)
    files = {}
    for name in names:
        entries = [("OK", "The system powered up", ["System"]), ("OK", "The user root logged in from 10.1.1.7", ["root"]), ("OK", "The fan speed was changed", ["Fan 2"])]
        if name == bad:
            entries.append(("Critical", draw.choice(["Uncorrectable memory error at DIMM B3", "Power supply 2 lost its input", "GPU 5 is not reachable by the baseboard controller"]), ["x"]))
        files[f"{name}.json"] = json.dumps({"@odata.id": "/redfish/v1/Systems/1/LogServices/Log/Entries", "Name": "Log Entries", "Members@odata.count": len(entries), "Members": [{"@odata.id": f"/redfish/v1/x/{at}", "Id": str(at), "Name": f"Log Entry {at}", "EntryType": "Event", "Severity": severity, "Created": f"2026-11-20T08:{10 + at}:07+00:00", "Message": message, "MessageArgs": args} for at, (severity, message, args) in enumerate(entries)]}, indent=1) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "Critical|memory error|Power supply|GPU 5"


def edac_util(draw, fault):
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        ill = draw.randrange(8) if name == bad else -1
        files[f"{name}.edac"] = "mc0: 0 Uncorrected Errors with no DIMM info\nmc0: 0 Corrected Errors with no DIMM info\n" + "".join(f"mc0: csrow{at // 4}: CPU_SrcID#0_MC#0_Chan#{at % 4}_DIMM#{at // 4}: {draw.randint(1, 4) if at == ill else 0} {'Uncorrected' if at == ill else 'Corrected'} Errors\n" for at in range(8))
    return files, [f"^{bad}"] if fault else HEALTHY, "(?i)uncorrect"


def dcgm_page(draw, fault):
    """Pages of dcgm-exporter of four hosts: the last Xid code, and rows that could not be remapped."""
    names, bad = one_of(draw, 4, fault)
    ill = draw.randrange(8)
    files = {}
    for name in names:
        text = ""
        for metric, help_text, kind in (("DCGM_FI_DEV_SM_CLOCK", "SM clock frequency (in MHz).", "gauge"), ("DCGM_FI_DEV_XID_ERRORS", "Value of the last XID error encountered.", "gauge"), ("DCGM_FI_DEV_ROW_REMAP_FAILURE", "Whether remapping of rows has failed", "gauge")):
            text += f"# HELP {metric} {help_text}\n# TYPE {metric} {kind}\n"
            for gpu in range(8):
                hurt = name == bad and gpu == ill
                value = {"DCGM_FI_DEV_SM_CLOCK": draw.choice([1965, 1980]), "DCGM_FI_DEV_XID_ERRORS": 79 if hurt else 0, "DCGM_FI_DEV_ROW_REMAP_FAILURE": 0}[metric]
                text += f'{metric}{{gpu="{gpu}",UUID="GPU-{gpu}{name[-3:]}",device="nvidia{gpu}",modelName="NVIDIA H100 80GB HBM3",Hostname="{name}"}} {value}\n'
        files[f"{name}.prom"] = text
    return files, [f"^{bad}.*{ill}"] if fault else HEALTHY, "(?i)xid"


def nstat(draw, fault):
    names, bad = one_of(draw, 8, fault)
    files = {}
    for name in names:
        files[f"{name}.nstat"] = f"#kernel\nIpInReceives                    {draw.randint(10**9, 2 * 10**9)}         0.0\nIpOutRequests                   {draw.randint(10**9, 2 * 10**9)}         0.0\nTcpActiveOpens                  {draw.randint(9000, 12000)}         0.0\nTcpInSegs                       {draw.randint(10**9, 2 * 10**9)}         0.0\nTcpRetransSegs                  {draw.randint(10**6, 9 * 10**6) if name == bad else draw.randint(300, 700)}         0.0\nTcpInErrs                       0         0.0\nTcpExtTCPTimeouts               {draw.randint(20, 60)}         0.0\n"
    return files, [f"^{bad}"] if fault else HEALTHY, "(?i)retrans"


def mmgetstate(draw, fault):
    names, bad = one_of(draw, 6, fault)
    rows = ["", " Node number  Node name        GPFS state", "-------------------------------------------"]
    rows += [f"      {at + 1:>2}      {name:<16} {'down' if name == bad else 'active'}" for at, name in enumerate(names)]
    return {"gpfs.txt": "\n".join(rows) + "\n"}, [bad] if fault else HEALTHY, "down"


CASES = [pdsh_smi, ansible_ibstat, smi_dmon, amd_ecc, row_remapper, dcgmi_discovery, ibdiagnet, vmstat, meminfo, beegfs, sonic, openshift, cmsh, neuron, gpud, redfish_log, edac_util, dcgm_page, nstat, mmgetstate]
