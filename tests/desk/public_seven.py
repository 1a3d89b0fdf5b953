"""Eleven kinds more in the order of public_six's draw, written after the readers were mended for that set and before they ran on any of these. Passed over: HPL-MxP (HPL's own lines), hccn_tool (its lines
name no card), dcgmi stats (nobody can state which job is slow).
Forms after torch.distributed.elastic's error files, nvme-cli, QUDA's dslash test, nuttcp's manual, IO500, mpiP's user guide, uname(1), proc(5), nvitop's README, tt-smi's snapshot, nginx's log module. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN
from desk.systems import one_of


def torch_error(draw, fault):
    """error.json of each rank: one stops at an error of its GPU's memory, the others when a collective times out. Or all of them lack a file."""
    bad, begin, files = draw.randrange(8), 1795166531, {}
    for rank in range(8):
        if fault and rank == bad:
            what, late = "torch.AcceleratorError: CUDA error: uncorrectable ECC error encountered", 0
        elif fault:
            what, late = "torch.distributed.DistBackendError: NCCL communicator was aborted on rank %d. Watchdog caught collective operation timeout" % rank, 600 + draw.randint(0, 3)
        else:
            what, late = "FileNotFoundError: [Errno 2] No such file or directory: '/data/shard_00.bin'", draw.randint(0, 1)
        files[f"{rank}/error.json"] = json.dumps({"message": {"message": what, "extraInfo": {"py_callstack": f"Traceback (most recent call last):\n  File \"train.py\", line 212, in main\n{what}\n", "timestamp": str(begin + late)}}})
    return files, [f"rank {bad}$"] if fault else OPEN


def nvme_error_log(draw, fault):
    """One disk did not give back what was written. Commands that a tool sent with a wrong field are ordinary."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        rows = [("0x2002(Invalid Field in Command: A reserved coded value or an unsupported value in a defined field)", 0, 1)]
        if name == bad:
            rows.insert(0, ("0x281(Unrecovered Read Error: The read data could not be recovered from the media)", draw.getrandbits(32), draw.randint(2, 40)))
        rows += [("0(Successful Completion: The command completed without error)", 0, 0)] * 2
        text = "Error Log Entries for device:nvme0 entries:4\n.................\n"
        for at, (status, lba, count) in enumerate(rows):
            text += f" Entry[{at:>2}]   \n.................\nerror_count\t: {count}\nsqid\t\t: {draw.randrange(4)}\ncmdid\t\t: {draw.randrange(4096):#x}\nstatus_field\t: {status}\nphase_tag\t: 0\nparm_err_loc\t: 0xffff\nlba\t\t: {lba:#x}\nnsid\t\t: 0x1\nvs\t\t: 0\ntrtype\t\t: The transport type is not indicated or the error is not transport related.\ncs\t\t: 0\ntrtype_spec_info: 0\n.................\n"
        files[f"{name}.errorlog"] = text
    return files, [f"^{bad}"] if fault else HEALTHY


def quda(draw, fault):
    rate = draw.uniform(3500, 5200)

    def text(f):
        return ("Disabling GPU-Direct RDMA access\nEnabling peer-to-peer copy engine and direct load/store access\nQUDA 1.1.0 (git 1.1.0--sm_90)\nCUDA Driver version = 12080\nFound device 0: NVIDIA H100 80GB HBM3\nUsing device 0: NVIDIA H100 80GB HBM3\nrunning the following test:\nprec    recon   dtest_type     matpc_type   dagger   S_dim         T_dimension   Ls_dimension dslash_type    niter\nhalf    12       Dslash          even-even    0    32/32/32        64         16             wilson    1000\n"
                f"Tuning...\nExecuting 1000 kernel loops...\ndone.\n\n{412e3 / (rate * f):.6f}us per kernel call\n1368391680 flops per kernel call, 1320 flops per site\n1368391680 flops per kernel call, 1320 flops per site 2880 bytes per site\nGFLOPS = {rate * f:.6f}\nEffective halo bi-directional bandwidth (GB/s) GPU = 0.000000 ( CPU = 0.000000, min = 0.000000 , max = 0.000000 ) for aggregate message size 0 bytes\n")
    return on_each_host(draw, fault, text, ".quda")


def nuttcp(draw, fault):
    """From each of eight hosts to one server, one after the other."""
    rate = draw.uniform(60000, 92000)

    def text(f):
        mbps = rate * f
        return "".join(f"{mbps / 8 * draw.gauss(1, 0.004):>11.4f} MB / {at:>6.2f} sec = {mbps * draw.gauss(1, 0.004):>10.4f} Mbps     0 retrans\n" for at in (1, 1, 1)) + f"\n{mbps * 3 / 8:>11.4f} MB / {3.0:>6.2f} sec = {mbps:>10.4f} Mbps {draw.randint(60, 70)} %TX {draw.randint(80, 90)} %RX 0 retrans 0.{draw.randint(10, 14)} msRTT\n"
    return on_each_host(draw, fault, text, ".nuttcp")


def io500(draw, fault):
    rate = draw.uniform(4, 9)

    def text(f):
        r = rate * f
        rows = [("ior-easy-write", r, "GiB/s"), ("mdtest-easy-write", r * 6, "kIOPS"), ("ior-hard-write", r * 0.2, "GiB/s"), ("find", r * 90, "kIOPS"), ("ior-easy-read", r * 1.4, "GiB/s"), ("mdtest-hard-stat", r * 9, "kIOPS")]
        return ("IO500 version io500-sc23_v3 (standard)\n" + "".join(f"[RESULT] {name:>22} {value:>15.6f} {unit} : time {draw.uniform(0.99, 1.01) * 310:.3f} seconds\n" for name, value, unit in rows)
                + f"[SCORE ] Bandwidth {r * 0.8:.6f} GiB/s : IOPS {r * 11:.6f} kiops : TOTAL {r * 3:.6f}\n")
    return on_each_host(draw, fault, text, ".io500.txt")


def mpip(draw, fault):
    """mpiP's report: the task that is slow waits least in MPI; without one all wait alike."""
    bad, app = draw.randrange(8), draw.uniform(400, 900)
    text = "@ mpiP\n@ Command : ./solver -n 4096 \n@ Version                  : 3.5.0\n@ MPIP Build date          : Sep 10 2026, 11:02:11\n\n---------------------------------------------------------------------------\n@--- MPI Time (seconds) ---------------------------------------------------\n---------------------------------------------------------------------------\nTask    AppTime    MPITime     MPI%\n"
    rows = []
    for task in range(8):
        wait = app * ((0.03 if task == bad else 0.31) if fault else 0.06) * draw.gauss(1, 0.02)
        rows.append(wait)
        text += f"{task:>4}   {app * draw.gauss(1, 0.0005):>8.4g}   {wait:>8.4g}   {100 * wait / app:>6.2f}\n"
    return {"solver.8.mpiP": text + f"   *   {app * 8:>8.4g}   {sum(rows):>8.4g}   {100 * sum(rows) / app / 8:>6.2f}\n"}, [f"{bad}$"] if fault else HEALTHY


def uname_pdsh(draw, fault):
    """One host runs another kernel."""
    names, bad = one_of(draw, 8, fault)
    lines = [f"{name}: {'5.15.0-130-generic' if name == bad else '6.8.0-45-generic'}" for name in names]
    draw.shuffle(lines)
    return {"uname.txt": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY, bad or ""


def cpu_mhz(draw, fault):
    """grep MHz /proc/cpuinfo of eight busy hosts: the cores of one are held at a low clock."""
    names, bad = one_of(draw, 8, fault)
    low = draw.uniform(800, 1400)
    return {f"{name}.mhz": "".join(f"cpu MHz\t\t: {(low if name == bad else 3100) * draw.gauss(1, 0.003):.3f}\n" for _ in range(64)) for name in names}, [f"^{bad}"] if fault else HEALTHY


def nvitop(draw, fault):
    bad = draw.randrange(8)
    rule = "├───────────────────────────────┼──────────────────────┼──────────────────────┤\n"
    text = "Fri Nov 20 09:12:11 2026\n╒═════════════════════════════════════════════════════════════════════════════╕\n│ NVITOP 1.5.3      Driver Version: 580.95.05     CUDA Driver Version: 13.0   │\n├───────────────────────────────┬──────────────────────┬──────────────────────┤\n│ GPU  Name        Persistence-M│ Bus-Id        Disp.A │ Volatile Uncorr. ECC │\n│ Fan  Temp  Perf  Pwr:Usage/Cap│         Memory-Usage │ GPU-Util  Compute M. │\n╞═══════════════════════════════╪══════════════════════╪══════════════════════╡\n"
    for gpu in range(8):
        errors = draw.randint(1, 9) if fault and gpu == bad else 0
        text += f"│   {gpu}  H100 80GB HBM3      On  │ 00000000:{0x1b + gpu * 8:02X}:00.0 Off │{errors:>21} │\n│ N/A   {draw.randint(50, 60)}C    P0   {draw.randint(600, 690)}W / 700W │  {draw.randint(70, 76)}.10GiB / 79.65GiB │{draw.randint(96, 100):>6}%      Default │\n" + (rule if gpu < 7 else "╘═══════════════════════════════╧══════════════════════╧══════════════════════╛\n")
    return {"nvitop.txt": text}, [f"gpu ?{bad}$"] if fault else HEALTHY


def tt_smi(draw, fault):
    """tt-smi -s of eight cards: the memory of one did not train."""
    bad, cards = draw.randrange(8), []
    for card in range(8):
        cards.append({"smbus_telem": {"BOARD_ID": f"0x10001461170{draw.randint(1000, 9999)}", "AICLK": "0x3e8"}, "board_info": {"bus_id": f"0000:{0x01 + card * 0x20:02x}:00.0", "board_type": "n300 L", "board_id": f"010001461170{draw.randint(1000, 9999)}", "coords": f"({card % 4}, {card // 4}, 0, 0)", "dram_status": not (fault and card == bad), "dram_speed": "12G", "pcie_speed": 4, "pcie_width": "16"},
                      "telemetry": {"voltage": f"0.{draw.randint(72, 79)}", "current": f" {draw.randint(20, 40)}.0", "power": f" {draw.randint(20, 40)}.0", "aiclk": "1000", "asic_temperature": f"{draw.uniform(40, 55):.1f}"}, "firmwares": {"arc_fw": "2.30.0.0", "eth_fw": "6.14.0"}})
    return {"tt_smi.json": json.dumps({"time": "2026-11-20T09:12:11.123456", "host_info": {"OS": "Linux", "Distro": "Ubuntu 24.04", "Kernel": "6.8.0-45-generic", "Hostname": "tt-quiet-01"}, "device_info": cards}, indent=4)}, [f"{0x01 + bad * 0x20:02x}:00"] if fault else HEALTHY


def nginx_upstream(draw, fault):
    """The log of a proxy in front of six servers of one model; one of them answers later than the others."""
    base, bad, lines = draw.uniform(0.3, 0.9), draw.randrange(6), []
    for at in range(600):
        server = draw.randrange(6)
        late = base * draw.lognormvariate(0, 0.15) * (1.7 if fault and server == bad else 1)
        lines.append(f"10.8.0.{draw.randint(2, 200)} - - [20/Nov/2026:09:{at // 60:02}:{at % 60:02} +0000] \"POST /v1/chat/completions HTTP/1.1\" 200 {draw.randint(900, 4000)} \"-\" \"python-httpx/0.28\" rt={late + 0.001:.3f} ua=\"10.4.0.{11 + server}:8000\" us=\"200\" ut=\"{late:.3f}\"")
    return {"access.log": "\n".join(lines) + "\n"}, [f"10\\.4\\.0\\.{11 + bad}"] if fault else HEALTHY


CASES = [torch_error, nvme_error_log, quda, nuttcp, io500, mpip, uname_pdsh, cpu_mhz, nvitop, tt_smi, nginx_upstream]
