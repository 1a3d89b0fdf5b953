// x0 to x31: one write port and two reads that answer in the next cycle, so that a block RAM can hold them.
// An operand that the RAM does not have yet (it is written in the cycle of the read) or never had is kept in
// flip-flops. After an image all registers are 0 but the stack pointer, and a region starts with the return
// address in ra, whatever an older instruction writes there.
module registers (
    input  logic        clock,
    input  logic        image, start,
    input  logic        hold,              // the reader stays: its operands of this cycle are kept
    input  logic [31:0] seen_a, seen_b,    // after forwarding
    input  logic [4:0]  rs1, rs2, rd,      // rd 0: no write
    input  logic [31:0] value,
    output logic [31:0] a, b               // of the cycle before
);
  logic [31:0] x[32];
  logic [31:0] live;  // the others hold their first value
  logic image_before, start_before, write, from_a, from_b, meets_a, meets_b;
  logic [31:0] read_a, read_b, kept_a, kept_b;

  // An instruction that is in MEM when the image or the region arrives reaches WB one cycle later, and must
  // not write.
  assign write = rd != 0 && !image_before && !(start_before && rd == 5'd1);
  assign meets_a = write && rd == rs1;
  assign meets_b = write && rd == rs2;
  assign a = from_a ? read_a : kept_a;
  assign b = from_b ? read_b : kept_b;

  function automatic logic [31:0] first(input logic [4:0] index);
    first = index == 5'd1 ? {18'd0, tile_pkg::RETURN_ADDRESS} : index == 5'd2 ? tile_pkg::STACK_TOP : 32'd0;
  endfunction

  always_ff @(posedge clock) begin
    if (write) x[rd] <= value;
    if (!hold) begin
      read_a <= x[rs1];
      read_b <= x[rs2];
    end
  end

  always_ff @(posedge clock) begin
    image_before <= image;
    start_before <= start;
    from_a <= !hold && live[rs1] && !meets_a;
    from_b <= !hold && live[rs2] && !meets_b;
    kept_a <= hold ? seen_a : meets_a ? value : first(rs1);
    kept_b <= hold ? seen_b : meets_b ? value : first(rs2);
    if (write) live[rd] <= 1'b1;
    if (start) live[1] <= 1'b0;
    if (image) live <= 32'd0;
  end
endmodule
