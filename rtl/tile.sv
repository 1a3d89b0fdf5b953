// The tile: an in-order RV32I core beside a block of a chip, with input registers, histogram unit and output
// FIFO (specification and oracle: src/tile/unit/tile.h). Every cycle is the same as there.
//
// The host fills code memory and scratchpad word by word while STATUS is UNDEFINED, then gives the command IMAGE
// with the fields of the image's header. Soft logic sits outside: eight registers to read, writes by pulse.
module tile #(
    parameter int FIFO_BYTES = 64,
    parameter int QUEUE = 4  // inputs that can wait while main runs
) (
    input  logic        clock, reset,
    // host
    input  tile_pkg::command_t command,
    input  logic [31:0] argument,
    input  logic        memory_write, memory_is_code,
    input  logic [12:0] memory_address,  // in words
    input  logic [31:0] memory_word,
    input  logic [13:0] image_entry,
    input  logic        image_triggered,
    input  logic [31:0] image_mask, image_trigger_start, image_trigger_end,
    input  logic [2:0]  queue_limit,  // how many inputs may wait, at most QUEUE; fixed while main runs
    output tile_pkg::status_t status,
    output logic [159:0] drops,
    output logic        fault_seen,  // what follows describes the last fault since the image
    output tile_pkg::fault_t fault_cause,
    output logic [13:0] fault_pc,
    output logic [31:0] fault_address,
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
    // output path
    input  logic [2:0]  take,
    output logic [31:0] out_front,
    output logic [6:0]  out_waiting,
`ifdef RETIREMENT
    output logic        told_image, told_start,   // regions that begin
    output logic [13:0] told_entry,
    output logic        told_hold,                // FIFO, input or histogram is waited for
    output logic        told_write,               // the core writes the scratchpad
    output logic [12:0] told_row,
    output logic        told_kill,
    output logic [31:0] told_address,             // in MEM
    output tile_pkg::deed_t deed, trap_deed,
    output logic        trapped,
    output tile_pkg::fault_t trap_cause,
    output logic [31:0] trap_address,
`endif
    // outputs for observers
    output logic        running, store_in_mem, histogram_saturated,
    output logic [31:0] io_valid, input_arrival,
    output logic [13:0] fetch_pc,
    output logic        retired,
    output logic [13:0] retired_pc,
    output logic [4:0]  retired_rd,
    output logic [31:0] retired_value
);

  logic fault, region_end, program_end, start_main, image, set_start, set_stop, start, flush_command, kill;
  logic start_finish;
  logic want_pause, want_finalize;
  logic [13:0] entry;
  control control (
      .clock, .reset, .command, .image_entry, .fault, .region_end, .start_main, .status, .running, .program_end,
      .image, .set_start, .set_stop, .start, .flush(flush_command), .kill, .start_finish, .entry, .want_pause, .want_finalize
  );

  logic [31:0] mask, stream_needed, consumed, trigger_start, trigger_end, trigger_address, io_word, drop_count;
  logic [3:0] pair;
  logic [63:0] pair_words;
  logic [31:0] mem_address, mem_value;
  logic [63:0] cycle;  // counts the running one
  inputs #(.QUEUE(QUEUE)) inputs (
      .clock, .reset, .in_valid, .in_data, .in_has_address, .in_address, .status, .want_pause, .want_finalize,
      .image, .image_triggered, .image_mask, .image_trigger_start, .image_trigger_end, .set_start, .set_stop,
      .argument, .queue_limit, .cycle(cycle[31:0]), .start, .start_finish, .region_end(program_end), .stream_needed, .consumed, .start_main, .mask,
      .valid(io_valid), .trigger_start, .trigger_end, .trigger_address, .io_index(mem_address[6:2]), .io_word,
      .pair, .pair_words, .drop_index(3'(mem_address[5:2] - 4'd6)), .arrival(input_arrival),
      .drop_count, .drops
  );

  logic hold, flush, redirect, ready, loop_set, code_read, id_valid, host_writes;
  logic loop_follows;
  logic [13:0] target, id_pc, loop_pc;
  logic [4:0] loop_length;
  logic [31:0] loop_count, id_word;
  assign host_writes = memory_write && status == tile_pkg::UNDEFINED;
  fetch fetch (
      .clock, .reset, .running, .hold, .flush, .flush_command, .start, .entry, .redirect, .target, .ready,
      .loop_set, .loop_follows, .loop_pc, .loop_length, .loop_count, .read(code_read), .pc(fetch_pc), .id_valid, .id_pc
  );
  code_memory code (
      .clock, .read(code_read), .write(host_writes && memory_is_code),
      .address(host_writes ? memory_address[10:0] : fetch_pc[12:2]), .write_word(memory_word), .word(id_word)
  );

  logic data_read, mem_load, mem_store, full, mem_fault;
  logic [3:0] data_write;
  logic [12:0] data_address;
  logic [31:0] data_word, loaded_word, load_value;
  logic [2:0] mem_funct3;
  scratchpad data (
      .clock, .read(data_read), .write(host_writes ? {4{!memory_is_code}} : data_write),
      .address(host_writes ? memory_address : data_address),
      .write_word(host_writes ? memory_word : data_word), .word(loaded_word)
  );

  logic [6:0] fifo_free;
  logic [2:0] store_bytes, emit_bytes;
  always_ff @(posedge clock) cycle <= reset ? 64'd1 : cycle + 64'd1;
  memory_map map (
      .load(mem_load), .store(mem_store), .address(mem_address), .funct3(mem_funct3),
      .data_word(loaded_word), .io_word, .io_valid, .soft_word(soft_words[32*soft_index+:32]), .status,
      .trigger_start, .trigger_end, .trigger_address, .cycle, .drop_count, .fifo_free, .fifo_bytes(store_bytes),
      .soft_write, .full, .fault(mem_fault), .load_value
  );
  assign store_in_mem = mem_store;
  assign soft_index = mem_address[4:2];
  assign soft_word = mem_value;

  logic hist_take, hist_configure, hist_read, hist_emit_go, hist_filling, hist_busy, emit_room, emit_last;
  logic [31:0] hist_low, hist_high, emit_word;
  logic [3:0] hist_format;
  logic [17:0] accumulator;
  histogram histogram (
      .clock, .reset, .image, .flush(flush || flush_command), .take(hist_take), .configure(hist_configure),
      .read(hist_read), .low(hist_low), .high(hist_high), .accumulator,
      .emit_go(hist_emit_go), .format(hist_format), .filling(hist_filling), .busy(hist_busy), .emit_bytes, .emit_word, .emit_last,
      .saturated(histogram_saturated)
  );
  assign emit_room = fifo_free >= {4'd0, store_bytes} + {4'd0, emit_bytes};
  fifo #(.CAPACITY(FIFO_BYTES)) fifo (
      .clock, .reset, .take, .front(out_front), .waiting(out_waiting), .free(fifo_free),
      .store_bytes, .emit_bytes(hist_emit_go ? emit_bytes : 3'd0), .store_word(mem_value), .emit_word
  );

  tile_pkg::fault_t new_cause;
  logic [13:0] new_pc;
  logic [31:0] new_address;
`ifdef RETIREMENT
  logic [31:0] found_word;
  assign {told_image, told_start, told_entry, told_hold} = {image, start, entry, hold};
  assign {told_write, told_row, told_kill} = {data_write != 4'd0, data_address, kill};
  assign told_address = mem_address;
  found finder (
      .address(mem_address), .loaded_word, .io_word, .io_valid, .soft_words, .status, .trigger_start, .trigger_end,
      .trigger_address, .cycle, .drop_count, .word(found_word)
  );
`endif
  core core (
`ifdef RETIREMENT
      .fifo_bytes(store_bytes), .soft_write, .found(found_word), .deed, .trapped, .trap_cause, .trap_address, .trap_deed,
`endif
      .clock, .reset, .image, .start, .flush_command, .kill, .stop_waiting(want_pause || want_finalize),
      .fault, .fault_cause(new_cause), .fault_pc(new_pc), .fault_address(new_address), .region_end,
      .id_valid, .id_pc, .id_word, .hold, .flush, .redirect, .ready, .loop_set, .loop_follows,
      .target, .loop_pc, .loop_length,
      .loop_count, .data_read, .data_write, .data_address, .data_word, .mem_load, .mem_store, .mem_address,
      .mem_value, .mem_funct3, .mem_wait(full), .mem_fault, .load_value, .stream_needed, .input_mask(mask),
      .io_valid, .consumed, .pair, .pair_words, .hist_take, .hist_configure, .hist_read,
      .hist_emit_go, .hist_low, .hist_high, .hist_format, .accumulator, .hist_filling, .hist_busy,
      .emit_room, .emit_last, .retired,
      .retired_pc, .retired_rd, .retired_value
  );
  always_ff @(posedge clock) begin
    if (fault) {fault_seen, fault_cause, fault_pc, fault_address} <= {1'b1, new_cause, new_pc, new_address};
    if (reset || image) fault_seen <= 1'b0;
  end
endmodule
