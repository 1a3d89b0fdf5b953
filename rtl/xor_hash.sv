// The hash instruction: XOR of `value` rotated right by j, over the bits j set in `mask`. This is a product
// of polynomials over GF(2) modulo x^32 - 1, computed in halves with one product fewer. With value = v1 v0
// and mask = m1 m0 (16 bits each) both halves of the result contain v0 by m0 and v1 by m1, turned within 16
// bits. (v0 + v1) by (m0 + m1), not turned, gives each half its own part. That is 768 ANDs where the
// definition has 1,024.
module xor_hash (
    input  logic        active,  // else the result may be anything
    input  logic [31:0] value, mask,
    output logic [31:0] hash
);
  logic [15:0] values, masks, both;
  logic [31:0] apart;
  always_comb begin
    {values, masks, both} = 48'd0;
    apart = 32'd0;
    if (active || !tile_pkg::PASSES_OVER) begin
      values = value[31:16] ^ value[15:0];
      masks = mask[31:16] ^ mask[15:0];
      for (int j = 0; j < 16; j++) begin
        both = both ^ (16'({2{value[15:0]}} >> j) & {16{mask[j]}}) ^ (16'({2{value[31:16]}} >> j) & {16{mask[16+j]}});
        apart = apart ^ (({values, 16'd0} >> j) & {32{masks[j]}});
      end
    end
  end
  assign hash = {both, both} ^ apart;
endmodule
