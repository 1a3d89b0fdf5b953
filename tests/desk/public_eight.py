"""Twelve kinds that no earlier set has: what is left of public_six's 96 names and 79 new ones were put in an order by seed (20261201), and these are the first whose right answer can be stated. Passed over: checkmk's
agent (a bundle of other tools' output), crictl, vcjob, mpijobs and mig (a state or setting that a healthy one has too), bacct and seff (no peer), gds_stats and opareport (no public sample found), sminfo.
Forms after Cisco's NX-OS command reference, IBM's mmdiag pages, ipmitool(1), NVIDIA's MFT guide (flint), gluster/glusterfs/issues/2706, i2c-tools' decode-dimms, Redis' INFO reference, kubectl, fastai's Recorder,
CUDA's nbody sample, Ceph's operations guide. Values are drawn."""
from desk.benchmarks import on_each_host
from desk.cluster import HEALTHY, OPEN
from desk.systems import one_of


def nxos_errors(draw, fault):
    """One port receives frames with wrong checksums; discards of a few packets are ordinary."""
    bad, rows, more = draw.randrange(12), [], []
    rule = "-" * 80 + "\n"
    for port in range(12):
        wrong = draw.randint(20000, 900000) if fault and port == bad else 0
        name = f"Eth1/{port + 1}"
        rows.append(f"{name:<14}{0:>10}{wrong:>11}{0:>11}{wrong:>11}{0:>11}{draw.randint(0, 3):>12}\n")
        more.append(f"{name:<14}{0:>10}{0:>11}{0:>11}{0:>11}{0:>11}{0:>12}\n")
    return {"errors.txt": "\n" + rule + "Port          Align-Err    FCS-Err   Xmit-Err    Rcv-Err  UnderSize OutDiscards\n" + rule + "".join(rows) + "\n" + rule + "Port         Single-Col  Multi-Col   Late-Col  Exces-Col  Carri-Sen       Runts\n" + rule + "".join(more)}, [f"Eth1/{bad + 1}$"] if fault else HEALTHY


def mmdiag_waiters(draw, fault):
    """mmdiag --waiters of six servers: threads of one wait long for input and output of its disks; waits of milliseconds are ordinary."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        text = "\n=== mmdiag: waiters ===\n"
        for _ in range(draw.randint(4, 6)):
            late = draw.uniform(40, 300) if name == bad else draw.uniform(0.001, 0.02)
            text += f"Waiting {late:.4f} sec since 09:12:{draw.randrange(60):02}, monitored, thread {draw.randint(2000, 90000)} NSDThread: for I/O completion\n"
        files[f"{name}.waiters"] = text
    return files, [f"^{bad}"] if fault else HEALTHY


def chassis_status(draw, fault):
    names, bad = one_of(draw, 6, fault)
    what = draw.choice(["Cooling/Fan Fault", "Drive Fault", "Main Power Fault"])
    files = {}
    for name in names:
        wrong = {what: "true"} if name == bad else {}
        keys = ["Power Overload", "Power Interlock", "Main Power Fault", "Power Control Fault"]
        text = "System Power         : on\n" + "".join(f"{key:<21}: {wrong.get(key, 'inactive' if key == 'Power Interlock' else 'false')}\n" for key in keys)
        text += "Power Restore Policy : always-on\nLast Power Event     : command\nChassis Intrusion    : inactive\nFront-Panel Lockout  : inactive\n" + "".join(f"{key:<21}: {wrong.get(key, 'false')}\n" for key in ("Drive Fault", "Cooling/Fan Fault"))
        files[f"{name}.chassis"] = text
    return files, [f"^{bad}"] if fault else HEALTHY


def flint_query(draw, fault):
    """The firmware of the adapters of eight hosts; that of one is older, and nobody states that it is slow."""
    names, bad = one_of(draw, 8, fault)
    files = {}
    for name in names:
        guid = draw.getrandbits(40)
        files[f"{name}.flint"] = (f"Image type:            FS4\nFW Version:            {'28.39.1002' if name == bad else '28.43.2566'}\nFW Release Date:       {'31.10.2023' if name == bad else '27.3.2025'}\nProduct Version:       {'28.39.1002' if name == bad else '28.43.2566'}\nRom Info:              type=UEFI version=14.36.16 cpu=AMD64,AARCH64\n                       type=PXE version=3.7.500 cpu=AMD64\nDescription:           UID                GuidsNumber\n"
                                  f"Base GUID:             94{guid:014x}        4\nBase MAC:              94{guid % 2 ** 40:010x}            4\nImage VSD:             N/A\nDevice VSD:            N/A\nPSID:                  MT_0000000838\nSecurity Attributes:   secure-fw\n")
    return files, OPEN if fault else HEALTHY, bad or ""


def gluster_heal(draw, fault):
    names, bad = one_of(draw, 6, fault)
    text = ""
    for name in names:
        text += f"Brick {name}:/bricks/b1/models\nStatus: {'Transport endpoint is not connected' if name == bad else 'Connected'}\nNumber of entries: {'-' if name == bad else 0}\n\n"
    return {"heal.txt": text}, [f"^{bad}"] if fault else HEALTHY


def decode_dimms(draw, fault):
    """One of six hosts sees a module less than the others."""
    names, bad = one_of(draw, 6, fault)
    files = {}
    for name in names:
        count = 7 if name == bad else 8
        text = "# decode-dimms version 4.3\n\nMemory Serial Presence Detect Decoder\nBy Philip Edelbrock, Christian Zuckschwerdt, Burkart Lingner,\nJean Delvare, Trent Piepho and others\n\n"
        for at in range(count):
            text += (f"\nDecoding EEPROM: /sys/bus/i2c/drivers/ee1004/0-005{at}\nGuessing DIMM is in                              bank {at + 1}\n\n---=== SPD EEPROM Information ===---\nEEPROM CRC of bytes 0-125                        OK (0x{draw.randrange(65536):04X})\n# of bytes written to SDRAM EEPROM               384\nTotal number of bytes in EEPROM                  512\nFundamental Memory type                          DDR4 SDRAM\nSPD Revision                                     1.2\nModule Type                                      RDIMM\n\n"
                     f"---=== Memory Characteristics ===---\nMaximum module speed                             3200 MT/s (PC4-25600)\nSize                                             65536 MB\nBanks x Rows x Columns x Bits                    16 x 18 x 10 x 72\nRanks                                            2\n\n---=== Manufacturing Data ===---\nModule Manufacturer                              Samsung\nAssembly Serial Number                           0x{draw.getrandbits(32):08X}\n")
        files[f"{name}.dimms"] = text + f"\n\nNumber of SDRAM DIMMs detected and decoded: {count}\n\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def redis_info(draw, fault):
    """redis-cli info replication of a master and five replicas: one replica has lost its master."""
    names, bad = one_of(draw, 6, fault)
    bad = bad if bad != names[0] else names[1]
    files = {f"{names[0]}.redis": "# Replication\nrole:master\nconnected_slaves:" + f"{4 if fault else 5}\n" + f"master_failover_state:no-failover\nmaster_replid:{draw.getrandbits(160):040x}\nmaster_repl_offset:8123456\nrepl_backlog_active:1\n"}
    for name in names[1:]:
        down = fault and name == bad
        files[f"{name}.redis"] = f"# Replication\nrole:slave\nmaster_host:{names[0]}\nmaster_port:6379\nmaster_link_status:{'down' if down else 'up'}\nmaster_last_io_seconds_ago:{-1 if down else draw.randrange(3)}\nmaster_sync_in_progress:0\nslave_repl_offset:{81234 if down else 8123456}\n" + (f"master_link_down_since_seconds:{draw.randint(300, 9000)}\n" if down else "") + "slave_priority:100\nslave_read_only:1\nconnected_slaves:0\n"
    return files, [f"^{bad}"] if fault else HEALTHY


def kube_volumes(draw, fault):
    """kubectl get pvc: one claim has lost its volume."""
    bad, text = draw.randrange(6), "NAME                STATUS   VOLUME                                     CAPACITY   ACCESS MODES   STORAGECLASS   VOLUMEATTRIBUTESCLASS   AGE\n"
    for at in range(6):
        lost = fault and at == bad
        text += f"checkpoints-rank-{at}  {'Lost' if lost else 'Bound':<8} pvc-{draw.getrandbits(32):08x}-{draw.getrandbits(16):04x}-4{draw.getrandbits(12):03x}-8{draw.getrandbits(12):03x}-{draw.getrandbits(48):012x}   {'0' if lost else '2Ti':<10} {'' if lost else 'RWX':<14} fast-rwx       <unset>                 {draw.randint(3, 40)}d\n"
    return {"pvc.txt": text}, [f"checkpoints-rank-{bad}$"] if fault else HEALTHY


def dcmi_power(draw, fault):
    """One of eight hosts that do the same draws half as much; nobody states whether it is slow or idle."""
    names, bad = one_of(draw, 8, fault)
    watt, files = draw.uniform(5200, 6400), {}
    for name in names:
        now = watt * draw.gauss(1, 0.012) * (0.5 if name == bad else 1)
        files[f"{name}.power"] = f"\n    Instantaneous power reading:              {now:>8.0f} Watts\n    Minimum during sampling period:           {now * 0.97:>8.0f} Watts\n    Maximum during sampling period:           {now * 1.03:>8.0f} Watts\n    Average power reading over sample period: {now * 1.001:>8.0f} Watts\n    IPMI timestamp:                           Fri Nov 20 09:12:{draw.randrange(60):02} 2026\n    Sampling period:                          00000001 Seconds.\n    Power reading state is:                   activated\n\n\n"
    return files, OPEN if fault else HEALTHY, bad or ""


def fastai_epochs(draw, fault):
    """The table that fastai prints: from one epoch on an epoch takes longer."""
    seconds, onset = draw.uniform(70, 200), draw.randint(14, 20)
    text = "epoch     train_loss  valid_loss  accuracy  time    \n"
    for epoch in range(32):
        late = seconds * draw.gauss(1, 0.006) * (1.6 if fault and epoch >= onset else 1)
        loss = 2.1 / (1 + epoch * 0.2)
        text += f"{epoch:<10}{loss * draw.gauss(1, 0.01):<12.6f}{loss * draw.gauss(1.05, 0.01):<12.6f}{min(0.99, 1 - loss / 4):<10.6f}{int(late) // 60:02}:{int(late) % 60:02}    \n"
    return {"train.log": text}, OPEN if fault else HEALTHY


def nbody(draw, fault):
    rate = draw.uniform(18000, 42000)

    def text(f):
        gflops = rate * f
        ms = 1024000 ** 2 * 20 * 10 / gflops / 1e6
        return (f"Run \"nbody -benchmark [-numbodies=<numBodies>]\" to measure performance.\n\t-fp64             (use double precision floating point values for simulation)\n\t-numdevices=<i>   (where i=(number of CUDA devices > 0) to use for simulation)\n\nNOTE: The CUDA Samples are not meant for performance measurements. Results may vary when GPU Boost is enabled.\n\n> Windowed mode\n> Simulation data stored in video memory\n> Single precision floating point simulation\n> 1 Devices used for simulation\nGPU Device 0: \"Hopper\" with compute capability 9.0\n\n> Compute 9.0 CUDA device: [NVIDIA H100 80GB HBM3]\nnumber of bodies = 1024000\n"
                f"1024000 bodies, total time for 10 iterations: {ms:.3f} ms\n= {gflops / 20:.3f} billion interactions per second\n= {gflops:.3f} single-precision GFLOP/s at 20 flops per interaction\n")
    return on_each_host(draw, fault, text, ".nbody")


def ceph_pg_stat(draw, fault):
    """One line for the whole: some placement groups lack copies, and no part is named."""
    groups = draw.randint(300, 4000)
    few = draw.randint(20, 90)
    state = f"{few} active+undersized+degraded, {groups - few} active+clean" if fault else f"{groups} active+clean"
    return {"pg.txt": f"{groups} pgs: {state}; {draw.randint(20, 90)} TiB data, {draw.randint(100, 200)} TiB used, {draw.randint(300, 500)} TiB / 600 TiB avail; 812 MiB/s rd, 1.9 GiB/s wr, 2.14k op/s" + (f"; {few * 1700}/{groups * 5100} objects degraded (2.1%)" if fault else "") + "\n"}, OPEN if fault else HEALTHY


CASES = [nxos_errors, mmdiag_waiters, chassis_status, flint_query, gluster_heal, decode_dimms, redis_info, kube_volumes, dcmi_power, fastai_epochs, nbody, ceph_pg_stat]
