// The registers through which a host drives a tile (registers.csv has the map). A bus port gives at most one
// write and one read per cycle, each of a whole word, and both are answered in the same cycle. Accesses
// outside the map are refused and change nothing: an address without a register, a write to a read-only
// register, a memory in use.
module host_registers #(
    parameter int QUEUE = 4,  // inputs that can wait, of the tile
    parameter int TAPS = 4    // at most 8
) (
    input  logic        clock, reset,
    // bus port
    input  logic        write, read,
    input  logic [15:0] write_address, read_address,  // in bytes; the lowest two bits are 0 in an access that is allowed
    input  logic [31:0] write_word,
    output logic [31:0] read_word,
    output logic        write_refused, read_refused,
    output logic        irq,
    // taps, tap n at bits 32 n and 7 n
    output logic [32*TAPS-1:0] tap_mask, tap_equals,
    output logic [7*TAPS-1:0]  tap_mode,
    input  logic [32*TAPS-1:0] tap_events,
    // tile
    output tile_pkg::command_t command,
    output logic [31:0] argument,
    output logic        memory_write, memory_is_code,
    output logic [12:0] memory_address,
    output logic [13:0] image_entry,
    output logic        image_triggered,
    output logic [31:0] image_mask, image_trigger_start, image_trigger_end,
    output logic [2:0]  queue_limit,
    input  tile_pkg::status_t status,
    input  logic        running,
    input  logic [159:0] drops,
    input  logic        fault_seen,
    input  tile_pkg::fault_t fault_cause,
    input  logic [13:0] fault_pc,
    input  logic [31:0] fault_address,
    input  logic        histogram_saturated,
    output logic [2:0]  take,
    input  logic [31:0] out_front,
    input  logic [6:0]  out_waiting
);
  logic is_code, is_data, in_memory, known_write;
  logic [1:0] interrupt_enable;

  // Returns whether the address is one of the four registers of an existing tap.
  function automatic logic is_tap(input logic [15:0] address);
    is_tap = (address & 16'hff83) == host_map::TAP_MASK && {1'b0, address[6:4]} < 4'(TAPS);
  endfunction
  localparam logic [1:0] MASK = host_map::TAP_MASK[3:2], EQUALS = host_map::TAP_EQUALS[3:2],
      MODE = host_map::TAP_MODE[3:2], COUNT = host_map::TAP_COUNT[3:2];
  assign is_code = write_address[15:13] == host_map::CODE[15:13];
  assign is_data = write_address[15] == host_map::DATA[15];
  assign in_memory = (is_code || is_data) && write_address[1:0] == 2'd0;

  always_comb begin
    case (write_address)
      host_map::COMMAND, host_map::ARGUMENT, host_map::ENTRY, host_map::MASK, host_map::TRIGGER_START,
      host_map::TRIGGER_END, host_map::QUEUE, host_map::INTERRUPT: known_write = 1'b1;
      default: known_write = (in_memory && status == tile_pkg::UNDEFINED) ||
                             (is_tap(write_address) && write_address[3:2] != COUNT);
    endcase
  end
  assign write_refused = !known_write;

  assign memory_write = write && known_write && in_memory;
  assign memory_is_code = is_code;
  assign memory_address = is_code ? {2'd0, write_address[12:2]} : write_address[14:2];
  assign command = tile_pkg::command_t'(write && write_address == host_map::COMMAND ? write_word[2:0] : 3'd0);

  always_ff @(posedge clock) begin
    if (write) begin
      case (write_address)
        host_map::ARGUMENT: argument <= write_word;
        host_map::ENTRY: {image_triggered, image_entry} <= {write_word[31], write_word[13:0]};
        host_map::MASK: image_mask <= write_word;
        host_map::TRIGGER_START: image_trigger_start <= write_word;
        host_map::TRIGGER_END: image_trigger_end <= write_word;
        host_map::QUEUE: queue_limit <= write_word > 32'(QUEUE) ? 3'(QUEUE) : write_word[2:0];
        host_map::INTERRUPT: interrupt_enable <= write_word[1:0];
        default: ;
      endcase
      for (int n = 0; n < TAPS; n++) begin
        if (is_tap(write_address) && write_address[6:4] == 3'(n)) begin
          if (write_address[3:2] == MASK) tap_mask[32*n+:32] <= write_word;
          if (write_address[3:2] == EQUALS) tap_equals[32*n+:32] <= write_word;
          if (write_address[3:2] == MODE) tap_mode[7*n+:7] <= write_word[6:0];
        end
      end
    end
    if (reset) begin
      tap_mode <= '0;
      {argument, image_mask, image_trigger_start, image_trigger_end} <= 128'd0;
      {image_triggered, image_entry, queue_limit, interrupt_enable} <= 20'd0;
    end
  end

  always_comb begin
    read_refused = 1'b0;
    case (read_address)
      host_map::ID: read_word = host_map::ID_VALUE;
      host_map::STATUS: read_word = {28'd0, status};
      host_map::ARGUMENT: read_word = argument;
      host_map::ENTRY: read_word = {image_triggered, 17'd0, image_entry};
      host_map::MASK: read_word = image_mask;
      host_map::TRIGGER_START: read_word = image_trigger_start;
      host_map::TRIGGER_END: read_word = image_trigger_end;
      host_map::QUEUE: read_word = {29'd0, queue_limit};
      host_map::FAULT: read_word = {fault_seen, 12'd0, fault_cause, 2'd0, fault_pc};
      host_map::FAULT_ADDRESS: read_word = fault_address;
      host_map::FLAGS: read_word = {30'd0, histogram_saturated, running};
      host_map::DROPS_RUNNING: read_word = drops[31:0];
      host_map::DROPS_PAUSED: read_word = drops[63:32];
      host_map::DROPS_UNTRIGGERED: read_word = drops[95:64];
      host_map::DROPS_FINALIZING: read_word = drops[127:96];
      host_map::DROPS_ERROR: read_word = drops[159:128];
      host_map::WAITING: read_word = {25'd0, out_waiting};
      host_map::OUTPUT: read_word = out_front;
      host_map::INTERRUPT: read_word = {30'd0, interrupt_enable};
      host_map::TAPS: read_word = 32'(TAPS);
      default: {read_refused, read_word} = {1'b1, 32'd0};
    endcase
    for (int n = 0; n < TAPS; n++) begin
      if (is_tap(read_address) && read_address[6:4] == 3'(n)) begin
        read_refused = 1'b0;
        case (read_address[3:2])
          MASK: read_word = tap_mask[32*n+:32];
          EQUALS: read_word = tap_equals[32*n+:32];
          MODE: read_word = {25'd0, tap_mode[7*n+:7]};
          default: read_word = tap_events[32*n+:32];
        endcase
      end
    end
  end
  assign take = !read || read_address != host_map::OUTPUT ? 3'd0 : out_waiting > 7'd4 ? 3'd4 : out_waiting[2:0];
  assign irq = (interrupt_enable[0] && out_waiting != 7'd0) || (interrupt_enable[1] && status == tile_pkg::ERROR);
endmodule
