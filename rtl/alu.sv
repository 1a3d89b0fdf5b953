// The results of computing instructions, and whether a branch is taken. One adder adds, subtracts, compares
// and computes addresses. One shifter shifts right, and left with its bits reversed.
module alu (
    input  logic [31:0] a, b,
    input  logic [31:0] value,      // the immediate
    input  logic        immediate,  // the second operand is `value`; a comparison for a branch takes b
    input  logic        subtract,   // also to compare
    input  logic [2:0]  funct3,
    input  logic        alternate,  // a shift to the right copies the sign
    output logic [31:0] sum,
    output logic [31:0] result,
    output logic        taken       // funct3 read as a branch condition
);
  logic [31:0] second, turned, shifted;
  logic carry, unused, less, below;
  assign second = immediate ? value : b;
  // The lowest bits make the carry that a subtraction begins with.
  assign {carry, sum, unused} = {1'b0, a, 1'b1} + {1'b0, second ^ {32{subtract}}, subtract};
  assign below = !carry;
  assign less = a[31] != second[31] ? a[31] : below;

  // Reverses the bits of a word: swaps its halves, then the halves of each half, down to single bits. This is
  // wiring in hardware and few steps for a simulator.
  function automatic logic [31:0] reversed(input logic [31:0] word);
    reversed = {word[15:0], word[31:16]};
    reversed = ((reversed >> 8) & 32'h00ff00ff) | ((reversed & 32'h00ff00ff) << 8);
    reversed = ((reversed >> 4) & 32'h0f0f0f0f) | ((reversed & 32'h0f0f0f0f) << 4);
    reversed = ((reversed >> 2) & 32'h33333333) | ((reversed & 32'h33333333) << 2);
    reversed = ((reversed >> 1) & 32'h55555555) | ((reversed & 32'h55555555) << 1);
  endfunction
  always_comb begin
    turned = 32'd0;
    shifted = 32'd0;
    if (funct3[1:0] == 2'd1 || !tile_pkg::PASSES_OVER) begin
      turned = funct3[2] ? a : reversed(a);
      shifted = 32'($signed({alternate && a[31], turned}) >>> second[4:0]);
    end
  end

  always_comb begin
    case (funct3)
      3'd0: result = sum;
      3'd1: result = reversed(shifted);
      3'd2: result = {31'd0, less};
      3'd3: result = {31'd0, below};
      3'd4: result = a ^ second;
      3'd5: result = shifted;
      3'd6: result = a | second;
      default: result = a & second;
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
