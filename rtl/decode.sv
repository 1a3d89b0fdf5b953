// Decodes one instruction word: RV32I without ecall, ebreak and fence.i, and the eight instructions on
// custom-0 (docs/formats/tile-isa.md). Everything else is ILLEGAL.
module decode (
    input  logic [31:0] word,
    output logic        reads_rs1, reads_rs2,  // whether the words at rs1 and rs2 are used
    output logic [4:0]  body,           // of a LOOP_IMMEDIATE: instructions, rounds
    output logic [31:0] rounds,
    output tile_pkg::decoded_t out
);
  logic [2:0] funct3;
  logic [6:0] funct7;
  logic [11:0] high;
  logic [4:0] rd, rs1;
  logic writes_rd;
  tile_pkg::kind_t kind;
  logic [31:0] immediate;

  assign funct7 = word[31:25];
  assign {rs1, funct3, rd} = word[19:7];
  assign high = word[31:20];

  always_comb begin
    kind = tile_pkg::ILLEGAL;
    immediate = {{20{word[31]}}, high};
    reads_rs1 = 1'b0;
    reads_rs2 = 1'b0;
    writes_rd = 1'b0;
    case (word[6:0])
      7'h33:
      if (funct7 == 7'h00 || (funct7 == 7'h20 && (funct3 == 3'd0 || funct3 == 3'd5))) begin
        kind = tile_pkg::ALU;
        {reads_rs1, reads_rs2, writes_rd} = 3'b111;
      end
      7'h13:
      if (funct3[1:0] != 2'd1 || funct7 == 7'h00 || (funct7 == 7'h20 && funct3 == 3'd5)) begin
        kind = tile_pkg::ALU_IMMEDIATE;
        {reads_rs1, writes_rd} = 2'b11;
      end
      7'h03:
      if (funct3 != 3'd3 && funct3 < 3'd6) begin
        kind = tile_pkg::LOAD;
        {reads_rs1, writes_rd} = 2'b11;
      end
      7'h23:
      if (funct3 < 3'd3) begin
        kind = tile_pkg::STORE;
        immediate = {{20{word[31]}}, funct7, rd};
        {reads_rs1, reads_rs2} = 2'b11;
      end
      7'h63:
      if (funct3[2:1] != 2'd1) begin
        kind = tile_pkg::BRANCH;
        immediate = {{20{word[31]}}, word[7], word[30:25], word[11:8], 1'b0};
        {reads_rs1, reads_rs2} = 2'b11;
      end
      7'h37, 7'h17: begin
        kind = word[5] ? tile_pkg::LUI : tile_pkg::AUIPC;
        immediate = {word[31:12], 12'd0};
        writes_rd = 1'b1;
      end
      7'h6f: begin
        kind = tile_pkg::JAL;
        immediate = {{12{word[31]}}, word[19:12], word[20], word[30:21], 1'b0};
        writes_rd = 1'b1;
      end
      7'h67:
      if (funct3 == 3'd0) begin
        kind = tile_pkg::JALR;
        {reads_rs1, writes_rd} = 2'b11;
      end
      7'h0f: if (funct3 == 3'd0) kind = tile_pkg::FENCE;
      7'h0b:
      case (funct3)
        3'd0:
        if (funct7 == 0) begin
          kind = tile_pkg::HASH;
          {reads_rs1, reads_rs2, writes_rd} = 3'b111;
        end
        3'd1:
        if (funct7 == 0 && rd == 0) begin
          kind = tile_pkg::HIST;
          {reads_rs1, reads_rs2} = 2'b11;
        end
        3'd2: if (high[11:4] == 0 && rd == 0 && rs1 == 0) kind = tile_pkg::HIST_IN;
        3'd3:
        if (high == 0) begin
          kind = tile_pkg::HIST_READ;
          {reads_rs1, writes_rd} = 2'b11;
        end
        3'd4:
        if (high == 0 && rd == 0) begin
          kind = tile_pkg::HIST_CONFIG;
          reads_rs1 = 1'b1;
        end
        3'd5: if (high[11:4] == 0 && (!high[3] || high[2:1] == 0) && rd == 0 && rs1 == 0) kind = tile_pkg::EMIT;
        3'd6:
        if (high[11:5] == 0 && high != 0 && rd == 0) begin
          kind = tile_pkg::LOOP;
          reads_rs1 = 1'b1;
        end
        default:
        if (high != 0 && (!rd[4] || (!rd[3] && (!rd[2] || rd[1:0] == 0))) && rs1 != 0) begin
          kind = tile_pkg::LOOP_IMMEDIATE;
          immediate = rounds;
        end
      endcase
      default: ;
    endcase
  end

  // These fields do not depend on the kind, which takes longer to decode.
  assign body = rs1;
  assign rounds = {20'd0, high} << rd;
  assign out.kind = kind;
  assign out.rd = writes_rd ? rd : 5'd0;
  assign out.funct3 = funct3;
  assign out.alternate = funct7[5];
  // This bit uses the word alone, which is available before its kind. Without use of ALU or address any
  // value is valid.
  assign out.immediate = word[2] || (word[6:4] != 3'd3 && word[6:4] != 3'd6);
  assign out.subtract = !word[2] && (word[4] ? funct3[1] || (funct7[5] && word[5]) : word[6]);
  assign out.value = kind == tile_pkg::ILLEGAL ? word : immediate;
endmodule
