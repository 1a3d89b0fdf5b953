// The output FIFO in bytes. One cycle takes up to four out, then puts in a store's bytes, then those of emit.
// Eight banks: eight bytes in a row never meet in one bank.
module fifo #(
    parameter int CAPACITY = 64
) (
    input  logic        clock, reset,
    input  logic [2:0]  take,             // bytes the path takes in this cycle, at most `waiting`
    output logic [31:0] front,            // the oldest four
    output logic [6:0]  waiting,
    output logic [6:0]  free,             // after `take`
    input  logic [2:0]  store_bytes, emit_bytes,  // 0: nothing; the writer has checked `free`
    input  logic [31:0] store_word, emit_word
);
  logic [5:0] head, tail;
  logic [3:0] count;
  logic [63:0] data;
  logic [7:0] banked[8];
  logic [6:0] left;

  assign left = waiting - {4'd0, take};
  assign free = CAPACITY[6:0] - left;
  assign count = {1'b0, store_bytes} + {1'b0, emit_bytes};
  always_comb begin
    case (store_bytes)
      3'd0: data = {32'd0, emit_word};
      3'd1: data = {24'd0, emit_word, store_word[7:0]};
      3'd2: data = {16'd0, emit_word, store_word[15:0]};
      default: data = {emit_word, store_word};
    endcase
  end

`ifdef FORMAL
  logic [7:0] watched[8];
  logic [5:0] place;
`endif
  for (genvar b = 0; b < 8; b++) begin : bank
    logic [7:0] rows[8];
    logic [2:0] lane, back, at, from;  // this bank's byte: how far behind tail and head, and its row
    assign lane = 3'(b) - tail[2:0];
    assign back = 3'(b) - head[2:0];
    assign at = 3'((tail + {3'd0, lane}) >> 3);
    assign from = 3'((head + {3'd0, back}) >> 3);
    assign banked[b] = rows[from];
`ifdef FORMAL
    assign watched[b] = rows[place[5:3]];
`endif
    always_ff @(posedge clock) begin
      if ({1'b0, lane} < count) rows[at] <= data[8*lane+:8];
    end
  end

  for (genvar i = 0; i < 4; i++) begin : out
    logic [2:0] from;
    assign from = head[2:0] + 3'(i);
    assign front[8*i+:8] = banked[from];
  end

  always_ff @(posedge clock) begin
    if (reset) begin
      {head, tail} <= 12'd0;
      waiting <= 7'd0;
    end else begin
      head <= head + {3'd0, take};
      tail <= tail + {2'd0, count};
      waiting <= left + {3'd0, count};
    end
  end

`ifdef FORMAL
  // Proof by induction: from any state in which these properties hold (the first one is assumed) one cycle
  // leads to another such state. Any one byte is followed: it stays at its place until it is taken, and the
  // port shows it.
  logic later = 1'b0, followed, pick, holds;
  logic [2:0] nth;
  logic [5:0] behind;
  logic [7:0] value;
  assign {pick, nth} = $anyseq;
  assign behind = place - head;
  assign holds = tail == 6'(head + waiting[5:0]) && waiting <= 7'(CAPACITY) &&
                 (!followed || ({1'b0, behind} < waiting && watched[place[2:0]] == value));
  always_ff @(posedge clock) begin
    later <= 1'b1;
    if (!later) assume (holds);
    assume (take <= 3'd4 && {4'd0, take} <= waiting);
    assume (store_bytes <= 3'd2 || store_bytes == 3'd4);
    assume (emit_bytes <= 3'd4 && {4'd0, store_bytes} + {4'd0, emit_bytes} <= free);
    if (reset || (followed && {4'd0, behind[2:0]} < {4'd0, take} && behind < 6'd8)) followed <= 1'b0;
    else if (pick && !followed && {1'b0, nth} < count) begin
      followed <= 1'b1;
      place <= tail + {3'd0, nth};
      value <= nth < store_bytes ? 8'(store_word >> {nth, 3'd0}) : 8'(emit_word >> {3'(nth - store_bytes), 3'd0});
    end
    if (later) begin
      assert (holds);
      assert (free == 7'(CAPACITY) - (waiting - {4'd0, take}));
      for (int i = 0; i < 4; i++) if (followed && behind == 6'(i)) assert (front[8*i+:8] == value);
    end
  end
`endif
endmodule
