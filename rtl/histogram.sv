// 128 accumulators of 18 bits, four 16-bit lanes a cycle, and the packing of `emit`. Bits 17:16 of the
// configuration select: 0 add lane i to accumulator i; 1 count in the bucket of an XOR hash; 2 and 3 count in
// the bucket of a quantised magnitude with sign (src/tile/unit/histogram.h has the formulas).
module histogram (
    input  logic        clock, reset,
    input  logic        image,                 // back to power-on
    input  logic        flush,                 // an emit that has begun ends
    input  logic        take, configure, read, // at most one of these and emit
    input  logic [31:0] low, high,             // lanes; `low` is also the configuration and the bucket to read
    output logic [17:0] accumulator,
    input  logic        emit, emit_go,         // emit stands in EX; its word is written in this cycle
    input  logic [3:0]  format,
    output logic [2:0]  emit_bytes,
    output logic [31:0] emit_word,
    output logic        emit_last,
    output logic        saturated
);
  localparam logic [17:0] FULL = 18'h3ffff;

  logic [17:0] accumulators[128];
  logic [127:0] live;  // the others are 0
  logic [17:0] mode;
  logic [15:0] lane[4];
  logic [6:0] bucket[4];
  logic [17:0] held[4];  // accumulators of the four buckets
  logic [18:0] sum[4];
  logic [6:0] word_at, first;
  logic [4:0] offset;

  assign {lane[3], lane[2], lane[1], lane[0]} = {high, low};

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

  always_comb begin
    for (int i = 0; i < 4; i++) begin
      bucket[i] = 7'd0;
      if (emit) bucket[i] = first + 7'(i);
      else if (read) bucket[i] = low[6:0];
      else if (take) begin
        if (mode[17:16] == 2'd0) bucket[i] = 7'(i);
        else if (mode[17:16] == 2'd1) bucket[i] = hashed(lane[i], mode[15:0]);
        else bucket[i] = quantised(lane[i], mode[3:0], mode[12:4]);
      end
    end
  end

  always_comb begin
    for (int i = 0; i < 4; i++) held[i] = 18'd0;
    if (emit | read | take) begin
      for (int i = 0; i < 4; i++) held[i] = live[bucket[i]] ? accumulators[bucket[i]] : 18'd0;
    end
  end
  assign accumulator = held[0];

  // Lanes of one bucket all compute and write the same sum.
  always_comb begin
    for (int i = 0; i < 4; i++) sum[i] = 19'd0;
    if (take) begin
      for (int i = 0; i < 4; i++) begin
        sum[i] = {1'b0, held[i]};
        if (mode[17:16] == 2'd0) sum[i] = sum[i] + {3'd0, lane[i]};
        else for (int j = 0; j < 4; j++) sum[i] = sum[i] + {18'd0, bucket[j] == bucket[i]};
      end
    end
  end

  function automatic logic [7:0] byte_of(input logic [17:0] value);
    byte_of = value > 18'd255 ? 8'd255 : value[7:0];
  endfunction
  function automatic logic [8:0] nine_of(input logic [17:0] value);
    nine_of = value > 18'd511 ? 9'd511 : value[8:0];
  endfunction

  always_comb begin
    emit_word = 32'd0;
    if (emit) begin
      if (format == 4'd0) emit_word = 32'({held[2], held[1], held[0]} >> offset);
      else if (format == 4'd9) emit_word = {5'd0, nine_of(held[2]), nine_of(held[1]), nine_of(held[0])};
      else emit_word = {byte_of(held[3]), byte_of(held[2]), byte_of(held[1]), byte_of(held[0])};
    end
  end
  assign emit_last = format == 4'd0 ? word_at == 7'd71 : format <= 4'd4 || format == 4'd9 || word_at == 7'd1;
  assign emit_bytes = format == 4'd0 || format == 4'd9 || !emit_last ? 3'd4 :
                      format <= 4'd4 ? format[2:0] : 3'(format - 4'd4);

  always_ff @(posedge clock) begin
    if (take) begin
      for (int i = 0; i < 4; i++) accumulators[bucket[i]] <= sum[i][18] ? FULL : sum[i][17:0];
      for (int i = 0; i < 4; i++) live[bucket[i]] <= 1'b1;
      saturated <= saturated | sum[0][18] | sum[1][18] | sum[2][18] | sum[3][18];
    end
    if (configure) mode <= low[17:0];
    if (emit_go && !emit_last) begin
      word_at <= word_at + 7'd1;
      if (format != 4'd0) first <= first + 7'd4;
      else begin  // 32 bits further
        first <= first + (offset >= 5'd4 ? 7'd2 : 7'd1);
        offset <= offset >= 5'd4 ? offset - 5'd4 : offset + 5'd14;
      end
    end
    if (reset || flush || (emit_go && emit_last)) {word_at, first, offset} <= 19'd0;
    if (reset || image || (emit_go && emit_last)) begin
      live <= 128'd0;
      saturated <= 1'b0;
    end
    if (reset || image) mode <= 18'd0;
  end
endmodule
