"""Tools of GPUs: dcgmi, nvidia-smi as a page and as XML, rocm-smi, amd-smi, nvbandwidth. Formats after the DCGM user guide, the
manual page of nvidia-smi 550 with its DTD, rocm-smi and amd-smi of ROCm 6, and nvbandwidth 0.8. Values are drawn."""
HEALTHY = "healthy"


def dcgm_health(draw, fault):
    bad = draw.randrange(8)
    line = "+---------------------------+----------------------------------------------------------+"
    rows = [line, "| Health Monitor Report                                                                 |", "+===========================+==========================================================+"]
    if not fault:
        return {"health.txt": "\n".join(rows + ["| Overall Health            | Healthy                                                  |", line]) + "\n"}, HEALTHY
    what, text = draw.choice([("NVLink system", "Detected 3 NvLink errors on NvLink 9, which exceeds threshold"), ("Memory system", "A contained memory error has been detected"),
                              ("Thermal system", "Detected a thermal violation of 812 seconds")])
    rows += ["| Overall Health            | Failure                                                  |", "| GPU                       |                                                          |",
             f"| -> {bad}                      | Failure                                                  |", "|    -> Errors              |                                                          |",
             f"|       -> {what:<17}| Failure                                                  |", f"|                           | {text[:56]:<57}|", f"|                           | {text[56:]:<57}|", line]
    return {"health.txt": "\n".join(rows) + "\n"}, [f"gpu{bad}$"]


def dcgm_nvlink(draw, fault):
    bad, links = draw.randrange(8), draw.choice([12, 18])
    lines = ["+----------------------+", "|  NvLink Link Status  |", "+----------------------+", "GPUs:"]
    for gpu in range(8):
        state = ["U"] * links
        if fault and gpu == bad:
            state[draw.randrange(links)] = "D"
        lines += [f"    gpuId {gpu}:", "        " + " ".join(state)]
    lines += ["NvSwitches:", "    No NvSwitches found.", "", "Key: Up=U, Down=D, Disabled=X, Not Supported=_"]
    return {"links.txt": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def smi_page(draw, fault):
    bad = draw.randrange(8)
    edge = "+-----------------------------------------+------------------------+----------------------+"
    lines = ["Fri Nov 20 09:31:07 2026       ", "+-----------------------------------------------------------------------------------------+",
             "| NVIDIA-SMI 550.127.08             Driver Version: 550.127.08     CUDA Version: 12.4     |", edge,
             "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
             "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
             "|                                         |                        |               MIG M. |",
             "|=========================================+========================+======================|"]
    for gpu in range(8):
        ill = fault and gpu == bad
        ecc = draw.randint(1, 40) if ill else 0
        lines += [f"|   {gpu}  NVIDIA H100 80GB HBM3          On  |   00000000:{0x18 + gpu * 0x11:02X}:00.0 Off |{ecc:>21} |",
                  f"| N/A   {draw.randint(52, 66)}C    P0            {draw.randint(560, 690)}W /  700W |   {draw.randint(70000, 78000)}MiB /  81559MiB |     {draw.randint(96, 100):>3}%      Default |",
                  "|                                         |                        |             Disabled |", edge]
    return {"smi.txt": "\n".join(lines) + "\n"}, [f"({0x18 + bad * 0x11:02x}:00.0|gpu{bad}$)"] if fault else HEALTHY


def smi_xml(draw, fault):
    bad = draw.randrange(8)
    text = '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n<nvidia_smi_log>\n\t<timestamp>Fri Nov 20 09:31:07 2026</timestamp>\n\t<driver_version>550.127.08</driver_version>\n\t<attached_gpus>8</attached_gpus>\n'
    for gpu in range(8):
        ill = fault and gpu == bad
        clock = draw.randint(900, 1200) if ill else draw.randint(1930, 1980)
        text += (f'\t<gpu id="00000000:{0x18 + gpu * 0x11:02X}:00.0">\n\t\t<product_name>NVIDIA H100 80GB HBM3</product_name>\n\t\t<minor_number>{gpu}</minor_number>\n'
                 "\t\t<performance_state>P0</performance_state>\n\t\t<clocks_event_reasons>\n"
                 f"\t\t\t<clocks_event_reason_gpu_idle>Not Active</clocks_event_reason_gpu_idle>\n\t\t\t<clocks_event_reason_hw_thermal_slowdown>{'Active' if ill else 'Not Active'}</clocks_event_reason_hw_thermal_slowdown>\n"
                 f"\t\t\t<clocks_event_reason_sw_power_cap>{'Not Active' if ill else draw.choice(['Active', 'Not Active'])}</clocks_event_reason_sw_power_cap>\n\t\t</clocks_event_reasons>\n"
                 f"\t\t<utilization>\n\t\t\t<gpu_util>{draw.randint(97, 100)} %</gpu_util>\n\t\t</utilization>\n"
                 f"\t\t<temperature>\n\t\t\t<gpu_temp>{90 if ill else draw.randint(58, 67)} C</gpu_temp>\n\t\t</temperature>\n"
                 f"\t\t<clocks>\n\t\t\t<graphics_clock>{clock} MHz</graphics_clock>\n\t\t\t<sm_clock>{clock} MHz</sm_clock>\n\t\t\t<mem_clock>2619 MHz</mem_clock>\n\t\t</clocks>\n\t</gpu>\n")
    return {"smi.xml": text + "</nvidia_smi_log>\n"}, [f"({0x18 + bad * 0x11:02x}:00.0|gpu{bad}$)"] if fault else HEALTHY


def rocm_smi(draw, fault):
    bad = draw.randrange(8)
    width = 118
    lines = ["", " ROCm System Management Interface ".center(width, "="), " Concise Info ".center(width, "="),
             "Device  Node  IDs              Temp        Power     Partitions          SCLK     MCLK    Fan  Perf  PwrCap  VRAM%  GPU%  ",
             "              (DID,     GUID)  (Junction)  (Socket)  (Mem, Compute, ID)                                                  ", "=" * width]
    for gpu in range(8):
        clock = draw.randint(60, 900) if fault and gpu == bad else draw.randint(2080, 2105)
        lines.append(f"{gpu}       {gpu + 2}     0x74a1,   {draw.randint(1000, 65000):<5}  {draw.uniform(61, 74):.1f}°C      {draw.uniform(640, 745):.1f}W    NPS1, SPX, 0        {clock}Mhz  900Mhz  0%   auto  750.0W  {draw.randint(70, 95)}%    100%  ")
    lines += ["=" * width, " End of ROCm SMI Log ".center(width, "=")]
    return {"rocm.txt": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def amd_metric(draw, fault):
    bad = draw.randrange(8)
    lines = []
    for gpu in range(8):
        errors = draw.randint(1, 30) if fault and gpu == bad else 0
        lines += [f"GPU: {gpu}", "    ECC:", f"        TOTAL_CORRECTABLE_COUNT: {draw.randint(0, 3)}", f"        TOTAL_UNCORRECTABLE_COUNT: {errors}", "        TOTAL_DEFERRED_COUNT: 0",
                  "        CACHE_CORRECTABLE_COUNT: 0", "        CACHE_UNCORRECTABLE_COUNT: 0", "    PCIE:", "        WIDTH: 16", "        SPEED: 32 GT/s", "        REPLAY_COUNT: 0", ""]
    return {"metric.txt": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


def nvbandwidth(draw, fault):
    bad = draw.randrange(8)
    lines = ["nvbandwidth Version: v0.8", "Built from Git version: v0.8", "", "CUDA Runtime Version: 12040", "CUDA Driver Version: 12040", "Driver Version: 550.127.08", ""]
    lines += [f"Device {gpu}: NVIDIA H100 80GB HBM3 ({0x18 + gpu * 0x11:08x}:00:00)" for gpu in range(8)] + [""]
    for name, arrow in (("host_to_device_memcpy_ce", "->"), ("device_to_host_memcpy_ce", "<-")):
        row = [draw.uniform(54.8, 55.6) * (draw.uniform(0.2, 0.55) if fault and gpu == bad else 1) for gpu in range(8)]
        lines += [f"Running {name}.", f"memcpy CE CPU(row) {arrow} GPU(column) bandwidth (GB/s)", "  " + "".join(f"{gpu:>10}" for gpu in range(8)),
                  " 0" + "".join(f"{value:>10.2f}" for value in row), "", f"SUM {name} {sum(row):.2f}", ""]
    return {"bandwidth.txt": "\n".join(lines) + "\n"}, [f"gpu{bad}$"] if fault else HEALTHY


CASES = [dcgm_health, dcgm_nvlink, smi_page, smi_xml, rocm_smi, amd_metric, nvbandwidth]
