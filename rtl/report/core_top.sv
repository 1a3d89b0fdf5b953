// The core as it is measured: IF, ID, EX, MEM, WB with registers, hardware loops and the custom
// instructions. Its memories, IORegs and histogram are ports. With NO_HASH the hash unit gives 0.
module core_top (
    input  logic        clock, reset,
    input  logic        image, start, flush_command, kill, stop_waiting, running,
    input  logic [13:0] entry,
    output logic        fault,
    output tile_pkg::fault_t fault_cause,
    output logic [13:0] fault_pc,
    output logic [31:0] fault_address,
    output logic        region_end,
    output logic        code_read,
    output logic [13:0] pc,
    input  logic [31:0] id_word,
    output logic        data_read,
    output logic [3:0]  data_write,
    output logic [12:0] data_address,
    output logic [31:0] data_word,
    output logic        mem_load, mem_store,
    output logic [31:0] mem_address, mem_value,
    output logic [2:0]  mem_funct3,
    input  logic        mem_wait, mem_fault,
    input  logic [31:0] load_value,
    output logic [31:0] stream_needed,
    input  logic [31:0] input_mask, io_valid,
    output logic [31:0] consumed,
    output logic [3:0]  pair,
    input  logic [63:0] pair_words,
    output logic        hist_take, hist_configure, hist_read, hist_emit_go,
    output logic [31:0] hist_low, hist_high,
    output logic [3:0]  hist_format,
    input  logic [17:0] accumulator,
    input  logic        hist_filling, hist_busy, emit_room, emit_last,
    output logic        retired,
    output logic [13:0] retired_pc,
    output logic [4:0]  retired_rd,
    output logic [31:0] retired_value
);
  logic hold, flush, redirect, ready, loop_set, loop_follows, id_valid;
  logic [13:0] target, loop_pc, id_pc;
  logic [4:0] loop_length;
  logic [31:0] loop_count;
  fetch fetch (
      .clock, .reset, .running, .hold, .flush, .flush_command, .start, .entry, .redirect, .target, .ready,
      .loop_set, .loop_follows, .loop_pc, .loop_length, .loop_count, .read(code_read), .pc, .id_valid, .id_pc
  );
  core core (.*);
endmodule
