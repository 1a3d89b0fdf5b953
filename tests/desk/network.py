"""Links and who is behind them: iblinkinfo, perftest, NCCL's warnings, OpenSM. Formats after infiniband-diags 50, perftest 24 and lines
quoted in public reports of NCCL (nccl 1232, nccl-tests 166). Values are drawn."""
from desk.cluster import HEALTHY, OPEN, hosts


def iblinkinfo(draw, fault):
    names = hosts(draw, 8)
    bad = draw.randrange(8)
    speed, slower = draw.choice([("106.25 Gbps", "53.125 Gbps"), ("53.125 Gbps", "25.78125 Gbps")])
    lines = ["Switch: 0xb83fd203006f2a40 MF0;leaf1:MQM9700/U1:"]
    for at, name in enumerate(names):
        lid, port = draw.randint(20, 900), at * 3 + 1
        ill = fault and at == bad
        state = f"4X {slower if ill else speed:>13} Active/  LinkUp"
        note = f"( Could be {speed})" if ill else "( )"
        lines.append(f'          12 {port:>4}[  ] ==( {state})==> {lid:>7}    1[  ] "{name} mlx5_0" {note}')
        lines.append(f'          12 {port + 1:>4}[  ] ==(                Down/ Polling)==>             [  ] "" ( )')
    return {"links.txt": "\n".join(lines) + "\n"}, [names[bad]] if fault else HEALTHY


def perftest(draw, fault):
    names = hosts(draw, 8)
    bad = draw.choice(names)
    files = {}
    for name in names:
        gbps = draw.uniform(391.0, 393.5) * (draw.uniform(0.3, 0.55) if fault and name == bad else 1)
        rule = "-" * 87
        files[f"{name}.txt"] = "\n".join([
            rule, "                    RDMA_Write BW Test", " Dual-port       : OFF\t\tDevice         : mlx5_0", " Number of qps   : 4\t\tTransport type : IB",
            " Connection type : RC\t\tUsing SRQ      : OFF", " Mtu             : 4096[B]", " Link type       : IB", rule,
            " local address: LID 0x14 QPN 0x0127 PSN 0x2c3e1a", " remote address: LID 0x19 QPN 0x0127 PSN 0x9a2210", rule,
            " #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]",
            f" 8388608    20000            {gbps + 0.4:.2f}             {gbps:.2f}               {gbps / 8.388608 / 8 / 1000:.6f}", rule, ""])
    return files, [bad] if fault else HEALTHY


def nccl_closed(draw, fault):
    names = hosts(draw, 4)
    bad = draw.choice(names)
    files = {}
    for name in names:
        if fault and name == bad:
            continue
        peer = bad if fault else names[(names.index(name) + 1) % 4]
        lines = []
        for gpu in range(8):
            pid = draw.randint(20000, 90000)
            lines += [f"{name}:{pid}:{pid + 40} [{gpu}] NCCL INFO Connected all rings", f"{name}:{pid}:{pid + 40} [{gpu}] NCCL INFO Connected all trees"]
        pid = draw.randint(20000, 90000)
        lines += ["", f"{name}:{pid}:{pid + 61} [0] misc/socket.cc:49 NCCL WARN socketProgress: Connection closed by remote peer {peer}<{draw.randint(30000, 60000)}>",
                  f"{name}:{pid}:{pid + 61} [0] NCCL INFO misc/socket.cc:749 -> 6", f"{name}:{pid}:{pid + 61} [0] NCCL INFO transport/net.cc:288 -> 6"]
        files[f"{name}.log"] = "\n".join(lines) + "\n"
    return files, [bad] if fault else OPEN


def opensm(draw, fault):
    """A subnet manager that sweeps; one host restarts, and with a fault another leaves for good or its port of a switch flaps."""
    names = hosts(draw, 8)
    restarted, bad = draw.sample(names, 2)
    node = lambda name: (f"GUID:0x{draw.randrange(1 << 64):016x}", f"[{(lid := draw.randint(20, 900))}, {lid}]", f"{name} mlx5_{draw.randrange(8)}")
    clock = iter(sorted(draw.sample(range(36000, 86000), 40)))
    lines = []
    say = lambda level, text: lines.append("Nov 27 {:02d}:{:02d}:{:02d} {:06d} [{:08X}] {} -> {}".format(
        *(lambda t: (t // 3600, t // 60 % 60, t % 60))(next(clock)), draw.randrange(10**6), draw.randrange(1 << 32), level, text))
    left = lambda guid, lids, name: say("0x02", f"drop_mgr_remove_port: Removed port with {guid} LID range {lids} of node:{name}")
    say("0x80", "Entering MASTER state")
    say("0x02", "SUBNET UP")
    again = node(restarted)
    left(*again)
    say("0x02", "SUBNET UP")
    say("0x02", f"state_mgr_report_new_ports: Discovered new port with {again[0]} LID range {again[1].replace(' ', '')} of node:{again[2]}")
    say("0x01", "log_trap_info: Received Generic Notice type:1 num:128 (Link state change) Producer:2 (Switch) from LID:14 TID:0x0000000000000003")
    what = HEALTHY
    if fault and draw.random() < 0.5:
        gone = node(bad)
        left(*gone)
        what = [gone[2].replace(" ", "/")]
    elif fault:
        port = draw.randint(1, 64)
        for _ in range(draw.randint(2, 5)):
            for states in ("ACTIVE to DOWN", "DOWN to INIT"):
                say("0x02", f"osm_pi_rcv_process: Switch 0xb83fd203006f2a40 MF0;leaf1:MQM9700/U1 port {port} changed state from {states}")
        what = [f"leaf1.*port {port}$"]
    say("0x02", "SUBNET UP")
    return {"opensm.log": "\n".join(lines) + "\n"}, what


CASES = [iblinkinfo, perftest, nccl_closed, opensm]
