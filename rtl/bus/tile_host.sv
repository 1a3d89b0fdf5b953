// A tile behind its registers and taps, which is the common part of the three bus variants. The first TAPS
// input registers have a tap.
module tile_host #(
    parameter int FIFO_BYTES = 64,
    parameter int QUEUE = 4,
    parameter int TAPS = 4
) (
    input  logic        clock, reset,
    // bus port
    input  logic        write, read,
    input  logic [15:0] write_address, read_address,
    input  logic [31:0] write_word,
    output logic [31:0] read_word,
    output logic        write_refused, read_refused,
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
  tile_pkg::command_t command;
  logic [31:0] argument, image_mask, image_trigger_start, image_trigger_end, fault_address, out_front;
  logic memory_write, memory_is_code, image_triggered, fault_seen, running, histogram_saturated;
  logic [12:0] memory_address;
  logic [13:0] image_entry, fault_pc;
  logic [2:0] queue_limit, take;
  logic [159:0] drops;
  tile_pkg::fault_t fault_cause;
  logic [6:0] out_waiting;

  logic [32*TAPS-1:0] tap_mask, tap_equals, tap_events;
  logic [7*TAPS-1:0] tap_mode;
  logic [31:0] tapped_valid;
  logic [1023:0] tapped_data;
  for (genvar n = 0; n < 32; n++) begin : signals
    if (n < TAPS) begin : with_tap
      tap tap (
          .clock, .reset, .clear(command == tile_pkg::IMAGE), .on(tap_mode[7*n]), .compares(tap_mode[7*n+1]),
          .when(tap_mode[7*n+2+:2]), .takes(tap_mode[7*n+4+:2]), .peaks(tap_mode[7*n+6]), .mask(tap_mask[32*n+:32]),
          .equals(tap_equals[32*n+:32]), .valid(in_valid[n]), .data(in_data[32*n+:32]), .passes(tapped_valid[n]),
          .word(tapped_data[32*n+:32]), .events(tap_events[32*n+:32])
      );
    end else begin : without
      assign tapped_valid[n] = in_valid[n];
      assign tapped_data[32*n+:32] = in_data[32*n+:32];
    end
  end

  host_registers #(.QUEUE(QUEUE), .TAPS(TAPS)) registers (
      .clock, .reset, .write, .read, .write_address, .read_address, .write_word, .read_word, .write_refused,
      .read_refused, .irq, .tap_mask, .tap_equals, .tap_mode, .tap_events, .command, .argument, .memory_write, .memory_is_code, .memory_address, .image_entry,
      .image_triggered, .image_mask, .image_trigger_start, .image_trigger_end, .queue_limit, .status, .running, .drops,
      .fault_seen, .fault_cause, .fault_pc, .fault_address, .histogram_saturated, .take, .out_front, .out_waiting
  );

  // Outputs for observers are left open.
  // verilator lint_off PINCONNECTEMPTY
  tile #(.FIFO_BYTES(FIFO_BYTES), .QUEUE(QUEUE)) tile (
      .clock, .reset, .command, .argument, .memory_write, .memory_is_code, .memory_address, .memory_word(write_word),
      .image_entry, .image_triggered, .image_mask, .image_trigger_start, .image_trigger_end, .queue_limit, .status,
      .drops, .fault_seen, .fault_cause, .fault_pc, .fault_address, .in_valid(tapped_valid), .in_data(tapped_data), .in_has_address, .in_address,
      .soft_words, .soft_write, .soft_index, .soft_word, .take, .out_front, .out_waiting, .running, .histogram_saturated,
      .store_in_mem(), .io_valid(), .input_arrival(), .fetch_pc(), .retired(), .retired_pc(), .retired_rd(),
      .retired_value()
  );
  // verilator lint_on PINCONNECTEMPTY
endmodule
