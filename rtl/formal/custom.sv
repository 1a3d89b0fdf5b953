// The tile's own instructions (docs/formats/tile-isa.md), written independently of the decoder. The hash
// itself is proved in hash_proof.sv.
module custom (
    input  logic [31:0] word, a, b,
    output logic        legal, hashes, takes, streams, reads, configures, emits, loops, loops_immediate,
    output logic [4:0]  body,
    output logic [31:0] rounds, hash
);
  logic ours, no_rd, no_rs1;
  logic [11:0] imm;
  assign ours = word[6:0] == 7'b0001011;
  assign imm = word[31:20];
  assign no_rd = word[11:7] == 0;
  assign no_rs1 = word[19:15] == 0;
  assign hashes = ours && word[14:12] == 0 && word[31:25] == 0;
  assign takes = ours && word[14:12] == 1 && word[31:25] == 0 && no_rd;
  assign streams = ours && word[14:12] == 2 && imm <= 15 && no_rd && no_rs1;
  assign reads = ours && word[14:12] == 3 && imm == 0;
  assign configures = ours && word[14:12] == 4 && imm == 0 && no_rd;
  assign emits = ours && word[14:12] == 5 && imm <= 9 && no_rd && no_rs1;
  assign loops = ours && word[14:12] == 6 && imm != 0 && imm <= 31 && no_rd;
  assign loops_immediate = ours && word[14:12] == 7 && imm != 0 && word[11:7] <= 20 && !no_rs1;
  assign legal = hashes || takes || streams || reads || configures || emits || loops || loops_immediate;
  assign body = loops ? imm[4:0] : word[19:15];
  assign rounds = loops ? a : {20'd0, imm} << word[11:7];
  xor_hash hasher (.active(hashes), .value(a), .mask(b), .hash);
endmodule
