// The interface to the monitored block: 32 IORegs with valid bits, the trigger registers TS, TE and ADDR, and
// the handling of each input. It starts main, feeds a streaming main, waits in the queue, or is dropped and
// counted by cause, according to the state at the start of the cycle. Inputs are taken in the order of
// arrival, each with its cycle of arrival.
module inputs #(
    parameter int QUEUE = 4  // inputs that can wait; a power of two
) (
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
    input  logic [2:0]  queue_limit,     // of these, how many may wait: a setting of the host
    input  logic [31:0] cycle,           // the running one
    input  logic        start,           // any region: nothing streams yet
    input  logic        start_finish,    // of these, finish: what waits is lost
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
    output logic [31:0] arrival,         // cycle in which what the IORegs hold came
    output logic [31:0] drop_count,      // index 5: the arrival
    output logic [159:0] drops           // running, paused, untriggered, finalizing, error
);

  localparam int SLOT = $clog2(QUEUE);

  logic [1023:0] io, next_data;
  logic [31:0] streaming, kept, latched, room, next_valid, next_arrival;
  logic trigger_on, armed, armed_now, offered, dropped, asked, comes, waiting, may_wait, push, pop;
  logic left_over;  // came after the last hist.in of the main that returns
  logic [2:0] cause, count, count_next;

  // The queue: one word per input, {arrival, valid, data}.
  logic [1087:0] entries[QUEUE];
  logic [SLOT-1:0] head, tail;
  assign waiting = count != 0;
  assign {next_arrival, next_valid, next_data} = waiting ? entries[head] : {cycle, in_valid, in_data};

  assign io_word = io[32*io_index+:32];
  assign pair_words = io[64*pair+:64];
  assign drop_count = drop_index < 3'd5 ? drops[32*drop_index+:32] : arrival;

  // TS arms the trigger. TE disarms it after its input.
  assign armed_now = armed || (trigger_on && in_has_address && in_address == trigger_start);
  assign offered = (in_valid & mask) != 0 && status != tile_pkg::UNDEFINED;
  assign comes = offered && armed_now;
  assign kept = region_end ? 32'd0 : valid & ~consumed;
  assign room = (streaming | stream_needed) & ~kept & next_valid;
  assign left_over = region_end && (valid & streaming & ~consumed) != 0;
  assign asked = want_pause || want_finalize;
  assign start_main = (comes || waiting) && status == tile_pkg::ACTIVE_PAUSED && !asked;

  // The input that is taken now, from the queue or directly, and the handling of an input that is not taken.
  always_comb begin
    latched = 32'd0;
    if (start_main) latched = next_valid;
    else if (status == tile_pkg::ACTIVE_RUNNING && (comes || waiting) && !region_end) latched = room;
    pop = waiting && latched != 0;
    may_wait = {1'b0, count} - {3'd0, pop} < {1'b0, queue_limit};
    push = 1'b0;
    dropped = 1'b0;
    cause = 3'd0;
    if (offered && !armed_now) {dropped, cause} = {1'b1, 3'd2};
    else if (offered) begin
      case (status)
        tile_pkg::ACTIVE_RUNNING:
        if (waiting || latched == 0) begin
          push = may_wait;
          dropped = !may_wait;
        end
        tile_pkg::ACTIVE_PAUSED: begin
          if (asked) {dropped, cause} = {1'b1, want_pause ? 3'd1 : 3'd3};
          else push = waiting;
        end
        tile_pkg::PAUSED: {dropped, cause} = {1'b1, 3'd1};
        tile_pkg::FINALIZE: {dropped, cause} = {1'b1, 3'd3};
        default: {dropped, cause} = {1'b1, 3'd4};
      endcase
    end
    count_next = count + {2'd0, push} - {2'd0, pop};
  end

  always_ff @(posedge clock) begin
    if (push) entries[tail] <= {cycle, in_valid, in_data};
    if (latched != 0) begin
      for (int i = 0; i < 32; i++) if (latched[i]) io[32*i+:32] <= next_data[32*i+:32];
      arrival <= next_arrival;
    end
    head <= head + SLOT'(pop);
    tail <= tail + SLOT'(push);
    count <= count_next;
    if (image || start_finish) begin
      count <= 3'd0;
      {head, tail} <= '0;
    end
    valid <= kept | latched;
    streaming <= start ? 32'd0 : streaming | stream_needed;
    for (int i = 0; i < 5; i++) begin
      drops[32*i+:32] <= drops[32*i+:32] + 32'(dropped && cause == 3'(i)) + 32'(left_over && i == 0) +
                         ((image && i == 1) || (start_finish && i == 3) ? 32'(count_next) : 32'd0);
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
      {mask, valid, streaming, arrival} <= 128'd0;
      drops <= 160'd0;
      io <= 1024'd0;
      count <= 3'd0;
      {head, tail} <= '0;
      {trigger_on, armed} <= 2'b01;
      {trigger_start, trigger_end, trigger_address} <= 96'd0;
    end
  end

`ifdef FORMAL
  // Every input is handled exactly once. Any waiting one, followed by its number, leaves unchanged.
  logic [7:0] which, pushed, popped;
  logic [95:0] held;
  logic begun = 1'b0;
  assign which = $anyconst;
  always_ff @(posedge clock) begin
    begun <= 1'b1;
    if (reset) {pushed, popped} <= 16'd0;
    else if (begun) begin
      assert (count <= 3'(QUEUE) && SLOT'(tail - head) == SLOT'(count));
      assert (2'(push) + 2'(dropped) + 2'(latched != 0 && !pop) == 2'(offered));
      assert (!pop || waiting);
      if (push) pushed <= pushed + 8'd1;
      if (pop) popped <= popped + 8'd1;
      if (image || start_finish) {pushed, popped} <= 16'd0;
      if (push && pushed == which) held <= {cycle, in_valid, in_data[31:0]};
      if (pop && popped == which) assert (held == {next_arrival, next_valid, next_data[31:0]});
    end
  end
`endif
endmodule
