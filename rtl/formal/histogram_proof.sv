// The top module of the proof of histogram.sv, which contains its own assertions (histogram_check.svh).
module histogram_proof (
    input logic clock, reset, image, flush, take, configure, read, emit_go,
    input logic [31:0] low, high,
    input logic [3:0] format
);
  logic [17:0] accumulator;
  logic filling, busy, emit_last, saturated;
  logic [2:0] emit_bytes;
  logic [31:0] emit_word;
  histogram unit (
      .clock, .reset, .image, .flush, .take, .configure, .read, .low, .high, .accumulator, .filling, .busy, .emit_go,
      .format, .emit_bytes, .emit_word, .emit_last, .saturated
  );
endmodule
