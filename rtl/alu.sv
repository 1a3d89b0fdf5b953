// What computing instructions give, and whether a branch is taken.
module alu (
    input  logic [31:0] a, b,
    input  logic [2:0]  funct3,
    input  logic        alternate,
    output logic [31:0] result,
    output logic        taken  // funct3 read as a branch condition
);
  logic less, below;
  assign less = $signed(a) < $signed(b);
  assign below = a < b;

  always_comb begin
    case (funct3)
      3'd0: result = alternate ? a - b : a + b;
      3'd1: result = a << b[4:0];
      3'd2: result = {31'd0, less};
      3'd3: result = {31'd0, below};
      3'd4: result = a ^ b;
      3'd5: result = alternate ? $unsigned($signed(a) >>> b[4:0]) : a >> b[4:0];
      3'd6: result = a | b;
      default: result = a & b;
    endcase
  end

  always_comb begin
    case (funct3[2:1])
      2'd0: taken = (a == b) ^ funct3[0];
      2'd2: taken = less ^ funct3[0];
      default: taken = below ^ funct3[0];
    endcase
  end
endmodule
