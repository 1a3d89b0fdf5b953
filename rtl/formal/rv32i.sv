// RV32I according to its manual, written independently of the decoder and the ALU: the effect of one
// instruction, given its word, place, operands and the word that its load reads. Without ecall, ebreak and
// fence.i, as on the tile.
module rv32i (
    input  logic [31:0] word, pc, a, b,
    input  logic [31:0] found,        // the aligned word that a load reads
    output logic        legal,
    output logic        reads_a, reads_b, writes,
    output logic [4:0]  rd,
    output logic [31:0] value,        // for rd
    output logic [31:0] next,
    output logic        taken,        // a jump, or a branch whose condition holds
    output logic        load, store,
    output logic [31:0] address,
    output logic [2:0]  bytes,        // of a load or store
    output logic        misaligned,
    output logic [3:0]  lanes,        // of a store, and their data
    output logic [31:0] stored
);
  localparam logic [4:0] LOAD = 5'b00000, MISC = 5'b00011, OP_IMM = 5'b00100, AUIPC = 5'b00101, STORE = 5'b01000,
                         OP = 5'b01100, LUI = 5'b01101, BRANCH = 5'b11000, JALR = 5'b11001, JAL = 5'b11011;
  logic [2:0] f3;
  logic [6:0] f7;
  logic [31:0] i, s, u, j, br;
  assign f3 = word[14:12];
  assign f7 = word[31:25];
  assign i = {{21{word[31]}}, word[30:20]};
  assign s = {{21{word[31]}}, word[30:25], word[11:7]};
  assign br = {{20{word[31]}}, word[7], word[30:25], word[11:8], 1'b0};
  assign u = {word[31:12], 12'b0};
  assign j = {{12{word[31]}}, word[19:12], word[20], word[30:21], 1'b0};

  logic [4:0] op;
  logic shift_ok;
  assign op = word[6:2];
  assign shift_ok = f7 == 0 || (f7 == 7'b0100000 && f3 == 3'b101);
  always_comb begin
    case (op)
      LOAD: legal = f3 == 0 || f3 == 1 || f3 == 2 || f3 == 4 || f3 == 5;
      STORE: legal = f3 == 0 || f3 == 1 || f3 == 2;
      BRANCH: legal = f3 != 2 && f3 != 3;
      OP_IMM: legal = (f3 == 1 || f3 == 5) ? shift_ok : 1;
      OP: legal = f7 == 0 || (f7 == 7'b0100000 && (f3 == 0 || f3 == 5));
      LUI, AUIPC, JAL: legal = 1;
      JALR, MISC: legal = f3 == 0;
      default: legal = 0;
    endcase
    if (word[1:0] != 2'b11) legal = 0;
  end

  // Arithmetic as the manual defines it: a shift selects one of 32 constant shifts, a comparison is the
  // borrow of a subtraction.
  logic [31:0] y, sum, difference, left, right;
  logic below, less;
  logic [4:0] by;
  assign y = op == OP ? b : i;
  assign sum = a + y;
  assign {below, difference} = {1'b0, a} - {1'b0, op == BRANCH ? b : y};
  assign less = (a[31] != (op == BRANCH ? b[31] : y[31])) ? a[31] : difference[31];
  assign by = y[4:0];
  always_comb begin
    left = 0;
    right = 0;
    for (int k = 0; k < 32; k++) begin
      if (by == k) begin
        left = a << k;
        right = (a >> k) | (word[30] && a[31] ? ~(32'hffffffff >> k) : 32'd0);
      end
    end
  end

  logic condition;
  logic [31:0] computed, jump, shifted, loaded;
  always_comb begin
    case (f3)
      0: computed = op == OP && word[30] ? difference : sum;
      1: computed = left;
      2: computed = {31'd0, less};
      3: computed = {31'd0, below};
      4: computed = a ^ y;
      5: computed = right;
      6: computed = a | y;
      default: computed = a & y;
    endcase
    case (f3)
      0: condition = difference == 0;
      1: condition = difference != 0;
      4: condition = less;
      5: condition = !less;
      6: condition = below;
      default: condition = !below;
    endcase
    jump = a + i;
    jump[0] = 0;
  end

  assign load = legal && op == LOAD;
  assign store = legal && op == STORE;
  assign address = a + (store ? s : i);
  assign bytes = f3[1:0] == 0 ? 1 : f3[1:0] == 1 ? 2 : 4;
  assign misaligned = (address & (bytes - 1)) != 0;
  assign shifted = found >> (8 * address[1:0]);
  always_comb begin
    case (f3)
      0: loaded = {{24{shifted[7]}}, shifted[7:0]};
      1: loaded = {{16{shifted[15]}}, shifted[15:0]};
      4: loaded = {24'd0, shifted[7:0]};
      5: loaded = {16'd0, shifted[15:0]};
      default: loaded = found;
    endcase
  end
  always_comb begin
    lanes = 0;
    for (int k = 0; k < 4; k++) lanes[k] = store && k >= address[1:0] && k < address[1:0] + bytes;
    stored = b << (8 * address[1:0]);
  end

  assign taken = legal && (op == JAL || op == JALR || (op == BRANCH && condition));
  assign next = !taken ? pc + 4 : op == JAL ? pc + j : op == JALR ? jump : pc + br;
  assign reads_a = legal && op != LUI && op != AUIPC && op != JAL && op != MISC;
  assign reads_b = legal && (op == OP || op == BRANCH || op == STORE);
  assign writes = legal && op != BRANCH && op != STORE && op != MISC;
  assign rd = writes ? word[11:7] : 0;
  always_comb begin
    case (op)
      LUI: value = u;
      AUIPC: value = pc + u;
      JAL, JALR: value = pc + 4;
      LOAD: value = loaded;
      default: value = computed;
    endcase
  end
endmodule
