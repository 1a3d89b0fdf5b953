// The block's side: waiting inputs leave in the order in which they came, with the cycle of their arrival.
// Every offered input starts main, feeds it, waits, or is counted as dropped, exactly once (asserted in
// inputs.sv).
module inputs_proof (
    input logic clock,
    input logic [31:0] in_valid, word,
    input logic in_has_address,
    input logic [31:0] in_address,
    input tile_pkg::status_t status,
    input logic want_pause, want_finalize, image, image_triggered, set_start, set_stop, start_later, start_finish, region_end,
    input logic [31:0] image_mask, trigger_a, trigger_b, argument, stream_any,
    input logic [2:0] queue_limit,
    input logic starved
);
  logic begun = 1'b0;
  logic [31:0] cycle;
  always_ff @(posedge clock) begin
    begun <= 1'b1;
    cycle <= begun ? cycle + 32'd1 : 32'd1;
  end

  logic start_main, start;
  logic [31:0] mask, valid, consumed, stream_needed, io_word, arrival, drop_count;
  logic [159:0] drops;
  assign start = image || start_finish || start_main;
  assign stream_needed = status == tile_pkg::ACTIVE_RUNNING ? stream_any & mask : 32'd0;
  assign consumed = starved || (stream_needed & ~valid) != 0 ? 32'd0 : stream_needed;
  inputs inputs (
      .clock, .reset(!begun), .in_valid, .in_data({992'd0, word}), .in_has_address, .in_address, .status, .want_pause,
      .want_finalize, .image, .image_triggered, .image_mask, .image_trigger_start(trigger_a),
      .image_trigger_end(trigger_b), .set_start, .set_stop, .argument, .queue_limit, .cycle, .start, .start_finish,
      .region_end, .stream_needed, .consumed, .start_main, .mask, .valid, .io_index(5'd0), .io_word, .pair(4'd0),
      .drop_index(3'd5), .arrival, .drop_count, .drops
  );

  // The neighbours follow the rules of control.sv.
  logic [2:0] limit;
  assign limit = $anyconst;
  always_comb begin
    assume (queue_limit == limit && limit <= 3'd4);
    assume (status <= 4 || status == 8);
    assume (!begun ? status == tile_pkg::UNDEFINED : 1'b1);
    assume (!(image && (start_finish || set_start || set_stop)));
    assume (!start_finish || want_finalize);
    assume (!region_end || status == tile_pkg::ACTIVE_RUNNING || status == tile_pkg::FINALIZE);
  end

  // A newer input never overtakes an older one, and no arrival time lies in the future.
  logic [31:0] before;
  always_ff @(posedge clock) begin
    before <= begun ? arrival : 32'd0;
    if (begun) begin
      assert (arrival >= before && arrival <= cycle);
      if (start_main) assert (status == tile_pkg::ACTIVE_PAUSED && !want_pause && !want_finalize);
    end
  end
endmodule
