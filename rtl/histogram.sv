// 128 accumulators of 18 bits, four 16-bit lanes per cycle, and the packing of `emit`. Bits 17:16 of the
// configuration select the operation. 0: add lane i to accumulator i. 1: count in the bucket of an XOR hash.
// 2 and 3: count in the bucket of a quantised magnitude with sign (src/tile/unit/histogram.h has the
// formulas). A pipeline of three stages: lanes are taken in EX, then their buckets are computed, then every
// accumulator adds its share, so that no lane waits for another and four values per cycle are sustained. A
// reader of accumulators waits until no value is on its way (`filling`, `busy`).
module histogram (
    input  logic        clock, reset,
    input  logic        image,                 // back to power-on
    input  logic        flush,                 // an emit that has begun ends
    input  logic        take, configure, read, // at most one of these and emit
    input  logic [31:0] low, high,             // lanes; `low` is also the configuration and the bucket to read
    output logic [17:0] accumulator,           // one cycle after `read`
    output logic        filling, busy,         // lanes were taken one cycle, at most two cycles ago
    input  logic        emit_go,               // a word of emit is written in this cycle
    input  logic [3:0]  format,
    output logic [2:0]  emit_bytes,
    output logic [31:0] emit_word,
    output logic        emit_last,
    output logic        saturated
);
  localparam logic [17:0] FULL = 18'h3ffff;

  logic [17:0] accumulators[128];
  logic [17:0] mode;
  logic [63:0] lanes;                      // stage 1
  logic reading;                           // in MEM
  logic taken, counts, adds;               // stage 1 holds lanes; stage 2 holds buckets or words to add
  logic [6:0] bucket[4];
  logic [15:0] word[4];
  logic [6:0] read_at, word_at, first;
  logic [4:0] offset;

  function automatic logic [6:0] hashed(input logic [15:0] value, input logic [15:0] mask);
    hashed = 7'd0;
    for (int j = 0; j < 16; j++) begin
      if (mask[j]) hashed = hashed ^ 7'((value >> j) | (value << (16 - j)));
    end
  endfunction

  function automatic logic [6:0] quantised(input logic [15:0] value, input logic [3:0] shift, input logic [8:0] base);
    logic signed [16:0] distance;
    distance = $signed({2'd0, value[14:0] >> shift}) - $signed({8'd0, base});
    quantised = {value[15], distance < 0 ? 6'd0 : distance > 63 ? 6'd63 : distance[5:0]};
  endfunction

  assign filling = taken;
  assign busy = taken || counts || adds;

  always_ff @(posedge clock) begin
    taken <= take;
    if (take) lanes <= {high, low};
    counts <= taken && mode[17:16] != 2'd0;
    adds <= taken && mode[17:16] == 2'd0;
    if (taken) begin
      for (int i = 0; i < 4; i++) begin
        bucket[i] <= mode[16] && !mode[17] ? hashed(lanes[16*i+:16], mode[15:0])
                                           : quantised(lanes[16*i+:16], mode[3:0], mode[12:4]);
        word[i] <= lanes[16*i+:16];
      end
    end
    if (configure) mode <= low[17:0];
    reading <= read;
    if (read) read_at <= low[6:0];
    if (reset || image) begin
      mode <= 18'd0;
      {taken, counts, adds} <= 3'd0;
    end
  end

  // Words are added to the first four accumulators only. A cycle without anything to add could skip all of
  // them, but in hardware the enable signal would cost more than the additions.
  logic clear, moves;
  assign moves = counts || adds || !tile_pkg::PASSES_OVER;
  assign clear = reset || image || (emit_go && emit_last);
  always_ff @(posedge clock) begin
    if (clear) begin
      for (int r = 0; r < 32; r++) begin
        for (int b = 0; b < 4; b++) accumulators[4*r+b] <= 18'd0;
      end
      saturated <= 1'b0;
    end else if (moves) begin : adding
      logic [18:0] sum;
      logic [2:0] hits;
      logic [7:0] into[4];
      logic overflow;
      overflow = 1'b0;
      for (int j = 0; j < 4; j++) into[j] = {counts, bucket[j]};
      for (int r = 0; r < 32; r++) begin
        if (r == 0 || counts || !tile_pkg::PASSES_OVER) begin
          for (int b = 0; b < 4; b++) begin
            hits = 3'd0;
            for (int j = 0; j < 4; j++) hits = hits + 3'(into[j] == {1'b1, 7'(4 * r + b)});
            sum = {1'b0, accumulators[4*r+b]} + (r == 0 && adds ? {3'd0, word[b]} : {16'd0, hits});
            accumulators[4*r+b] <= sum[18] ? FULL : sum[17:0];
            overflow = overflow || sum[18];
          end
        end
      end
      saturated <= saturated || overflow;
    end
  end

  // Reads four adjacent accumulators, one from each bank of 32.
  logic [6:0] at;
  logic [17:0] bank[4], held[4];
  assign at = reading ? read_at : first;
  always_comb begin
    for (int b = 0; b < 4; b++) begin
      bank[b] = accumulators[{at[6:2] + 5'(2'(b) < at[1:0]), 2'(b)}];
    end
    for (int i = 0; i < 4; i++) held[i] = bank[2'(at[1:0] + 2'(i))];
  end
  assign accumulator = held[0];

  function automatic logic [7:0] byte_of(input logic [17:0] value);
    byte_of = value > 18'd255 ? 8'd255 : value[7:0];
  endfunction
  function automatic logic [8:0] nine_of(input logic [17:0] value);
    nine_of = value > 18'd511 ? 9'd511 : value[8:0];
  endfunction

  always_comb begin
    if (format == 4'd0) emit_word = 32'({held[2], held[1], held[0]} >> offset);
    else if (format == 4'd9) emit_word = {5'd0, nine_of(held[2]), nine_of(held[1]), nine_of(held[0])};
    else emit_word = {byte_of(held[3]), byte_of(held[2]), byte_of(held[1]), byte_of(held[0])};
  end
  assign emit_last = format == 4'd0 ? word_at == 7'd71 : format <= 4'd4 || format == 4'd9 || word_at == 7'd1;
  assign emit_bytes = format == 4'd0 || format == 4'd9 || !emit_last ? 3'd4 :
                      format <= 4'd4 ? format[2:0] : 3'(format - 4'd4);

  always_ff @(posedge clock) begin
    if (emit_go && !emit_last) begin
      word_at <= word_at + 7'd1;
      if (format != 4'd0) first <= first + 7'd4;
      else begin  // 32 bits further
        first <= first + (offset >= 5'd4 ? 7'd2 : 7'd1);
        offset <= offset >= 5'd4 ? offset - 5'd4 : offset + 5'd14;
      end
    end
    if (reset || flush || (emit_go && emit_last)) {word_at, first, offset} <= 19'd0;
  end

`ifdef FORMAL
  `include "histogram_check.svh"
`endif
endmodule
