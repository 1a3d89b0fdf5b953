# A tile as a LiteX module: its registers on the SoC's Wishbone bus, its interrupt line, the block's signals as inputs.
#
#   self.tile = LentoTile(platform)
#   self.bus.add_slave("tile", self.tile.bus, SoCRegion(origin=0x90000000, size=0x10000, cached=False))
#   self.comb += [self.tile.valid.eq(...), self.tile.data.eq(...)]
#   self.irq.add("tile")
#
# Copyright the Lento maintainers. SPDX-License-Identifier: Apache-2.0
from pathlib import Path

from migen import ClockSignal, Instance, ResetSignal, Signal

from litex.gen import LiteXModule
from litex.soc.interconnect import wishbone
from litex.soc.interconnect.csr_eventmanager import EventManager, EventSourceLevel

RTL = Path(__file__).resolve().parent.parent
PACKAGES = ["tile_pkg.sv", "bus/host_map.sv"]
SOURCES = [*PACKAGES, "alu.sv", "code_memory.sv", "control.sv", "decode.sv", "fetch.sv", "fifo.sv", "xor_hash.sv", "histogram.sv", "inputs.sv",
           "memory_map.sv", "registers.sv", "scratchpad.sv", "core.sv", "tile.sv", "tap.sv", "bus/host_registers.sv", "bus/tile_host.sv",
           "bus/wishbone_port.sv", "bus/tile_wishbone.sv"]


class LentoTile(LiteXModule):
    def __init__(self, platform, fifo_bytes=64, queue=4, taps=4):
        self.bus = wishbone.Interface(data_width=32, adr_width=14)
        # The monitored block: word i in bits 32 i, valid bit i says that it is new in this cycle.
        self.valid = Signal(32)
        self.data = Signal(1024)
        self.has_address = Signal()
        self.address = Signal(32)
        self.status = Signal(4)
        self.ev = EventManager()
        self.ev.tile = EventSourceLevel()
        self.ev.finalize()
        self.specials += Instance(
            "tile_wishbone",
            p_FIFO_BYTES=fifo_bytes,
            p_QUEUE=queue,
            p_TAPS=taps,
            i_clock=ClockSignal(),
            i_reset=ResetSignal(),
            i_wb_cyc=self.bus.cyc,
            i_wb_stb=self.bus.stb,
            i_wb_we=self.bus.we,
            i_wb_adr=self.byte_address(),
            i_wb_sel=self.bus.sel,
            i_wb_dat_write=self.bus.dat_w,
            o_wb_dat_read=self.bus.dat_r,
            o_wb_ack=self.bus.ack,
            o_wb_err=self.bus.err,
            i_in_valid=self.valid,
            i_in_data=self.data,
            i_in_has_address=self.has_address,
            i_in_address=self.address,
            i_soft_words=0,
            o_status=self.status,
            o_irq=self.ev.tile.trigger,
        )
        for source in SOURCES:
            platform.add_source(str(RTL / source))

    def byte_address(self):
        """The bus counts words."""
        address = Signal(16)
        self.comb += address.eq(self.bus.adr << 2)
        return address
