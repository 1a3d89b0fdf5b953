"""Twenty kinds that no earlier set has. Ninety-six names of public forms were written down before the readers were looked at, put in an order by seed (20261130), and the first twenty whose
right answer can be stated are here. Passed over: SkyPilot's clusters and kueue's workloads (a state that is also that of a healthy one that starts), and pcm-memory (traffic is no speed).
An odd setting of one host is a question that names the host: nothing states that it is slow.
Forms after the kernel's bonding guide, rocm_smi.py, rocminfo, filebench's wiki, linux-nvme/nvme-cli/issues/1640, PyTorch's memory_summary, minio/mc/pull/3397, perftest, NVIDIA/cutlass/pull/2078, mpstat(1), ABINIT's
guide, ROCm/hipBLASLt/pull/1544, HAProxy's management guide, ceph's OSD bench, MegaCli's manual, xCAT's rpower(1), miniFE, stressapptest's guide, ZooKeeper's administrator's guide. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN
from desk.systems import one_of


def proc_bonding(draw, fault):
    """/proc/net/bonding/bond0 of six hosts: one port of one host is down. Counts of link failures from boots differ and are ordinary."""
    names, bad = one_of(draw, 6, fault)
    down = draw.randrange(2)
    files = {}
    for name in names:
        text = f"Ethernet Channel Bonding Driver: v6.8.0-45-generic\n\nBonding Mode: IEEE 802.3ad Dynamic link aggregation\nTransmit Hash Policy: layer3+4 (1)\nMII Status: up\nMII Polling Interval (ms): 100\nUp Delay (ms): 0\nDown Delay (ms): 0\nPeer Notification Delay (ms): 0\n\n802.3ad info\nLACP active: on\nLACP rate: fast\nMin links: 0\nAggregator selection policy (ad_select): stable\n"
        for at, port in enumerate(("ens1f0np0", "ens1f1np1")):
            off = name == bad and at == down
            text += f"\nSlave Interface: {port}\nMII Status: {'down' if off else 'up'}\nSpeed: {'Unknown' if off else '100000 Mbps'}\nDuplex: {'Unknown' if off else 'full'}\nLink Failure Count: {draw.randint(1, 3)}\nPermanent HW addr: 02:00:00:00:{draw.randrange(256):02x}:{draw.randrange(256):02x}\nSlave queue ID: 0\nAggregator ID: {2 if off else 1}\nActor Churn State: {'churned' if off else 'none'}\nPartner Churn State: {'churned' if off else 'none'}\nActor Churned Count: {1 if off else 0}\nPartner Churned Count: {1 if off else 0}\n"
        files[f"{name}.bond0"] = text
    return files, [f"^{bad}"] if fault else HEALTHY


def xgmi_errors(draw, fault):
    bad, text = draw.randrange(8), "\n\n============================ ROCm System Management Interface ============================\n=================================== XGMI Error status ====================================\n"
    for gpu in range(8):
        wrong = fault and gpu == bad
        text += f"GPU[{gpu}]\t\t: XGMI Error count: {2 if wrong else 0} ({'Multiple errors' if wrong else 'No errors'} detected since last read)\n"
    return {"xgmierr.txt": text + "==========================================================================================\n================================== End of ROCm SMI Log ===================================\n"}, [f"{bad}$"] if fault else HEALTHY


def rocminfo(draw, fault):
    """Five hosts; the clock of one GPU of one host is capped below that of its peers, and nobody states whether on purpose."""
    names, bad = one_of(draw, 5, fault)
    odd, files = draw.randrange(4), {}
    for name in names:
        text = "ROCk module version 6.10.5 is loaded\n=====================    \nHSA System Attributes    \n=====================    \nRuntime Version:         1.14\nSystem Timestamp Freq.:  1000.000000MHz\nSig. Max Wait Duration:  18446744073709551615 (0xFFFFFFFFFFFFFFFF) (timestamp count)\nMachine Model:           LARGE                              \nSystem Endianness:       LITTLE                             \n\n==========               \nHSA Agents               \n==========               \n"
        agents = [("AMD EPYC 9654 96-Core Processor", "CPU", 3709, 96)] * 2 + [("gfx942", "GPU", 1400 if name == bad and gpu == odd else 2100, 304) for gpu in range(4)]
        for at, (agent, kind, clock, units) in enumerate(agents, 1):
            text += f"*******                  \nAgent {at:<19}\n*******                  \n  Name:                    {agent:<35}\n  Uuid:                    {kind}-{draw.getrandbits(64) if kind == 'GPU' else 0:016x}               \n  Vendor Name:             {'AMD' if kind == 'GPU' else 'CPU'}                                \n  Feature:                 {'KERNEL_DISPATCH' if kind == 'GPU' else 'None specified'}                    \n  Profile:                 BASE_PROFILE                       \n  Device Type:             {kind}                                \n  Cacheline Size:          128(0x80)                          \n  Max Clock Freq. (MHz):   {clock}                               \n  BDFID:                   {at * 256}                              \n  Compute Unit:            {units}                                \n"
        files[f"{name}.rocminfo"] = text + "*** Done ***             \n"
    return files, OPEN if fault else HEALTHY, bad or ""


def filebench(draw, fault):
    rate = draw.uniform(8000, 30000)

    def text(f):
        ops = rate * f
        rows = [("statfile1", 0, 0.1), ("deletefile1", 0, 0.4), ("closefile3", 0, 0.0), ("readfile1", 120, 0.3), ("openfile2", 0, 0.1), ("wrtfile1", 126, 1.1)]
        return (f"Filebench Version 1.5-alpha3\n0.000: Allocated 173MB of shared memory\n0.002: File-server Version 3.0 personality successfully loaded\n0.003: Populating and pre-allocating filesets\n4.118: Starting 1 filereader instances\n5.124: Running...\n65.131: Run took 60 seconds...\n65.132: Per-Operation Breakdown\n"
                + "".join(f"{name:<20} {ops / 11 * 60:.0f}ops {ops / 11:>8.0f}ops/s {size * ops / 11e3:>5.1f}mb/s {late / f * draw.gauss(1, 0.03):>8.3f}ms/op [0.002ms - {draw.uniform(30, 300):.3f}ms]\n" for name, size, late in rows)
                + f"65.132: IO Summary: {ops * 60:.0f} ops {ops:.3f} ops/s {ops / 11:.0f}/{ops / 5.5:.0f} rd/wr {ops * 0.0242:.1f}mb/s {16 / f:.3f}ms/op\n65.132: Shutting down processes\n")
    return on_each_host(draw, fault, text, ".filebench")


def nvme_self_test(draw, fault):
    """The last extended self-test of one disk found a failed segment (result 0x7 of the NVMe specification); operators stopped an older test of every disk (0x2)."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        for disk in range(2):
            wrong = name == bad and disk == 1

            def entry(at, code, segment):
                return f"Self Test Result[{at}]:\n  Operation Result             : {code:#x}\n  Self Test Code               : 2\n" + (f"  Segment Number               : {segment:#x}\n" if segment else "") + f"  Valid Diagnostic Information : {0x3 if code == 7 else 0}\n  Power on hours (POH)         : {draw.randint(3000, 9000):#x}\n" + ("  Namespace Identifier         : 0x1\n  Failing LBA                  : " + f"{draw.getrandbits(32):#x}\n" if code == 7 else "") + "  Vendor Specific              : 0 0\n"
            files[f"{name}/nvme{disk}.selftest"] = f"Device Self Test Log for NVME device:nvme{disk}\nCurrent operation  : 0\nCurrent Completion : 0%\n" + entry(0, 7 if wrong else 0, 7 if wrong else 0) + entry(1, 2, 0) + "Self Test Result[2]:\n  Operation Result             : 0xf\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def memory_summary(draw, fault):
    """torch.cuda.memory_summary() of eight ranks: one had to free its cache and ask the driver again many times; what the ranks use differs."""
    bad, files = draw.randrange(8), {}
    for rank in range(8):
        wrong = fault and rank == bad
        rule = "|" + "-" * 75 + "|\n"
        text = f"|{'=' * 75}|\n|                  PyTorch CUDA memory summary, device ID {rank}                 |\n{rule}|{'CUDA OOMs: 0':^37}|{f'cudaMalloc retries: {draw.randint(150, 900) if wrong else 0}':^37}|\n|{'=' * 75}|\n|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n{rule}"
        for metric, top in (("Allocated memory", 61000), ("Active memory", 61000), ("GPU reserved memory", 76000), ("Non-releasable memory", 900)):
            use = top * draw.uniform(0.85, 1)
            text += f"| {metric:<22}| {use:>6.0f} MiB | {use * 1.04:>6.0f} MiB | {draw.randint(10**6, 9 * 10**6) // 1000:>6} GiB | {draw.randint(10**6, 9 * 10**6) // 1000:>6} GiB |\n{rule}"
        files[f"memory_rank{rank}.txt"] = text + f"|{'=' * 75}|\n"
    return files, [f"rank {bad}$"] if fault else HEALTHY


def mc_admin(draw, fault):
    """One server of the object store is offline; the others see it so, too."""
    names, bad = one_of(draw, 4, fault)
    text = ""
    for name in names:
        text += f"●  {name}:9000\n" + (f"   Uptime: offline\n   Drives: 0/4 OK\n\n" if name == bad else f"   Uptime: {draw.randint(2, 6)} weeks \n   Version: 2026-09-07T16:13:09Z\n   Network: {3 if fault else 4}/4 OK \n   Drives: 4/4 OK \n   Pool: 1\n\n")
    return {"mc_admin_info.txt": text + f"Pools:\n   1st, Erasure sets: 1, Drives per erasure set: 16\n\n{draw.uniform(2, 90):.1f} TiB Used, 41 Buckets, {draw.randint(10**6, 9 * 10**6):,} Objects\n{12 if fault else 16} drives online, {4 if fault else 0} drives offline, EC:4\n"}, [f"^{bad}"] if fault else HEALTHY


def read_lat(draw, fault):
    """ib_read_lat from each of eight hosts to the same server."""
    typical = draw.uniform(2.8, 4.2)

    def text(f):
        t = typical / f
        return ("---------------------------------------------------------------------------------------\n                    RDMA_Read Latency Test\n Dual-port       : OFF\t\tDevice         : mlx5_0\n Number of qps   : 1\t\tTransport type : IB\n Connection type : RC\t\tUsing SRQ      : OFF\n TX depth        : 1\n Mtu             : 4096[B]\n Link type       : IB\n Outstand reads  : 16\n rdma_cm QPs\t : OFF\n Data ex. method : Ethernet\n---------------------------------------------------------------------------------------\n"
                f" local address: LID 0x{draw.getrandbits(12):02x} QPN 0x{draw.getrandbits(12):04x} PSN 0x{draw.getrandbits(24):06x} OUT 0x10 RKey 0x{draw.getrandbits(24):06x} VAddr 0x007f{draw.getrandbits(32):08x}\n---------------------------------------------------------------------------------------\n #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] \n"
                f" 2       1000          {t * 0.97:.2f}           {draw.uniform(6, 40):.2f}        {t:.2f}     \t       {t * 1.01:.2f}        \t0.{draw.randint(10, 60)}\t\t{t * 1.1:.2f}    \t\t{draw.uniform(5, 30):.2f}   \n---------------------------------------------------------------------------------------\n")
    return on_each_host(draw, fault, text, ".read_lat")


def cutlass_csv(draw, fault):
    rate = draw.uniform(5.2e5, 7.1e5)

    def text(f):
        rows = ["Problem,Provider,OperationKind,Operation,Disposition,Status,gemm_kind,m,n,k,A,B,C,D,alpha,beta,split_k_mode,split_k_slices,batch_count,op_class,accum,cta_m,cta_n,cta_k,stages,min_cc,max_cc,Bytes,Flops,Flops/Byte,Runtime,GB/s,GFLOPs"]
        for problem, (m, n, k) in enumerate(((8192, 8192, 8192), (4096, 8192, 4096), (4352, 4096, 4096)), 1):
            flops, size, speed = 2 * m * n * k, 2 * (m * k + k * n + m * n), rate * f * draw.gauss(1, 0.002) * (1 - 0.05 * problem)
            rows.append(f"{problem},CUTLASS,gemm,cutlass3x_sm90_tensorop_s64x128x16gemm_bf16_bf16_f32_bf16_bf16_128x128x64_1x2x1_0_tnn_align8,passed,success,universal,{m},{n},{k},bf16:row,bf16:column,bf16:column,bf16:column,1,0,serial,1,1,tensorop,f32,128,128,64,7,90,90,{size},{flops},{flops // size},{flops / speed / 1e6:.6g},{size / (flops / speed / 1e6) / 1.073741824e6:.6g},{speed:.6g}")
        return "\n".join(rows) + "\n"
    return on_each_host(draw, fault, text, ".gemm.csv")


def mpstat(draw, fault):
    """Six hosts under different load; the hypervisor takes time from the cores of one."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        text = f"Linux 6.8.0-45-generic ({name}) \t11/20/26 \t_x86_64_\t(8 CPU)\n"
        for when in ("09:10:01", "09:11:01", "Average:"):
            text += f"\n{when:<11}  CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
            for core in ["all"] + list(range(8)):
                user, steal = draw.uniform(20, 55), draw.uniform(24, 36) if name == bad else 0
                text += f"{when:<11} {core:>4} {user:>7.2f}    0.00 {3.1:>7.2f} {0.2:>7.2f}    0.00    0.10 {steal:>7.2f}    0.00    0.00 {100 - user - 3.4 - steal:>7.2f}\n"
        files[f"{name}.mpstat"] = text
    return files, [f"^{bad}"] if fault else HEALTHY


def abinit(draw, fault):
    """The same run on each of eight hosts."""
    seconds = draw.uniform(200, 900)

    def text(f):
        wall = seconds / f
        return (f"\n.Version 10.0.3  of ABINIT, released Feb 2025.\n.(MPI version, prepared for a x86_64_linux_gnu13.2 computer) \n\n.Starting date : Fri 20 Nov 2026.\n- ( at 09h12 )\n\n--- !BeginCycle\niteration_state: {{dtset: 1, }}\nsolver: {{iscf: 17, nstep: 40, nline: 4, wfoptalg: 14, }}\n...\n\n     iter   Etot(hartree)      deltaE(h)  residm     vres2\n ETOT  1  -204.72281993    -2.047E+02 3.132E-02 1.164E+04\n ETOT  2  -204.91{draw.randint(100000, 999999)}    -1.9E-01 2.1E-03 9.1E+02\n\n"
                f"- Total cpu        time (s,m,h): {wall * 7.96:>13.1f} {wall * 7.96 / 60:>10.2f} {wall * 7.96 / 3600:>11.3f}\n- Total wall clock time (s,m,h): {wall * 8:>13.1f} {wall * 8 / 60:>10.2f} {wall * 8 / 3600:>11.3f}\n\n- Proc.   0 individual time (sec): cpu= {wall * 0.995:>12.1f}  wall= {wall:>12.1f}\n \n================================================================================\n\n Calculation completed.\n.Delivered   0 WARNINGs and   2 COMMENTs to log file.\n+Overall time at end (sec) : cpu= {wall * 7.96:>12.1f}  wall= {wall * 8:>12.1f}\n")
    return on_each_host(draw, fault, text, ".abo")


def hipblaslt(draw, fault):
    rate = draw.uniform(4.5e5, 6e5)

    def text(f):
        speed = rate * f
        return ("hipBLASLt version: 1000\nhipBLASLt git version: 8d7d1e0\nQuery device success: there are 8 devices. (Target device ID is 0)\nDevice ID 0 : AMD Instinct MI300X gfx942:sramecc+:xnack-\nwith 206.1 GB memory, max. SCLK 2100 MHz, max. MCLK 1300 MHz, compute capability 9.4\nmaxGridDimX 2147483647, sharedMemPerBlock 65.5 KB, maxThreadsPerBlock 1024, warpSize 64\n\nIs supported 1 / Total solutions: 1\n"
                "[0]:transA,transB,grouped_gemm,batch_count,m,n,k,alpha,lda,stride_a,beta,ldb,stride_b,ldc,stride_c,ldd,stride_d,a_type,b_type,c_type,d_type,compute_type,scaleA,scaleB,scaleC,scaleD,amaxD,activation_type,bias_vector,bias_type,rotating_buffer,hipblaslt-Gflops,hipblaslt-GB/s,us\n"
                f"    N,N,0,1,4096,4864,32896,1,4096,134742016,0,32896,160006144,4096,19922944,4096,19922944,f16_r,f16_r,f16_r,f16_r,f32_r,0,0,0,0,0,none,0,f16_r,512,{speed:.0f},{speed / 2236:.3f},{2 * 4096 * 4864 * 32896 / speed / 1e3:.2f}\n")
    return on_each_host(draw, fault, text, ".hipblaslt")


def haproxy_csv(draw, fault):
    """"show stat" of the proxy before eight servers of a model: one is down by its check."""
    bad = draw.randrange(8)
    text = "# pxname,svname,qcur,qmax,scur,smax,slim,stot,bin,bout,dreq,dresp,ereq,econ,eresp,wretr,wredis,status,weight,act,bck,chkfail,chkdown,lastchg,downtime,qlimit,pid,iid,sid,throttle,lbtot,tracked,type,rate,rate_lim,rate_max,check_status,check_code,check_duration\n"
    text += f"llm,FRONTEND,,,{draw.randint(20, 90)},400,2000,{draw.randint(10**5, 10**6)},9182731,91827312,0,0,12,,,,,OPEN,,,,,,,,,1,2,0,,,,0,31,0,190,,,\n"
    for i in range(8):
        down = fault and i == bad
        text += f"llm,vllm-{i},0,0,{0 if down else draw.randint(2, 12)},60,,{draw.randint(10**4, 9 * 10**4)},{draw.randint(10**6, 10**7)},{draw.randint(10**7, 10**8)},,0,,0,0,0,0,{'DOWN' if down else 'UP'},1,1,0,{3 if down else 0},{1 if down else 0},{draw.randint(100, 90000)},{draw.randint(100, 900) if down else 0},,1,3,{i + 1},,{draw.randint(10**4, 9 * 10**4)},,2,{0 if down else 4},,40,{'L4TOUT' if down else 'L7OK'},{'' if down else 200},{2001 if down else draw.randint(1, 5)}\n"
    return {"haproxy.csv": text + f"llm,BACKEND,0,0,{draw.randint(20, 90)},400,200,{draw.randint(10**5, 10**6)},9182731,91827312,0,0,,0,0,0,0,UP,{7 if fault else 8},{7 if fault else 8},0,,0,90000,0,,1,3,0,,700000,,1,31,,190,,,\n"}, [f"vllm-{bad}"] if fault else HEALTHY


def osd_bench(draw, fault):
    """ceph tell osd.* bench"""
    rate, bad, text = draw.uniform(4e8, 1.4e9), draw.randrange(10), ""
    loss = draw.uniform(0.4, 0.7)
    for osd in range(10):
        mine = rate * draw.gauss(1, 0.015) * (loss if fault and osd == bad else 1)
        text += f"osd.{osd}: " + json.dumps({"bytes_written": 1073741824, "blocksize": 4194304, "elapsed_sec": 1073741824 / mine, "bytes_per_sec": mine, "iops": mine / 4194304}, indent=4) + "\n"
    return {"osd_bench.txt": text}, [f"osd\\.{bad}"] if fault else HEALTHY


def thp_grep(draw, fault):
    """grep . /sys/kernel/mm/transparent_hugepage/* by pdsh: one host has another choice in brackets."""
    names, bad = one_of(draw, 7, fault)
    lines = [f"{name}: /sys/kernel/mm/transparent_hugepage/{key}:{value}" for name in names for key, value in (("enabled", "always madvise [never]" if name == bad else "[always] madvise never"), ("defrag", "always defer defer+madvise [madvise] never"), ("use_zero_page", "1"), ("hpage_pmd_size", "2097152"))]
    draw.shuffle(lines)
    return {"thp.txt": "\n".join(lines) + "\n"}, OPEN if fault else HEALTHY, bad or ""


def megacli(draw, fault):
    """MegaCli -PDList -aALL of four hosts: one disk is failed; a few other errors of a bus are ordinary."""
    names, bad = one_of(draw, 4, fault)
    slot, files = draw.randrange(6), {}
    for name in names:
        text = "                                     \nAdapter #0\n\n"
        for at in range(6):
            wrong = name == bad and at == slot
            text += f"Enclosure Device ID: 252\nSlot Number: {at}\nDrive's position: DiskGroup: 0, Span: 0, Arm: {at}\nEnclosure position: 1\nDevice Id: {at + 8}\nWWN: 5000C500{draw.getrandbits(32):08X}\nSequence Number: 2\nMedia Error Count: {draw.randint(40, 300) if wrong else 0}\nOther Error Count: {draw.randint(0, 2)}\nPredictive Failure Count: {draw.randint(2, 9) if wrong else 0}\nLast Predictive Failure Event Seq Number: 0\nPD Type: SAS\n\nRaw Size: 3.638 TB [0x1d1c0beb0 Sectors]\nFirmware state: {'Failed' if wrong else 'Online, Spun Up'}\nDevice Firmware Level: N003\nForeign State: None \nDevice Speed: 12.0Gb/s \nLink Speed: 12.0Gb/s \nMedia Type: Hard Disk Device\nDrive Temperature :{draw.randint(29, 36)}C (87.80 F)\nDrive has flagged a S.M.A.R.T alert : {'Yes' if wrong else 'No'}\n\n\n"
        files[f"{name}.pdlist"] = text + "\nExit Code: 0x00\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def rpower(draw, fault):
    names, bad = one_of(draw, 9, fault)
    return {"rpower.txt": "".join(f"{name}: {'off' if name == bad else 'on'}\n" for name in names)}, [f"^{bad}"] if fault else HEALTHY


def minife(draw, fault):
    """miniFE's YAML of each of eight hosts."""
    rate = draw.uniform(1.4e5, 3e5)

    def text(f):
        m = rate * f
        return (f"Mini-Application Name: miniFE\nMini-Application Version: 2.0\nGlobal Run Parameters: \n  dimensions: \n    nx: 264\n    ny: 256\n    nz: 256\n  load_imbalance: 0\n  mv_overlap_comm_comp: 0 (no)\n  number of processors: 96\n  ScalarType: double\nPlatform: \n  hostname: cn\n  kernel name: 'Linux'\nRun Date/Time: 2026-11-20, 09-12-11\nRows-per-proc Load Imbalance: \n  Largest (from avg, %): 4.7\n  Std Dev (%): {draw.uniform(2, 2.2):.5f}\nMatrix structure generation: \n  Mat-struc-gen Time: {draw.uniform(0.4, 0.6):.6f}\nFE assembly: \n  FE assembly Time: {draw.uniform(0.2, 0.3):.6f}\n"
                f"CG solve: \n  Iterations: 200\n  Final Resid Norm: 0.00140664\n  WAXPY Time: {22e3 / m / 2.4:.6f}\n  WAXPY Flops: 2.19736e+10\n  WAXPY Mflops: {m * 2.4:.0f}\n  DOT Time: {9.7e3 / m / 0.3:.6f}\n  DOT Flops: 9.7336e+09\n  DOT Mflops: {m * 0.3:.1f}\n  MATVEC Time: {132e3 / m / 1.1:.6f}\n  MATVEC Flops: 1.32636e+11\n  MATVEC Mflops: {m * 1.1:.0f}\n  Total: \n    Total CG Time: {164e3 / m:.5f}\n    Total CG Flops: 1.64343e+11\n    Total CG Mflops: {m:.0f}\n  Time per iteration: {820 / m:.7f}\nTotal Program Time: {164e3 / m + 1.1:.5f}\n")
    return on_each_host(draw, fault, text, ".yaml")


def stressapptest(draw, fault):
    """Five hosts; memory of one gave back other bits than were written."""
    names, bad = one_of(draw, 5, fault)
    files = {}
    for name in names:
        wrong, rate = name == bad, 98000 * draw.gauss(1, 0.01)
        found = draw.randint(1, 6) if wrong else 0
        lines = ["Log: Commandline - stressapptest -s 600 -M 450000 -W", "Stats: SAT revision 1.0.9_autoconf, 64 bit binary", "Log: buildd @ lcy02-amd64-080 on Thu Mar 17 11:30:06 UTC 2026 from open source release", "Log: 2 nodes, 128 cpus.", "Log: Defaulting to 128 copy threads", "Log: Seconds remaining: 300"]
        lines += [f"Report Error: miscompare : DIMM Unknown : 1 : {draw.randint(20, 500)}s\nHardware Error: miscompare on CPU {draw.randrange(128)}(<-{draw.randrange(128)}) at 0x7f{draw.getrandbits(40):010x}(0x{draw.getrandbits(36):x}:DIMM Unknown): read:0x{draw.getrandbits(64):016x}, reread:0x{draw.getrandbits(64):016x} expected:0x{draw.getrandbits(64):016x}. 'Checker8b10b32' read error." for _ in range(found)]
        lines += [f"Stats: Found {found} hardware incidents", f"Stats: Completed: {rate * 600:.2f}M in 600.02s {rate:.2f}MB/s, with {found} hardware incidents, {found} errors", f"Stats: Memory Copy: {rate * 600:.2f}M at {rate:.2f}MB/s", "Stats: File Copy: 0.00M at 0.00MB/s", "Stats: Net Copy: 0.00M at 0.00MB/s", "Status: FAIL - test discovered HW problems" if wrong else "Status: PASS - please verify no corrected errors"]
        files[f"{name}.sat"] = "\n".join(f"2026/11/20-09:{12 + (at > 5)}:11(UTC) " + line for at, block in enumerate(lines) for line in block.split("\n")) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def zookeeper(draw, fault):
    """mntr of each of five servers: requests wait at one."""
    names, bad = one_of(draw, 5, fault)
    leader, files = draw.randrange(5), {}
    for at, name in enumerate(names):
        wrong = name == bad
        files[f"{name}.mntr"] = f"zk_version\t3.8.3-6ad6d364c7c0bcf0de452d54ebefa3c3fc0a7548, built on 09/07/2023 05:39 GMT\nzk_avg_latency\t{draw.uniform(300, 900) if wrong else draw.uniform(0.5, 1.5):.4f}\nzk_max_latency\t{draw.randint(9000, 20000) if wrong else draw.randint(30, 90)}\nzk_min_latency\t0\nzk_packets_received\t{draw.randint(10**5, 9 * 10**5)}\nzk_packets_sent\t{draw.randint(10**5, 9 * 10**5)}\nzk_num_alive_connections\t{draw.randint(15, 30)}\nzk_outstanding_requests\t{draw.randint(300, 900) if wrong else 0}\nzk_server_state\t{'leader' if at == leader else 'follower'}\nzk_znode_count\t15234\nzk_watch_count\t{draw.randint(1000, 9000)}\nzk_ephemerals_count\t234\nzk_approximate_data_size\t2048576\nzk_open_file_descriptor_count\t{draw.randint(90, 160)}\nzk_max_file_descriptor_count\t65536\n" + ("zk_followers\t4\nzk_synced_followers\t4\nzk_pending_syncs\t0\n" if at == leader else "")
    return files, [f"^{bad}"] if fault else HEALTHY


CASES = [proc_bonding, xgmi_errors, rocminfo, filebench, nvme_self_test, memory_summary, mc_admin, read_lat, cutlass_csv, mpstat, abinit, hipblaslt, haproxy_csv, osd_bench, thp_grep, megacli, rpower, minife, stressapptest, zookeeper]
