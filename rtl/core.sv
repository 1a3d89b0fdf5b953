// ID, EX, MEM and WB of the in-order core. Operands are read in ID and forwarded in EX from MEM and WB; a load's
// user waits one cycle in ID, `loop` until its register is in WB. Signals named *_go say that a stage's instruction
// acts in this cycle, *_hold that it stays and holds all before it.
module core (
    input  logic        clock, reset,
    // the region that runs
    input  logic        image, start, flush_command, kill,  // kill: what stands before MEM's end is lost
    input  logic        stop_waiting,                        // pause or finalize is asked: hist.in waits no more
    output logic        fault,
    output tile_pkg::fault_t fault_cause,
    output logic [13:0] fault_pc,
    output logic [31:0] fault_address,
    output logic        region_end,
    // IF
    input  logic        id_valid,
    input  logic [13:0] id_pc,
    input  logic [31:0] id_word,
    output logic        hold, flush, redirect, passed, loop_set,
    output logic [13:0] target,
    output logic [4:0]  loop_length,
    output logic [31:0] loop_count,
    // memory: the scratchpad's port in EX, the map in MEM
    output logic        data_read,
    output logic [3:0]  data_write,
    output logic [12:0] data_address,
    output logic [31:0] data_word,
    output logic        mem_load, mem_store,
    output logic [31:0] mem_address, mem_value,
    output logic [2:0]  mem_funct3,
    input  logic        mem_wait, mem_fault,
    input  logic [31:0] load_value,
    // IORegs and histogram unit
    output logic [31:0] stream_needed,  // hist.in in EX: the registers it takes
    input  logic [31:0] input_mask, io_valid,
    output logic [31:0] consumed,
    output logic [3:0]  pair,
    input  logic [63:0] pair_words,
    output logic        hist_take, hist_configure, hist_read, hist_emit, hist_emit_go,
    output logic [31:0] hist_low, hist_high,
    output logic [3:0]  hist_format,
    input  logic [17:0] accumulator,
    input  logic        emit_room, emit_last,
    // what leaves WB
    output logic        retired,
    output logic [13:0] retired_pc,
    output logic [4:0]  retired_rd,
    output logic [31:0] retired_value
);

  tile_pkg::decoded_t id_op;
  // verilator lint_off UNUSEDSIGNAL
  tile_pkg::decoded_t ex_op;  // a loop's length has acted in ID
  // verilator lint_on UNUSEDSIGNAL
  logic ex_valid, mem_valid;
  logic [13:0] ex_pc, mem_pc;
  logic [31:0] id_a, id_b, ex_a, ex_b, a, b;
  logic [4:0] mem_rd;
  logic mem_is_load;

  // WB
  registers file (
      .clock, .image, .start,
      .rs1(id_op.rs1), .rs2(id_op.rs2), .rd(retired ? retired_rd : 5'd0), .value(retired_value),
      .a(id_a), .b(id_b)
  );

  // MEM
  assign mem_load = mem_valid && mem_is_load;
  logic mem_done;
  assign mem_done = mem_valid && !mem_wait && !mem_fault;
  always_ff @(posedge clock) begin
    retired <= mem_done && !reset;
    retired_pc <= mem_pc;
    retired_rd <= mem_rd;
    retired_value <= mem_load ? load_value : mem_value;
  end

  // EX
  logic ex_go, ex_hold, ex_done, ex_fault, taken, jumps, to_return, bad_target, starved;
  logic [31:0] alu_result, hash, result, target_address, address;
  logic branch_taken;

  always_comb begin
    a = ex_a;
    if (retired && retired_rd != 0 && retired_rd == ex_op.rs1) a = retired_value;
    if (mem_valid && mem_rd != 0 && mem_rd == ex_op.rs1) a = mem_value;
    b = ex_b;
    if (retired && retired_rd != 0 && retired_rd == ex_op.rs2) b = retired_value;
    if (mem_valid && mem_rd != 0 && mem_rd == ex_op.rs2) b = mem_value;
  end

  alu alu (
      .a, .b(ex_op.kind == tile_pkg::ALU_IMMEDIATE ? ex_op.value : b),
      .funct3(ex_op.funct3), .alternate(ex_op.alternate),
      .result(alu_result), .taken(branch_taken)
  );
  xor_hash hasher (.active(ex_valid && ex_op.kind == tile_pkg::HASH), .value(a), .mask(b), .hash);

  assign jumps = ex_op.kind == tile_pkg::JAL || ex_op.kind == tile_pkg::JALR;
  assign taken = jumps || (ex_op.kind == tile_pkg::BRANCH && branch_taken);
  assign address = a + ex_op.value;
  assign target_address = ex_op.kind == tile_pkg::JALR ? {address[31:1], 1'b0} : {18'd0, ex_pc} + ex_op.value;
  assign to_return = target_address == {18'd0, tile_pkg::RETURN_ADDRESS};
  assign bad_target = target_address[1:0] != 0 || target_address > {18'd0, tile_pkg::RETURN_ADDRESS};
  assign target = target_address[13:0];

  always_comb begin
    case (ex_op.kind)
      tile_pkg::ALU, tile_pkg::ALU_IMMEDIATE: result = alu_result;
      tile_pkg::LUI: result = ex_op.value;
      tile_pkg::AUIPC: result = {18'd0, ex_pc} + ex_op.value;
      tile_pkg::JAL, tile_pkg::JALR: result = {18'd0, ex_pc} + 32'd4;
      tile_pkg::HASH: result = hash;
      tile_pkg::HIST_READ: result = {14'd0, accumulator};
      default: result = b;
    endcase
  end

  assign ex_go = ex_valid && !mem_wait && !mem_fault;
  assign stream_needed = ex_go && ex_op.kind == tile_pkg::HIST_IN ? (32'd3 << {pair, 1'b0}) & input_mask : 32'd0;
  assign starved = (stream_needed & ~io_valid) != 0;
  assign ex_hold = ex_go && ((ex_op.kind == tile_pkg::EMIT && !(emit_room && emit_last)) || (starved && !stop_waiting));
  assign ex_done = ex_go && !ex_hold;
  assign ex_fault = ex_done && (ex_op.kind == tile_pkg::ILLEGAL || (taken && bad_target));
  assign region_end = ex_done && (ex_op.kind == tile_pkg::END_MARK || (taken && to_return));
  assign redirect = ex_done && taken && !bad_target && !to_return;
  assign hold = mem_wait || ex_hold;
  assign flush = mem_fault || ex_fault || region_end;

  assign pair = ex_op.value[3:0];
  assign consumed = starved ? 32'd0 : stream_needed;
  assign hist_take = ex_done && (ex_op.kind == tile_pkg::HIST || (ex_op.kind == tile_pkg::HIST_IN && !starved));
  assign hist_configure = ex_done && ex_op.kind == tile_pkg::HIST_CONFIG;
  assign hist_read = ex_go && ex_op.kind == tile_pkg::HIST_READ;
  assign hist_emit = ex_go && ex_op.kind == tile_pkg::EMIT;
  assign hist_emit_go = hist_emit && emit_room;
  assign hist_format = ex_op.value[3:0];
  assign {hist_high, hist_low} = ex_op.kind == tile_pkg::HIST_IN ? pair_words : {b, a};

  assign fault = mem_fault || ex_fault;
  assign fault_cause = !mem_fault ? (ex_op.kind == tile_pkg::ILLEGAL ? tile_pkg::ILLEGAL_INSTRUCTION : tile_pkg::FETCH_ADDRESS)
                       : mem_is_load ? tile_pkg::LOAD_ADDRESS : tile_pkg::STORE_ADDRESS;
  assign fault_pc = mem_fault ? mem_pc : ex_pc;
  assign fault_address = mem_fault ? mem_address : ex_op.kind == tile_pkg::ILLEGAL ? ex_op.value : target_address;

  // The scratchpad has one port: a store writes, a load reads at the end of EX. (The model stores in MEM; nothing
  // can look between.)
  logic [3:0] lanes;
  logic aligned, in_scratchpad;
  always_comb begin
    case (ex_op.funct3[1:0])
      2'd0: {lanes, aligned} = {4'b0001 << address[1:0], 1'b1};
      2'd1: {lanes, aligned} = {4'b0011 << address[1:0], !address[0]};
      default: {lanes, aligned} = {4'b1111, address[1:0] == 0};
    endcase
  end
  assign in_scratchpad = address[31:15] == 17'd1;
  assign data_read = ex_done && ex_op.kind == tile_pkg::LOAD;
  assign data_write = ex_done && ex_op.kind == tile_pkg::STORE && aligned && in_scratchpad ? lanes : 4'd0;
  assign data_address = address[14:2];
  assign data_word = b << {address[1:0], 3'd0};

  always_ff @(posedge clock) begin
    if (!mem_wait) begin
      mem_valid <= ex_done && !ex_fault && ex_op.kind != tile_pkg::END_MARK;
      mem_is_load <= ex_op.kind == tile_pkg::LOAD;
      mem_store <= ex_done && ex_op.kind == tile_pkg::STORE;
      mem_pc <= ex_pc;
      mem_rd <= region_end ? 5'd0 : ex_op.rd;
      mem_value <= result;
      mem_address <= address;
      mem_funct3 <= ex_op.funct3;
    end
    if (reset || kill) {mem_valid, mem_store} <= 2'd0;
  end

  // ID
  tile_pkg::decoded_t decoded;
  logic beyond, waits, ex_feeds, mem_feeds;
  decode decoder (.word(id_word), .out(decoded));
  assign beyond = id_pc == tile_pkg::RETURN_ADDRESS;
  always_comb begin
    id_op = decoded;
    if (beyond) begin
      id_op.kind = tile_pkg::END_MARK;
      {id_op.rd, id_op.rs1, id_op.rs2} = 15'd0;
    end
  end

  assign ex_feeds = ex_done && ex_op.rd != 0 && !region_end && (ex_op.rd == id_op.rs1 || ex_op.rd == id_op.rs2);
  assign mem_feeds = mem_done && mem_rd != 0 && (mem_rd == id_op.rs1 || mem_rd == id_op.rs2);
  assign waits = (ex_feeds && (ex_op.kind == tile_pkg::LOAD || id_op.kind == tile_pkg::LOOP)) || (mem_feeds && id_op.kind == tile_pkg::LOOP);
  assign passed = id_valid && !hold && !redirect && !flush && !waits;
  assign loop_set = passed && (id_op.kind == tile_pkg::LOOP || id_op.kind == tile_pkg::LOOP_IMMEDIATE);
  assign loop_length = id_op.length;
  assign loop_count = id_op.kind == tile_pkg::LOOP ? id_a : id_op.value;

  always_ff @(posedge clock) begin
    if (hold) begin  // a producer may leave WB meanwhile
      ex_a <= a;
      ex_b <= b;
    end else begin
      ex_valid <= passed;
      if (passed) begin
        ex_op <= id_op;
        ex_pc <= id_pc;
        ex_a <= id_a;
        ex_b <= id_b;
      end
    end
    if (reset || flush || flush_command) ex_valid <= 1'b0;
  end
endmodule
