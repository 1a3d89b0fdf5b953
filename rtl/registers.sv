// x0 to x31. Two reads see the write of the same cycle. A new image makes all registers 0 but the stack pointer;
// the start of a region puts the return address into ra, whatever an older instruction writes there.
module registers (
    input  logic        clock,
    input  logic        image, start,
    input  logic [4:0]  rs1, rs2, rd,  // rd 0: no write
    input  logic [31:0] value,
    output logic [31:0] a, b
);
  logic [31:0] x[32];
  logic [31:0] live;  // the others are 0
  logic image_before, start_before;
  logic write;

  // What stood in MEM when the image or the region came is in WB one cycle later.
  assign write = rd != 0 && !image_before && !(start_before && rd == 5'd1);
  assign a = write && rd == rs1 ? value : live[rs1] ? x[rs1] : 32'd0;
  assign b = write && rd == rs2 ? value : live[rs2] ? x[rs2] : 32'd0;

  always_ff @(posedge clock) begin
    image_before <= image;
    start_before <= start;
    if (write) begin
      x[rd] <= value;
      live[rd] <= 1'b1;
    end
    if (image) begin
      x[2] <= tile_pkg::STACK_TOP;
      live <= 32'd4;
    end
    if (start) begin
      x[1] <= {18'd0, tile_pkg::RETURN_ADDRESS};
      live[1] <= 1'b1;
    end
  end
endmodule
