// The hash instruction: XOR of `value` rotated right by j, over the bits j set in `mask`.
module xor_hash (
    input  logic        active,
    input  logic [31:0] value, mask,
    output logic [31:0] hash
);
  always_comb begin
    hash = 32'd0;
    if (active) begin
      for (int j = 0; j < 32; j++) begin
        if (mask[j]) hash = hash ^ ((value >> j) | (value << (32 - j)));
      end
    end
  end
endmodule
