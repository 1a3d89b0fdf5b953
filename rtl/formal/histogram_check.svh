// Proves the histogram unit by induction against its formulas (src/tile/unit/histogram.h): from any state in
// which `holds` is true, one cycle leads to another such state. `which` is any one accumulator, `want` its
// correct value.
logic [6:0] which;
logic [17:0] want;
logic [19:0] grown;
logic [3:0] falls, falls_next;
logic [15:0] adds_to, adds_next;
logic [63:0] lanes_then;
logic [17:0] mode_then;
logic later = 1'b0, taken_then, first_word, chosen, holds;
assign which = $anyconst;

function automatic logic [6:0] bucket_of(input logic [15:0] v);
  logic [16:0] distance;
  bucket_of = 7'd0;
  distance = {2'd0, v[14:0] >> mode[3:0]} - {8'd0, mode[12:4]};
  if (!mode[17]) begin
    for (int j = 0; j < 16; j++) if (mode[j]) bucket_of = bucket_of ^ 7'({v, v} >> j);
  end else bucket_of = {v[15], distance[16] ? 6'd0 : distance > 17'd63 ? 6'd63 : distance[5:0]};
endfunction

always_comb begin
  for (int i = 0; i < 4; i++) falls_next[i] = taken && mode[17:16] != 2'd0 && bucket_of(16'(lanes >> (16 * i))) == which;
  adds_next = taken && mode[17:16] == 2'd0 && which < 7'd4 ? 16'(lanes >> {which[1:0], 4'd0}) : 16'd0;
  grown = {2'd0, want} + {4'd0, adds_to} + {17'd0, {2'd0, falls[0]} + {2'd0, falls[1]} + {2'd0, falls[2]} + {2'd0, falls[3]}};
  holds = accumulators[which] == want && taken == taken_then && (!taken || (lanes == lanes_then && mode == mode_then)) &&
          adds_to == (adds && which < 7'd4 ? word[which[1:0]] : 16'd0) && !(counts && adds) && (falls == 0 || !adds) &&
          (!first_word || {word_at, first, offset} == 19'd0);
  for (int i = 0; i < 4; i++) holds = holds && falls[i] == (counts && bucket[i] == which);
end

always_ff @(posedge clock) begin
  later <= 1'b1;
  if (!later) assume (holds);
  // Rules that core.sv obeys.
  assume (3'(take) + 3'(configure) + 3'(read) + 3'(emit_go) <= 3'd1);
  assume (!(read && filling) && !(emit_go && (busy || reading)));
  chosen <= low[6:0] == which;
  first_word <= reset || flush || (emit_go && emit_last) || (first_word && !emit_go);
  taken_then <= take && !reset && !image;
  if (take) {lanes_then, mode_then} <= {high, low, mode};
  {falls, adds_to} <= reset || image ? 20'd0 : {falls_next, adds_next};
  want <= reset || image || (emit_go && emit_last) ? 18'd0 : grown > 20'h3ffff ? 18'h3ffff : grown[17:0];
  if (later) begin
    assert (holds);
    if (emit_go) assert (falls == 0 && adds_to == 0 && !taken);
    if (emit_go && first_word && format == 4'd4 && which < 7'd4)
      assert (8'(emit_word >> {which[1:0], 3'd0}) == (want > 18'd255 ? 8'd255 : want[7:0]));
  end
  if (later && reading && chosen) assert (accumulator == want && falls == 0 && adds_to == 0);
end
