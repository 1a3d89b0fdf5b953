// IF: the program counter and the two levels of hardware loops. A loop instruction that acts (`loopi` in ID,
// `loop` in EX) counts for the fetch of the same cycle, so rounds have no bubbles. A taken branch or jump
// ends all loops.
module fetch (
    input  logic        clock, reset,
    input  logic        running,      // a region of the program runs
    input  logic        hold,         // a later stage holds
    input  logic        flush,        // fault or end mark in EX or MEM: nothing is fetched, all before is dropped
    input  logic        flush_command,  // the same at the end of the cycle
    input  logic        start,        // a region begins at `entry`; flush_command is set too
    input  logic [13:0] entry,
    input  logic        redirect,     // a jump or taken branch in EX; comes late
    input  logic [13:0] target,
    input  logic        ready,        // ID passes its instruction on, unless redirect or flush is set
    input  logic        loop_set, loop_follows,
    input  logic [13:0] loop_pc,
    input  logic [4:0]  loop_length,
    input  logic [31:0] loop_count,
    output logic        read,         // the code memory is read at `pc`
    output logic [13:0] pc,
    output logic        id_valid,
    output logic [13:0] id_pc
);
  // The top of the two levels before and after a loop instruction acts. The choice between them comes late
  // in the cycle (after branches), so both are computed.
  logic [13:0] start0, start1, old_start, new_start;
  logic [14:0] end0, end1;
  logic [31:0] left0, left1, old_left;
  logic more0, more1, old_more, new_more;  // whether left is above 1
  logic old_hit, new_hit;                  // pc is the last of the body
  logic [1:0] depth, depth_now;
  logic moves, inner, at_end, again;       // inner: the top is the second level

  assign old_start = depth == 2'd2 ? start1 : start0;
  assign old_left = depth == 2'd2 ? left1 : left0;
  assign old_more = depth == 2'd2 ? more1 : more0;
  assign old_hit = depth != 0 && {1'b0, pc} == (depth == 2'd2 ? end1 : end0);
  assign new_start = loop_pc + 14'd4;
  assign new_more = loop_count > 32'd1;
  logic [14:0] new_end;
  assign new_end = {1'b0, loop_pc} + {8'd0, loop_length, 2'd0};
  assign new_hit = {1'b0, pc} == new_end;

  logic [31:0] old_less, new_less;
  logic old_less_more, new_less_more;
  assign old_less = old_left - 32'd1;
  assign new_less = loop_count - 32'd1;
  assign old_less_more = old_left > 32'd2;
  assign new_less_more = loop_count > 32'd2;

  // Loops are nested two deep. A third level ends the other two.
  assign depth_now = !loop_set ? depth : depth == 2'd1 ? 2'd2 : 2'd1;
  assign inner = loop_set ? depth == 2'd1 : depth == 2'd2;
  assign moves = running && !hold && (!id_valid || ready) && !loop_follows;
  assign read = moves;  // the word is not used when a jump or fault follows
  assign at_end = moves && (loop_set ? new_hit : old_hit);
  assign again = at_end && (loop_set ? new_more : old_more);

  always_ff @(posedge clock) begin
    if (loop_set && inner) {start1, end1} <= {new_start, new_end};
    if (loop_set && !inner) {start0, end0} <= {new_start, new_end};
    if ((loop_set || again) && inner)
      {left1, more1} <= loop_set ? (again ? {new_less, new_less_more} : {loop_count, new_more}) : {old_less, old_less_more};
    if ((loop_set || again) && !inner)
      {left0, more0} <= loop_set ? (again ? {new_less, new_less_more} : {loop_count, new_more}) : {old_less, old_less_more};
    if (loop_set || moves) depth <= at_end && !again ? depth_now - 2'd1 : depth_now;
    if (ready) id_valid <= 1'b0;
    if (moves) begin
      id_valid <= 1'b1;
      id_pc <= pc;
    end
    if (redirect) pc <= target;
    else if (moves && !flush) begin
      if (again) pc <= loop_set ? new_start : old_start;
      else if (pc < tile_pkg::RETURN_ADDRESS) pc <= pc + 14'd4;
    end
    if (start) pc <= entry;
    if (reset || flush || flush_command || redirect) begin
      id_valid <= 1'b0;
      depth <= 2'd0;
    end
    if (reset) pc <= 14'd0;
  end
endmodule
