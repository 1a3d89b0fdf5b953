// The next pc of the program: pc + 4 except for hardware loops. An instruction that ends the body of the
// innermost loop goes back while rounds are left. Then a loop instruction opens its own loop. A taken branch
// or jump ends all loops, and a third level ends the other two.
module chain (
    input logic clock, reset,
    input logic retired,
    input logic [13:0] pc, next,
    input logic taken, ended,
    input logic loops,
    input logic [4:0] body,
    input logic [31:0] rounds,
    input logic start,
    input logic [13:0] entry,
    input logic trapped,
    input logic [13:0] trap_pc
);
  logic [13:0] want, want_now;
  logic known = 1'b0, known_now;
  logic [1:0] depth, depth_now;
  logic [13:0] from0, from1, from0_now, from1_now;
  logic [14:0] last0, last1, last0_now, last1_now;
  logic [31:0] left0, left1, left0_now, left1_now;

  always_comb begin
    {want_now, known_now, depth_now} = {want, known, depth};
    {from0_now, from1_now, last0_now, last1_now, left0_now, left1_now} = {from0, from1, last0, last1, left0, left1};
    if (retired) begin
      want_now = next;
      if (depth == 1 && {1'b0, pc} == last0) begin
        if (left0 > 1) {left0_now, want_now} = {left0 - 32'd1, from0};
        else depth_now = 0;
      end
      if (depth == 2 && {1'b0, pc} == last1) begin
        if (left1 > 1) {left1_now, want_now} = {left1 - 32'd1, from1};
        else depth_now = 1;
      end
      if (loops && depth_now == 1) begin
        depth_now = 2;
        {from1_now, last1_now, left1_now} = {pc + 14'd4, {1'b0, pc} + {8'd0, body, 2'd0}, rounds};
      end else if (loops) begin
        depth_now = 1;
        {from0_now, last0_now, left0_now} = {pc + 14'd4, {1'b0, pc} + {8'd0, body, 2'd0}, rounds};
      end
      if (taken) begin
        depth_now = 0;
        want_now = next;
      end
      if (ended) known_now = 0;
    end
  end

  always_ff @(posedge clock) begin
    if (known && !reset && retired) assert (pc == want);
    if (known_now && !reset && trapped) assert (trap_pc == want_now);
    {want, known, depth} <= {want_now, known_now, depth_now};
    {from0, from1, last0, last1, left0, left1} <= {from0_now, from1_now, last0_now, last1_now, left0_now, left1_now};
    if (trapped) known <= 0;
    if (start) begin
      want <= entry;
      depth <= 0;
      known <= 1;
    end
    if (reset) known <= 0;
  end
endmodule
