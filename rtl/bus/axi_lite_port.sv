// Connects AXI4-Lite to one write and one read per cycle (AMBA AXI, ARM IHI 0022). A write is taken in the
// cycle in which address and data both wait, and answered in the next cycle. A read works likewise. Accesses
// to parts of a word and accesses that the registers refuse are answered by SLVERR.
module axi_lite_port (
    input  logic        clock, reset,
    input  logic        awvalid,
    output logic        awready,
    input  logic [15:0] awaddr,
    input  logic        wvalid,
    output logic        wready,
    input  logic [31:0] wdata,
    input  logic [3:0]  wstrb,
    output logic        bvalid,
    input  logic        bready,
    output logic [1:0]  bresp,
    input  logic        arvalid,
    output logic        arready,
    input  logic [15:0] araddr,
    output logic        rvalid,
    input  logic        rready,
    output logic [31:0] rdata,
    output logic [1:0]  rresp,
    // registers
    output logic        write, read,
    output logic [15:0] write_address, read_address,
    output logic [31:0] write_word,
    input  logic [31:0] read_word,
    input  logic        write_refused, read_refused
);
  localparam logic [1:0] OKAY = 2'b00, SLVERR = 2'b10;

  logic takes_write, whole;
  assign takes_write = awvalid && wvalid && (!bvalid || bready) && !reset;
  assign {awready, wready} = {2{takes_write}};
  assign whole = wstrb == 4'hf;
  assign write = takes_write && whole;
  assign write_address = awaddr;
  assign write_word = wdata;

  assign arready = arvalid && (!rvalid || rready) && !reset;
  assign read = arready;
  assign read_address = araddr;

  always_ff @(posedge clock) begin
    if (takes_write) begin
      bvalid <= 1'b1;
      bresp <= whole && !write_refused ? OKAY : SLVERR;
    end else if (bready) bvalid <= 1'b0;
    if (arready) begin
      rvalid <= 1'b1;
      rdata <= read_word;
      rresp <= read_refused ? SLVERR : OKAY;
    end else if (rready) rvalid <= 1'b0;
    if (reset) {bvalid, rvalid} <= 2'd0;
  end
endmodule
