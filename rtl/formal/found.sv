// The value at an address of the tile's map for a load (docs/formats/tile-isa.md), written independently of
// memory_map.sv.
module found (
    input  logic [31:0] address,
    input  logic [31:0] loaded_word, io_word, io_valid,
    input  logic [255:0] soft_words,
    input  logic [3:0]  status,
    input  logic [31:0] trigger_start, trigger_end, trigger_address,
    input  logic [63:0] cycle,
    input  logic [31:0] drop_count,
    output logic [31:0] word
);
  logic [31:0] at;
  assign at = address & ~32'd3;
  always_comb begin
    word = 0;
    if (at >= 32'h8000) word = loaded_word;
    else if (at < 32'h4080) word = io_word;
    else if (at == 32'h4080) word = io_valid;
    else if (at < 32'h5020) begin
      for (int k = 0; k < 8; k++) if (at == 32'h5000 + 4 * k) word = soft_words[32*k+:32];
    end
    else if (at == 32'h6000) word = {28'd0, status};
    else if (at == 32'h6004) word = trigger_start;
    else if (at == 32'h6008) word = trigger_end;
    else if (at == 32'h600c) word = trigger_address;
    else if (at == 32'h6010) word = cycle[31:0];
    else if (at == 32'h6014) word = cycle[63:32];
    else word = drop_count;
  end
endmodule
