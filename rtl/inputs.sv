// The block's side: 32 IORegs with valid bits, the trigger registers TS, TE and ADDR, and what becomes of an
// input: it starts main, feeds a streaming main, or is dropped and counted by cause. Judged by the state at the start of the
// cycle.
module inputs (
    input  logic        clock, reset,
    input  logic [31:0] in_valid,
    input  logic [1023:0] in_data,       // signal i at bits 32 i
    input  logic        in_has_address,
    input  logic [31:0] in_address,
    input  tile_pkg::status_t status,
    input  logic        want_pause, want_finalize,
    input  logic        image, image_triggered,
    input  logic [31:0] image_mask, image_trigger_start, image_trigger_end,
    input  logic        set_start, set_stop,
    input  logic [31:0] argument,
    input  logic        start,           // any region: nothing streams yet
    input  logic        region_end,      // main or finish returns: the valid bits fall
    input  logic [31:0] stream_needed, consumed,
    output logic        start_main,
    output logic [31:0] mask, valid,
    output logic [31:0] trigger_start, trigger_end, trigger_address,
    input  logic [4:0]  io_index,
    output logic [31:0] io_word,
    input  logic [3:0]  pair,
    output logic [63:0] pair_words,
    input  logic [2:0]  drop_index,
    output logic [31:0] drop_count,
    output logic [159:0] drops           // running, paused, untriggered, finalizing, error
);

  logic [1023:0] io;
  logic [31:0] streaming, kept, latched, room;
  logic trigger_on, armed, armed_now, offered, dropped, asked;
  logic left_over;  // came after the last hist.in of the main that returns
  logic [2:0] cause;

  assign io_word = io[32*io_index+:32];
  assign pair_words = io[64*pair+:64];
  assign drop_count = drop_index < 3'd5 ? drops[32*drop_index+:32] : 32'd0;

  // TS opens, TE closes after its input.
  assign armed_now = armed || (trigger_on && in_has_address && in_address == trigger_start);
  assign offered = (in_valid & mask) != 0 && status != tile_pkg::UNDEFINED;
  assign kept = region_end ? 32'd0 : valid & ~consumed;
  assign room = (streaming | stream_needed) & ~kept & in_valid;
  assign left_over = region_end && (valid & streaming & ~consumed) != 0;
  assign asked = want_pause || want_finalize;
  assign start_main = offered && armed_now && status == tile_pkg::ACTIVE_PAUSED && !asked;

  always_comb begin
    latched = 32'd0;
    dropped = 1'b0;
    cause = 3'd0;
    if (offered && !armed_now) {dropped, cause} = {1'b1, 3'd2};
    else if (offered) begin
      case (status)
        tile_pkg::ACTIVE_RUNNING: begin
          latched = region_end ? 32'd0 : room;
          dropped = latched == 0;
        end
        tile_pkg::ACTIVE_PAUSED: begin
          if (asked) {dropped, cause} = {1'b1, want_pause ? 3'd1 : 3'd3};
          else latched = in_valid;
        end
        tile_pkg::PAUSED: {dropped, cause} = {1'b1, 3'd1};
        tile_pkg::FINALIZE: {dropped, cause} = {1'b1, 3'd3};
        default: {dropped, cause} = {1'b1, 3'd4};
      endcase
    end
  end

  always_ff @(posedge clock) begin
    if (latched != 0) begin
      for (int i = 0; i < 32; i++) if (latched[i]) io[32*i+:32] <= in_data[32*i+:32];
    end
    valid <= kept | latched;
    streaming <= start ? 32'd0 : streaming | stream_needed;
    for (int i = 0; i < 5; i++) begin
      drops[32*i+:32] <= drops[32*i+:32] + 32'(dropped && cause == 3'(i)) + 32'(left_over && i == 0);
    end

    if (in_has_address) trigger_address <= in_address;
    if (trigger_on && in_has_address) armed <= armed_now && in_address != trigger_end;
    if (set_start) begin
      {trigger_on, armed} <= 2'b10;
      trigger_start <= argument;
    end
    if (set_stop) trigger_end <= argument;
    if (image) begin
      mask <= image_mask;
      valid <= 32'd0;
      {trigger_on, armed} <= {image_triggered, !image_triggered};
      {trigger_start, trigger_end} <= {image_trigger_start, image_trigger_end};
    end
    if (reset) begin
      {mask, valid, streaming} <= 96'd0;
      drops <= 160'd0;
      io <= 1024'd0;
      {trigger_on, armed} <= 2'b01;
      {trigger_start, trigger_end, trigger_address} <= 96'd0;
    end
  end
endmodule
