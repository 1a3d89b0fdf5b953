"""A third set of kinds, drawn up after the readers of labels were mended for the second: step lines of PaddleNLP, verl, ESPnet, the
TensorFlow model garden, TensorFlow's estimator and MindSpore, benchmarks run host by host (Graph500, CoreMark, hdparm, dd, ucx_perftest,
HPCC, stress-ng, mlc), and states of multipath, systemctl, bhosts, ipmitool sensor, ip -br link, ibdev2netdev, Redfish and storcli.
Formats as these programs print them. Values are drawn."""
import json

from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, hosts
from desk.more import steps
from desk.trainers import clock


def paddle(draw, fault):
    base = draw.uniform(2, 9)
    return steps(draw, fault, lambda at, f: f"[2026-11-20 {clock(at)},{draw.randint(100, 999)}] [    INFO] - loss: {11 - at * 0.02:.8f}, learning_rate: {at * 1e-7:.3e}, global_step: {(at + 1) * 10}, current_memory_allocated: 61.25, max_memory_reserved: 74.1, interval_runtime: {base * f:.4f}, interval_samples_per_second: {640 / (base * f):.4f}, interval_steps_per_second: {10 / (base * f):.4f}, progress_or_epoch: {at * 0.001:.4f}")


def verl(draw, fault):
    base = draw.uniform(40, 120)
    return steps(draw, fault, lambda at, f: f"step:{at + 1} - actor/entropy_loss:{0.4 - at * 0.001:.3f} - critic/score/mean:{0.2 + at * 0.002:.3f} - timing_s/gen:{base * f * 0.5:.3f} - timing_s/step:{base * f:.3f} - perf/total_num_tokens:{draw.randint(900000, 900200)} - perf/time_per_step:{base * f:.3f} - perf/throughput:{900000 / (base * f) / 8:.3f}", 60)


def espnet(draw, fault):
    base = draw.uniform(0.6, 1.5)
    return steps(draw, fault, lambda at, f: f"[gpu001] 2026-11-20 {clock(at)},{draw.randint(100, 999)} (trainer:732) INFO: 1epoch:train:{at * 100 + 1}-{at * 100 + 100}batch: iter_time={0.003 * draw.gauss(1, 0.2):.3e}, forward_time={base * f * 0.3:.3f}, loss_ctc={90 - at * 0.1:.3f}, acc=0.41, loss={80 - at * 0.1:.3f}, backward_time={base * f * 0.6:.3f}, optim_step_time={0.04 * f:.3f}, optim0_lr0=1.2e-05, train_time={base * f:.3f}")


def tf_models(draw, fault):
    base = draw.uniform(3, 20)
    return steps(draw, fault, lambda at, f: f"I1120 {clock(at)}.{draw.randint(100000, 999999)} 139872 controller.py:493] train | step: {(at + 1) * 100:>6} | steps/sec: {base / f:6.1f} | output: {{'learning_rate': 0.0012, 'training_loss': {7 - at * 0.02:.4f}}}")


def tf_estimator(draw, fault):
    base = draw.uniform(4, 12)
    return steps(draw, fault, lambda at, f: f"INFO:tensorflow:global_step/sec: {100 / (base * f):.5g}\nINFO:tensorflow:loss = {8 - at * 0.02:.7f}, step = {(at + 1) * 100} ({base * f:.3f} sec)")


def mindspore(draw, fault):
    base = draw.uniform(100, 700)
    return steps(draw, fault, lambda at, f: f"epoch: 1 step: {(at + 1) * 10}, loss is {9 - at * 0.02:.6f}\nTrain epoch time: {base * f * 10:.3f} ms, per step time: {base * f:.3f} ms")


def graph500(draw, fault):
    top = draw.uniform(2e9, 9e10)
    return on_each_host(draw, fault, lambda s: f"graph_generation:               {draw.uniform(10, 11):.6f}\nnum_mpi_processes:              8\nSCALE:                          26\nedgefactor:                     16\nmin_time:                       {1.05e9 / (top * s * 1.05):.6f}\nmedian_time:                    {1.05e9 / (top * s):.6f}\nbfs  harmonic_mean_TEPS:     !  {top * s:.5e}\nbfs  harmonic_stddev_TEPS:   !  {top * draw.uniform(0.001, 0.002):.5e}\n", ".graph500")


def coremark(draw, fault):
    top = draw.uniform(2e6, 5e6)
    return on_each_host(draw, fault, lambda s: f"2K performance run parameters for coremark.\nCoreMark Size    : 666\nTotal ticks      : {draw.randint(14000, 15000)}\nTotal time (secs): {14.4 / s:.6f}\nIterations/Sec   : {top * s:.6f}\nIterations       : 57600000\nCompiler version : GCC12.2.0\nseedcrc          : 0xe9f5\n[0]crclist       : 0xe714\nCorrect operation validated. See README.md for run and reporting rules.\nCoreMark 1.0 : {top * s:.6f} / GCC12.2.0 -O2 -lrt / Heap\n", ".coremark")


def hdparm(draw, fault):
    top = draw.uniform(1500, 6000)
    return on_each_host(draw, fault, lambda s: f"\n/dev/nvme0n1:\n Timing cached reads:   {draw.randint(39000, 39200)} MB in  2.00 seconds = {19600 * draw.gauss(1, 0.004):.2f} MB/sec\n Timing buffered disk reads: {int(top * s * 3)} MB in  3.00 seconds = {top * s:.2f} MB/sec\n", ".hdparm", 0.01)


def dd(draw, fault):
    top = draw.uniform(1.2, 4)
    return on_each_host(draw, fault, lambda s: f"10240+0 records in\n10240+0 records out\n10737418240 bytes (11 GB, 10 GiB) copied, {10.737 / (top * s):.5g} s, {top * s:.2g} GB/s\n", ".dd", 0.004)


def ucx_perftest(draw, fault):
    top = draw.uniform(10000, 46000)
    return on_each_host(draw, fault, lambda s: f"+--------------+--------------+------------------------------+---------------------+-----------------------+\n|              |              |       overhead (usec)        |   bandwidth (MB/s)  |  message rate (msg/s) |\n+--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+\n|    Stage     | # iterations | 50.0%ile | average | overall |  average |  overall |  average  |  overall  |\n+--------------+--------------+----------+---------+---------+----------+----------+-----------+-----------+\nFinal:                  10000     {22 / s:.3f}    {22.3 / s:.3f}    {22.4 / s:.3f}   {top * s:.2f}   {top * s:.2f}       {top * s:.0f}       {top * s:.0f}\n", ".ucx")


def hpcc(draw, fault):
    top = draw.uniform(2, 12)
    return on_each_host(draw, fault, lambda s: f"Begin of Summary section.\nVersionMajor=1\nVersionMinor=5\nSuccess=1\nHPL_Tflops={top * s:.6f}\nStarDGEMM_Gflops={top * s * 120:.4f}\nPTRANS_GBs={top * s * 9:.5f}\nStarSTREAM_Triad={top * s * 4:.5f}\nMPIRandomAccess_GUPs={top * s * 0.05:.6f}\nMaxPingPongLatency_usec={1.9 / s:.5f}\nEnd of Summary section.\n", ".hpcc")


def stress_ng(draw, fault):
    top = draw.uniform(2000, 9000)
    return on_each_host(draw, fault, lambda s: f"stress-ng: info:  [{draw.randint(2000, 9000)}] dispatching hogs: 112 matrix\nstress-ng: metrc: [4242] stressor       bogo ops real time  usr time  sys time   bogo ops/s     bogo ops/s\nstress-ng: metrc: [4242]                           (secs)    (secs)    (secs)   (real time) (usr+sys time)\nstress-ng: metrc: [4242] matrix         {int(top * s * 60)}     60.00   6711.10      0.31     {top * s:.2f}         {top * s / 112:.2f}\nstress-ng: info:  [4242] passed: 112: matrix (112)\n", ".stress")


def mlc(draw, fault):
    top = draw.uniform(200000, 500000)
    return on_each_host(draw, fault, lambda s: f"Intel(R) Memory Latency Checker - v3.11\nMeasuring Peak Injection Memory Bandwidths for the system\nBandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)\nUsing all the threads from each core if Hyper-threading is enabled\nUsing traffic with the following read-write ratios\nALL Reads        :\t{top * s:.1f}\t\n3:1 Reads-Writes :\t{top * s * 0.93:.1f}\t\n2:1 Reads-Writes :\t{top * s * 0.92:.1f}\t\nStream-triad like:\t{top * s * 0.9:.1f}\t\n", ".mlc")


def multipath(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        files[f"{name}.multipath"] = f"mpatha (3600a098038304437415d4b6a59676d51) dm-0 NETAPP,LUN C-Mode\nsize=10T features='3 queue_if_no_path' hwhandler='1 alua' wp=rw\n|-+- policy='service-time 0' prio=50 status=active\n| |- 1:0:0:1 sdb 8:16 active ready running\n| `- 2:0:0:1 sdc 8:32 {'failed faulty' if ill else 'active ready'} running\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def systemctl(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    units = ["nvidia-fabricmanager.service", "nvidia-persistenced.service", "slurmd.service", "opensm.service", "chronyd.service"]
    worst = draw.choice(units[:3])
    for name in names:
        rows = ["  UNIT                           LOAD   ACTIVE SUB     DESCRIPTION"]
        for unit in units:
            ill = fault and name == bad and unit == worst
            rows.append(f"{'●' if ill else ' '} {unit:<30} loaded {'failed' if ill else 'active'} {'failed ' if ill else 'running'} {unit.split('.')[0]} daemon")
        files[f"{name}.units"] = "\n".join(rows + ["", "5 loaded units listed."]) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def bhosts(draw, fault):
    names = hosts(draw, 10)
    bad = draw.choice(names)
    rows = ["HOST_NAME          STATUS       JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV "]
    rows += [f"{name:<18} {draw.choice(['unavail', 'unreach']) if fault and name == bad else draw.choice(['ok', 'ok', 'closed']):<12} -    192    {draw.choice([0, 96, 192]):>3}    0      0      0      0" for name in names]
    return {"bhosts.txt": "\n".join(rows) + "\n"}, [bad] if fault else HEALTHY


def ipmi_sensor(draw, fault):
    names = hosts(draw, 4)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        rows = [("CPU1 Temp", f"{draw.randint(48, 60)}.000", "degrees C", "ok", "0.000", "0.000", "0.000", "93.000", "98.000", "98.000"), ("FAN1", f"{draw.randint(88, 99) * 100}.000", "RPM", "ok", "300.000", "500.000", "700.000", "25300.000", "25400.000", "25500.000"),
                ("FAN2", "0.000" if ill else f"{draw.randint(88, 99) * 100}.000", "RPM", "nr" if ill else "ok", "300.000", "500.000", "700.000", "25300.000", "25400.000", "25500.000"), ("12V", f"{draw.uniform(11.9, 12.1):.3f}", "Volts", "ok", "10.164", "10.521", "10.776", "12.918", "13.224", "13.224"), ("PS1 Status", "0x1", "discrete", "0x0100", "na", "na", "na", "na", "na", "na")]
        files[f"{name}.sensor"] = "\n".join(f"{row[0]:<17}| " + " | ".join(f"{cell:<10}" for cell in row[1:]) for row in rows) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def ip_brief(draw, fault):
    names = hosts(draw, 6)
    bad, files = draw.choice(names), {}
    worst = draw.randrange(4)
    for name in names:
        rows = [f"lo               UNKNOWN        00:00:00:00:00:00 <LOOPBACK,UP,LOWER_UP> "]
        rows += [f"ens{nic}f0np0        {'DOWN' if fault and name == bad and nic == worst else 'UP':<14} 94:6d:ae:{draw.randint(10, 99)}:{draw.randint(10, 99)}:0{nic} <BROADCAST,MULTICAST,UP{'' if fault and name == bad and nic == worst else ',LOWER_UP'}> " for nic in range(4)]
        files[f"{name}.iplink"] = "\n".join(rows) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def ibdev2netdev(draw, fault):
    names = hosts(draw, 6)
    bad, files = draw.choice(names), {}
    worst = draw.randrange(8)
    for name in names:
        files[f"{name}.ibdev"] = "".join(f"mlx5_{card} port 1 ==> ibs{card}f0 ({'Down' if fault and name == bad and card == worst else 'Up'})\n" for card in range(8))
    return files, [f"^{bad}"] if fault else HEALTHY


def redfish(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        gpus = [{"@odata.id": f"/redfish/v1/Systems/HGX_Baseboard_0/Processors/GPU_SXM_{n}", "Id": f"GPU_SXM_{n}", "ProcessorType": "GPU", "Status": {"Health": "Critical" if ill and n == 3 else "OK", "State": "Enabled"}} for n in range(1, 9)]
        files[f"{name}.json"] = json.dumps({"@odata.type": "#ProcessorCollection", "Members": gpus}, indent=2) + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def storcli(draw, fault):
    names = hosts(draw, 3)
    bad, files = draw.choice(names), {}
    for name in names:
        ill = fault and name == bad
        rows = ["EID:Slt DID State DG       Size Intf Med SED PI SeSz Model               Sp Type "] + ["-" * 80]
        rows += [f"252:{slot}    {slot:>3} {'Failed' if ill and slot == 2 else 'Onln':<5}  0   3.491 TB SATA SSD N   N  512B SAMSUNG MZ7L33T8     U  -    " for slot in range(4)]
        files[f"{name}.storcli"] = "CLI Version = 007.2310.0000.0000\nController = 0\nStatus = Success\nDescription = Show Drive Information Succeeded.\n\nDrive Information :\n=================\n\n" + "-" * 80 + "\n" + "\n".join(rows) + "\n" + "-" * 80 + "\n"
    return files, [f"^{bad}"] if fault else HEALTHY


CASES = [paddle, verl, espnet, tf_models, tf_estimator, mindspore, graph500, coremark, hdparm, dd, ucx_perftest, hpcc, stress_ng, mlc, multipath, systemctl, bhosts, ipmi_sensor, ip_brief, ibdev2netdev, redfish, storcli]
