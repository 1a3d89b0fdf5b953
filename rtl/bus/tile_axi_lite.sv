// A tile on AXI4-Lite: 64 KiB of registers (registers.csv), the block, soft logic and an interrupt line (irq).
module tile_axi_lite #(
    parameter int FIFO_BYTES = 64,
    parameter int QUEUE = 4,
    parameter int TAPS = 4
) (
    input  logic        clock, reset,
    input  logic        s_axi_awvalid,
    output logic        s_axi_awready,
    input  logic [15:0] s_axi_awaddr,
    input  logic        s_axi_wvalid,
    output logic        s_axi_wready,
    input  logic [31:0] s_axi_wdata,
    input  logic [3:0]  s_axi_wstrb,
    output logic        s_axi_bvalid,
    input  logic        s_axi_bready,
    output logic [1:0]  s_axi_bresp,
    input  logic        s_axi_arvalid,
    output logic        s_axi_arready,
    input  logic [15:0] s_axi_araddr,
    output logic        s_axi_rvalid,
    input  logic        s_axi_rready,
    output logic [31:0] s_axi_rdata,
    output logic [1:0]  s_axi_rresp,
    // monitored block
    input  logic [31:0] in_valid,
    input  logic [1023:0] in_data,
    input  logic        in_has_address,
    input  logic [31:0] in_address,
    // soft logic
    input  logic [255:0] soft_words,
    output logic        soft_write,
    output logic [2:0]  soft_index,
    output logic [31:0] soft_word,
    output tile_pkg::status_t status,
    output logic        irq
);
  logic write, read, write_refused, read_refused;
  logic [15:0] write_address, read_address;
  logic [31:0] write_word, read_word;
  axi_lite_port port (
      .clock, .reset, .awvalid(s_axi_awvalid), .awready(s_axi_awready), .awaddr(s_axi_awaddr), .wvalid(s_axi_wvalid),
      .wready(s_axi_wready), .wdata(s_axi_wdata), .wstrb(s_axi_wstrb), .bvalid(s_axi_bvalid), .bready(s_axi_bready),
      .bresp(s_axi_bresp), .arvalid(s_axi_arvalid), .arready(s_axi_arready), .araddr(s_axi_araddr),
      .rvalid(s_axi_rvalid), .rready(s_axi_rready), .rdata(s_axi_rdata), .rresp(s_axi_rresp),
      .write, .read, .write_address, .read_address, .write_word, .read_word, .write_refused,
      .read_refused
  );
  tile_host #(.FIFO_BYTES(FIFO_BYTES), .QUEUE(QUEUE), .TAPS(TAPS)) host (
      .clock, .reset, .write, .read, .write_address, .read_address, .write_word, .read_word, .write_refused,
      .read_refused, .in_valid, .in_data, .in_has_address, .in_address, .soft_words, .soft_write,
      .soft_index, .soft_word, .status, .irq
  );
endmodule
