// 2,048 instructions, one port. The word stays at the output until the next read.
module code_memory (
    input  logic        clock,
    input  logic        read, write,
    input  logic [10:0] address,
    input  logic [31:0] write_word,
    output logic [31:0] word
);
  logic [31:0] words[2048]  /* verilator public_flat_rd */;
  always_ff @(posedge clock) begin
    if (write) words[address] <= write_word;
    else if (read) word <= words[address];
  end
endmodule
