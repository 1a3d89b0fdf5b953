// A tile on TileLink-UL (32 bits): 64 KiB of registers (registers.csv), the block, soft logic and an interrupt line (irq).
module tile_tilelink #(
    parameter int FIFO_BYTES = 64,
    parameter int QUEUE = 4,
    parameter int TAPS = 4,
    parameter int SOURCE_BITS = 8
) (
    input  logic        clock, reset,
    input  logic        tl_a_valid,
    output logic        tl_a_ready,
    input  logic [2:0]  tl_a_opcode,
    input  logic [1:0]  tl_a_size,
    input  logic [SOURCE_BITS-1:0] tl_a_source,
    input  logic [15:0] tl_a_address,
    input  logic [3:0]  tl_a_mask,
    input  logic [31:0] tl_a_data,
    input  logic        tl_a_corrupt,
    output logic        tl_d_valid,
    input  logic        tl_d_ready,
    output logic [2:0]  tl_d_opcode,
    output logic [1:0]  tl_d_size,
    output logic [SOURCE_BITS-1:0] tl_d_source,
    output logic        tl_d_denied,
    output logic [31:0] tl_d_data,
    output logic        tl_d_corrupt,
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
  tilelink_port #(.SOURCE_BITS(SOURCE_BITS)) port (
      .clock, .reset, .a_valid(tl_a_valid), .a_ready(tl_a_ready), .a_opcode(tl_a_opcode), .a_size(tl_a_size),
      .a_source(tl_a_source), .a_address(tl_a_address), .a_mask(tl_a_mask), .a_data(tl_a_data),
      .a_corrupt(tl_a_corrupt), .d_valid(tl_d_valid), .d_ready(tl_d_ready), .d_opcode(tl_d_opcode), .d_size(tl_d_size),
      .d_source(tl_d_source), .d_denied(tl_d_denied), .d_data(tl_d_data), .d_corrupt(tl_d_corrupt),
      .write, .read, .write_address, .read_address, .write_word, .read_word, .write_refused,
      .read_refused
  );
  tile_host #(.FIFO_BYTES(FIFO_BYTES), .QUEUE(QUEUE), .TAPS(TAPS)) host (
      .clock, .reset, .write, .read, .write_address, .read_address, .write_word, .read_word, .write_refused,
      .read_refused, .in_valid, .in_data, .in_has_address, .in_address, .soft_words, .soft_write,
      .soft_index, .soft_word, .status, .irq
  );
endmodule
