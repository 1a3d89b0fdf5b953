// The hash unit against its definition: bit k is the parity of value rotated right by j, over the bits j of
// mask. `wrong` must be 0 for all operands. Each of its bits is proved alone, as a BDD with its own order.
module hash_proof (
    input  logic        active,
    input  logic [31:0] value, mask,
    output logic [31:0] wrong
);
  logic [31:0] hash, wanted;
  xor_hash unit (.active, .value, .mask, .hash);
  always_comb begin
    for (int k = 0; k < 32; k++) begin
      wanted[k] = 1'b0;
      for (int j = 0; j < 32; j++) if (mask[j]) wanted[k] = wanted[k] ^ value[(k + j) % 32];
    end
  end
  assign wrong = active ? hash ^ wanted : 32'd0;
endmodule
