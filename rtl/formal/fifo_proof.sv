// Proves by induction what fifo.sv asserts itself, with the tile's parameter.
module fifo_proof (
    input logic clock, reset,
    input logic [2:0] take, store_bytes, emit_bytes,
    input logic [31:0] store_word, emit_word
);
  logic [31:0] front;
  logic [6:0] waiting, free;
  fifo #(.CAPACITY(64)) fifo (
      .clock, .reset, .take, .front, .waiting, .free, .store_bytes, .emit_bytes, .store_word, .emit_word
  );
endmodule
