// A tap in front of one IOReg. It passes the events of a signal and counts them, so that a program receives
// only the relevant ones although it is slower than the block. The reference is src/tile/block/tap.h. `valid`
// and data are those of each cycle.
module tap (
    input  logic        clock, reset,
    input  logic        clear,          // a new image: nothing was seen yet
    input  logic        on,             // off: every valid word passes as it is
    input  logic        compares,       // an event has value == equals; else any value
    input  logic [1:0]  when,           // 0 level, 1 rising, 2 falling, 3 change
    input  logic [1:0]  takes,          // what the IOReg gets: 0 the masked value, 1 the count, 2 the cycle, 3 the gap
    input  logic        peaks,          // passes only words above all before, at first above 0
    input  logic [31:0] mask, equals,
    input  logic        valid,
    input  logic [31:0] data,
    output logic        passes,
    output logic [31:0] word,
    output logic [31:0] events          // before this cycle
);
  logic matched, known, is_equal, happens;
  logic [31:0] value, last, cycle, gap, most;  // gap: cycles since the last event
  assign value = data & mask;
  assign is_equal = !compares || value == equals;
  always_comb begin
    case (when)
      2'd0: happens = is_equal;
      2'd1: happens = is_equal && !matched;
      2'd2: happens = !is_equal && matched;
      default: happens = is_equal && known && last != value;
    endcase
    case (takes)
      2'd1: word = events + 32'd1;
      2'd2: word = cycle;
      2'd3: word = gap;
      default: word = value;
    endcase
    if (!on) word = data;
    passes = valid && (!on || (happens && (!peaks || word > most)));
  end
  always_ff @(posedge clock) begin
    cycle <= cycle + 32'd1;
    gap <= valid && happens ? 32'd1 : gap + 32'd1;
    if (valid) begin
      matched <= is_equal;
      known <= 1'b1;
      last <= value;
      if (happens) events <= events + 32'd1;
      if (passes) most <= word;
    end
    if (reset || clear) begin
      {matched, known} <= 2'b00;
      {events, cycle, gap, most} <= 128'd0;
    end
  end
endmodule
