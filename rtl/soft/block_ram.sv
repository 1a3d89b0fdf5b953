// A block RAM of the soft logic: 64 words of 64 bits, one port that reads or writes (with byte enables) and one
// that reads. A read gives the word as it was before a write in the same cycle.
module block_ram (
    input  logic        clock,
    input  logic [5:0]  address, look,
    input  logic [7:0]  write,
    input  logic [63:0] write_word,
    output logic [63:0] word, seen
);
  logic [63:0] words[64];
  initial begin
    for (int i = 0; i < 64; i++) words[i] = 64'd0;  // in the bitstream
  end
  always_ff @(posedge clock) begin
    for (int i = 0; i < 8; i++) begin
      if (write[i]) words[address][8*i+:8] <= write_word[8*i+:8];
    end
    word <= words[address];
    seen <= words[look];
  end
endmodule
