// Connects TileLink Uncached Lightweight to one access of the registers per cycle (SiFive TileLink
// specification 1.8, chapter 6). A request on channel A is taken when channel D is free or becomes free, and
// answered in the next cycle. Requests for less than a word and accesses that the registers refuse are
// denied.
module tilelink_port #(
    parameter int SOURCE_BITS = 8
) (
    input  logic        clock, reset,
    input  logic        a_valid,
    output logic        a_ready,
    input  logic [2:0]  a_opcode,  // 0 put, 1 put of parts, 4 get
    input  logic [1:0]  a_size,    // log2 of the bytes
    input  logic [SOURCE_BITS-1:0] a_source,
    input  logic [15:0] a_address,
    input  logic [3:0]  a_mask,
    input  logic [31:0] a_data,
    input  logic        a_corrupt,
    output logic        d_valid,
    input  logic        d_ready,
    output logic [2:0]  d_opcode,  // 0 acknowledge, 1 acknowledge with data
    output logic [1:0]  d_size,
    output logic [SOURCE_BITS-1:0] d_source,
    output logic        d_denied,
    output logic [31:0] d_data,
    output logic        d_corrupt,
    // registers
    output logic        write, read,
    output logic [15:0] write_address, read_address,
    output logic [31:0] write_word,
    input  logic [31:0] read_word,
    input  logic        write_refused, read_refused
);
  localparam logic [2:0] PUT = 3'd0, PUT_PARTS = 3'd1, GET = 3'd4;

  logic takes, whole, is_get, is_put;
  assign takes = a_valid && (!d_valid || d_ready) && !reset;
  assign a_ready = takes;
  assign is_get = a_opcode == GET;
  assign is_put = a_opcode == PUT || a_opcode == PUT_PARTS;
  assign whole = a_size == 2'd2 && a_mask == 4'hf;
  assign write = takes && is_put && whole && !a_corrupt;
  assign read = takes && is_get && whole;
  assign {write_address, read_address} = {2{a_address}};
  assign write_word = a_data;

  always_ff @(posedge clock) begin
    if (takes) begin
      d_valid <= 1'b1;
      d_opcode <= {2'd0, is_get};
      d_size <= a_size;
      d_source <= a_source;
      d_data <= read_word;
      d_denied <= !whole || (is_get ? read_refused : !is_put || a_corrupt || write_refused);
    end else if (d_ready) d_valid <= 1'b0;
    if (reset) d_valid <= 1'b0;
  end
  assign d_corrupt = d_denied && d_opcode[0];
endmodule
