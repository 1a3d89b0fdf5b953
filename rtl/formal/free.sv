// The tile's neighbours in proofs: the ports of the real modules with any behaviour within the stated rules.
// A proof that holds with these modules holds with the real ones.
// A word read stays until the next read.
module code_memory (
    input  logic        clock,
    input  logic        read, write,
    input  logic [10:0] address,
    input  logic [31:0] write_word,
    output logic [31:0] word
);
  logic [31:0] any;
  assign any = $anyseq;
  always_ff @(posedge clock) if (read && !write) word <= any;
endmodule

module scratchpad (
    input  logic        clock,
    input  logic        read,
    input  logic [3:0]  write,
    input  logic [12:0] address,
    input  logic [31:0] write_word,
    output logic [31:0] word
);
  logic [31:0] any;
  assign any = $anyseq;
  always_ff @(posedge clock) if (read) word <= any;
endmodule

// start_main is as in inputs.sv: in ACTIVE-PAUSED without another request. The inputs that hist.in needs are
// present when the valid bits are set, and the valid bits are free.
module inputs #(
    parameter int QUEUE = 4
) (
    input  logic        clock, reset,
    input  logic [31:0] in_valid,
    input  logic [1023:0] in_data,
    input  logic        in_has_address,
    input  logic [31:0] in_address,
    input  tile_pkg::status_t status,
    input  logic        want_pause, want_finalize,
    input  logic        image, image_triggered,
    input  logic [31:0] image_mask, image_trigger_start, image_trigger_end,
    input  logic        set_start, set_stop,
    input  logic [31:0] argument,
    input  logic [2:0]  queue_limit,
    input  logic [31:0] cycle,
    input  logic        start, start_finish, region_end,
    input  logic [31:0] stream_needed, consumed,
    output logic        start_main,
    output logic [31:0] mask, valid, trigger_start, trigger_end, trigger_address,
    input  logic [4:0]  io_index,
    output logic [31:0] io_word,
    input  logic [3:0]  pair,
    output logic [63:0] pair_words,
    input  logic [2:0]  drop_index,
    output logic [31:0] arrival, drop_count,
    output logic [159:0] drops
);
  logic comes;
  assign comes = $anyseq;
  assign start_main = comes && status == tile_pkg::ACTIVE_PAUSED && !want_pause && !want_finalize;
  assign {mask, valid, trigger_start, trigger_end, trigger_address, io_word, pair_words, arrival, drop_count, drops} = $anyseq;
endmodule

// `emit` ends after at most four words here (72 in the unit, which has its own proof).
module histogram (
    input  logic        clock, reset, image, flush, take, configure, read,
    input  logic [31:0] low, high,
    output logic [17:0] accumulator,
    output logic        filling, busy,
    input  logic        emit_go,
    input  logic [3:0]  format,
    output logic [2:0]  emit_bytes,
    output logic [31:0] emit_word,
    output logic        emit_last, saturated
);
  assign {accumulator, filling, busy, emit_bytes, emit_word, emit_last, saturated} = $anyseq;
endmodule

module fifo #(
    parameter int CAPACITY = 64
) (
    input  logic        clock, reset,
    input  logic [2:0]  take,
    output logic [31:0] front,
    output logic [6:0]  waiting, free,
    input  logic [2:0]  store_bytes, emit_bytes,
    input  logic [31:0] store_word, emit_word
);
  assign {front, waiting, free} = $anyseq;
endmodule

// A function of both operands that is easier to reason about. The real one is proved alone (hash_proof.sv).
module xor_hash (
    input  logic        active,
    input  logic [31:0] value, mask,
    output logic [31:0] hash
);
  assign hash = active ? value ^ {mask[15:0], mask[31:16]} : 32'd0;
endmodule
