// 32 KB of data, one port, a write enable for each byte. The word read stays at the output.
module scratchpad (
    input  logic        clock,
    input  logic        read,
    input  logic [3:0]  write,
    input  logic [12:0] address,
    input  logic [31:0] write_word,
    output logic [31:0] word
);
  logic [31:0] words[8192]  /* verilator public_flat_rd */;
  always_ff @(posedge clock) begin
    for (int i = 0; i < 4; i++) begin
      if (write[i]) words[address][8*i+:8] <= write_word[8*i+:8];
    end
    if (read) word <= words[address];
  end
endmodule
