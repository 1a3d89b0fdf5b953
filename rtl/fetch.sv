// IF: the program counter and the two levels of hardware loops. A loop instruction that acts (`loopi` in ID, `loop` in
// EX) counts for the fetch of the same cycle, so rounds have no bubbles; a taken branch or jump ends all loops.
module fetch (
    input  logic        clock, reset,
    input  logic        running,      // a region of the program runs
    input  logic        hold,         // a later stage holds
    input  logic        flush,        // fault or end of a region in EX or MEM: nothing is fetched, all before is dropped
    input  logic        flush_command,  // the same at the end of the cycle
    input  logic        start,        // a region begins at `entry`; flush_command is set too
    input  logic [13:0] entry,
    input  logic        redirect,     // a taken branch in EX
    input  logic [13:0] target,
    input  logic        passed,       // ID hands its instruction on
    input  logic        loop_set, loop_follows,
    input  logic [13:0] loop_pc,
    input  logic [4:0]  loop_length,
    input  logic [31:0] loop_count,
    output logic        read,         // the code memory is read at `pc`
    output logic [13:0] pc,
    output logic        id_valid,
    output logic [13:0] id_pc
);
  logic [13:0] start0, start1, top_start;
  logic [14:0] end0, end1, top_end;
  logic [31:0] left0, left1, top_left;
  logic [1:0] depth, depth_now;
  logic more0, more1;                // whether left is above 1: known before the pc asks
  logic inner, at_end, again, more;  // inner: the top is the second level

  // A third level ends the other two.
  assign depth_now = !loop_set ? depth : depth == 2'd2 ? 2'd1 : depth + 2'd1;
  assign inner = depth_now == 2'd2;
  assign top_start = loop_set ? loop_pc + 14'd4 : inner ? start1 : start0;
  assign top_end = loop_set ? {1'b0, loop_pc} + {8'd0, loop_length, 2'd0} : inner ? end1 : end0;
  assign top_left = loop_set ? loop_count : inner ? left1 : left0;

  assign read = running && !hold && !redirect && !flush && (!id_valid || passed) && !loop_follows;
  assign at_end = read && depth_now != 0 && {1'b0, pc} == top_end;
  assign more = loop_set ? loop_count > 32'd1 : inner ? more1 : more0;
  assign again = at_end && more;

  always_ff @(posedge clock) begin
    if (loop_set || read) begin
      if (inner) {start1, end1} <= {top_start, top_end};
      else {start0, end0} <= {top_start, top_end};
      if (inner) {left1, more1} <= again ? {top_left - 32'd1, top_left > 32'd2} : {top_left, more};
      else {left0, more0} <= again ? {top_left - 32'd1, top_left > 32'd2} : {top_left, more};
      depth <= at_end && !again ? depth_now - 2'd1 : depth_now;
    end
    if (passed) id_valid <= 1'b0;
    if (read) begin
      id_valid <= 1'b1;
      id_pc <= pc;
      if (again) pc <= top_start;
      else if (pc < tile_pkg::RETURN_ADDRESS) pc <= pc + 14'd4;
    end
    if (redirect) pc <= target;
    if (start) pc <= entry;
    if (reset || flush || flush_command || redirect) begin
      id_valid <= 1'b0;
      depth <= 2'd0;
    end
    if (reset) pc <= 14'd0;
  end
endmodule
