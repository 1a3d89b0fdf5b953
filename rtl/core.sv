// ID, EX, MEM and WB of the in-order core. Registers are read from ID into EX, where values from MEM and WB
// are forwarded (ID selects the source). The user of a load or of hist.rd waits one cycle in ID. `loopi`
// acts in ID, `loop` in EX. Targets of jumps are checked in MEM. A signal *_go means that the instruction of
// a stage acts in this cycle, *_hold that it stays and holds all earlier stages.
//
// Signals that are ready late in EX (whether a branch is taken, where a jump goes) reach only the pc and four valid
// bits, and no register's enable. Values behind an invalid bit may be anything.
module core (
    input  logic        clock, reset,
    // the region that runs
    input  logic        image, start, flush_command, kill,  // kill: instructions before the end of MEM are dropped
    input  logic        stop_waiting,                        // pause or finalize is requested: hist.in stops waiting
    output logic        fault,
    output tile_pkg::fault_t fault_cause,
    output logic [13:0] fault_pc,
    output logic [31:0] fault_address,
    output logic        region_end,
    // IF
    input  logic        id_valid,
    input  logic [13:0] id_pc,
    input  logic [31:0] id_word,
    output logic        hold,
    output logic        flush,              // fault or end mark: nothing is fetched, earlier stages are dropped
    output logic        redirect,           // a jump or taken branch, back to the tile too
    output logic        ready,              // ID passes its instruction on, unless redirect or flush is set
    output logic        loop_set,           // unless redirect or flush is set, which end all loops
    output logic        loop_follows,       // `loop` goes to EX: nothing is fetched behind it yet
    output logic [13:0] target,
    output logic [13:0] loop_pc,            // of the loop instruction that acts
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
    output logic        hist_take, hist_configure, hist_read, hist_emit_go,
    output logic [31:0] hist_low, hist_high,
    output logic [3:0]  hist_format,
    input  logic [17:0] accumulator,        // in MEM, of the hist.rd before
    input  logic        hist_filling, hist_busy,  // values are one, at most two cycles away from their accumulators
    input  logic        emit_room, emit_last,
`ifdef RETIREMENT
    input  logic [2:0]  fifo_bytes,
    input  logic        soft_write,
    input  logic [31:0] found,
    output tile_pkg::deed_t deed,           // of what leaves WB
    output logic        trapped,            // one cycle after `fault`
    output tile_pkg::fault_t trap_cause,
    output logic [31:0] trap_address,
    output tile_pkg::deed_t trap_deed,
`endif
    // the instruction that leaves WB
    output logic        retired,
    output logic [13:0] retired_pc,
    output logic [4:0]  retired_rd,
    output logic [31:0] retired_value
);

  tile_pkg::decoded_t id_op;
  tile_pkg::decoded_t ex_op;
  logic [4:0] rs1, rs2;
  logic ex_valid, mem_valid;
  logic [13:0] ex_pc, mem_pc;
  logic [31:0] ex_a, ex_b, a, b;
  logic [31:0] ex_target;  // pc + immediate
  logic a_from_mem, a_from_wb, b_from_mem, b_from_wb;
  logic [4:0] mem_rd;
  logic mem_is_load, mem_is_accumulator, mem_taken, mem_bad_target;

  // WB
  registers file (
      .clock, .image, .start, .hold, .seen_a(a), .seen_b(b),
      .rs1, .rs2, .rd(retired ? retired_rd : 5'd0), .value(retired_value),
      .a(ex_a), .b(ex_b)
  );

  // MEM
  assign mem_load = mem_valid && mem_is_load;
  logic mem_done, mem_stops;
  assign mem_bad_target = mem_taken && (mem_address[1:0] != 0 || mem_address > {18'd0, tile_pkg::RETURN_ADDRESS});
  assign mem_stops = mem_fault || (mem_valid && mem_bad_target);
  assign mem_done = mem_valid && !mem_wait && !mem_stops;
  always_ff @(posedge clock) begin
    retired <= mem_done && !reset;
    retired_pc <= mem_pc;
    retired_rd <= mem_rd;
    retired_value <= mem_load ? load_value : mem_is_accumulator ? {14'd0, accumulator} : mem_value;
  end

  // EX
  logic ex_go, ex_hold, ex_done, ex_fault, taken, jumps, to_return, starved;
  logic [31:0] alu_result, hash, result, address, jump_address;
  logic branch_taken;

  assign a = a_from_mem ? mem_value : a_from_wb ? retired_value : ex_a;
  assign b = b_from_mem ? mem_value : b_from_wb ? retired_value : ex_b;

  alu alu (
      .a, .b, .value(ex_op.value), .immediate(ex_op.immediate), .subtract(ex_op.subtract), .funct3(ex_op.funct3),
      .alternate(ex_op.alternate), .sum(address), .result(alu_result), .taken(branch_taken)
  );
`ifdef NO_HASH  // for comparisons of size with cores that have none
  assign hash = 32'd0;
`else
  xor_hash hasher (.active(ex_valid && ex_op.kind == tile_pkg::HASH), .value(a), .mask(b), .hash);
`endif

  assign jumps = ex_op.kind == tile_pkg::JAL || ex_op.kind == tile_pkg::JALR;
  assign taken = jumps || (ex_op.kind == tile_pkg::BRANCH && branch_taken);
  assign jump_address = ex_op.kind == tile_pkg::JALR ? {address[31:1], 1'b0} : ex_target;
  assign target = jump_address[13:0];

  // Whether a + immediate, without bit 0, is RETURN_ADDRESS, computed without the carry chain of the sum:
  // the sum is K exactly if in each place the carry that K needs is the carry from the place below.
  localparam int RETURN_BIT = $clog2(tile_pkg::RETURN_ADDRESS);  // the only one that is set
  logic [31:1] asked, given;
  logic jalr_returns;
  always_comb begin
    asked = a[31:1] ^ ex_op.value[31:1] ^ {18'd0, tile_pkg::RETURN_ADDRESS[13:1]};
    given = {a[30:1] | ex_op.value[30:1], a[0] & ex_op.value[0]};
    given[RETURN_BIT+1] = a[RETURN_BIT] & ex_op.value[RETURN_BIT];
  end
  assign jalr_returns = asked == given;
  assign to_return = ex_op.kind == tile_pkg::JALR ? jalr_returns : ex_target == {18'd0, tile_pkg::RETURN_ADDRESS};

  always_comb begin
    case (ex_op.kind)
      tile_pkg::ALU, tile_pkg::ALU_IMMEDIATE: result = alu_result;
      tile_pkg::LUI: result = ex_op.value;
      tile_pkg::AUIPC: result = ex_target;
      tile_pkg::JAL, tile_pkg::JALR: result = {18'd0, ex_pc} + 32'd4;
      tile_pkg::HASH: result = hash;
      default: result = b;
    endcase
  end

  // Stalls of EX, regardless of MEM. A fault in MEM ends the region, stalled or not.
  logic [31:0] missing;
  logic emit_waits;
  assign pair = ex_op.value[3:0];
  assign missing = input_mask & ~io_valid;
  assign starved = missing[{pair, 1'b0}] || missing[{pair, 1'b1}];
  // An emit reads the accumulators one cycle later than a hist.rd would, so it waits for values on their way.
  assign emit_waits = hist_busy || (mem_valid && mem_is_accumulator);
  assign ex_hold = ex_valid && ((ex_op.kind == tile_pkg::EMIT && (emit_waits || !(emit_room && emit_last))) ||
                                (ex_op.kind == tile_pkg::HIST_READ && hist_filling) ||
                                (ex_op.kind == tile_pkg::HIST_IN && starved && !stop_waiting));
  assign hold = mem_wait || ex_hold;

  assign ex_go = ex_valid && !mem_wait && !mem_stops;
  assign stream_needed = ex_go && ex_op.kind == tile_pkg::HIST_IN ? (32'd3 << {pair, 1'b0}) & input_mask : 32'd0;
  assign ex_done = ex_go && !ex_hold;
  assign ex_fault = ex_done && ex_op.kind == tile_pkg::ILLEGAL;
  assign region_end = ex_done && (ex_op.kind == tile_pkg::END_MARK || (taken && to_return));
  assign redirect = ex_go && taken;
  assign flush = mem_stops || (ex_go && (ex_op.kind == tile_pkg::ILLEGAL || ex_op.kind == tile_pkg::END_MARK));

  assign consumed = starved ? 32'd0 : stream_needed;
  assign hist_take = ex_done && (ex_op.kind == tile_pkg::HIST || (ex_op.kind == tile_pkg::HIST_IN && !starved));
  assign hist_configure = ex_done && ex_op.kind == tile_pkg::HIST_CONFIG;
  assign hist_read = ex_done && ex_op.kind == tile_pkg::HIST_READ;
  assign hist_emit_go = ex_go && ex_op.kind == tile_pkg::EMIT && emit_room && !emit_waits;
  assign hist_format = ex_op.value[3:0];
  assign {hist_high, hist_low} = ex_op.kind == tile_pkg::HIST_IN ? pair_words : {b, a};

  assign fault = mem_stops || ex_fault;
  assign fault_cause = !mem_stops ? tile_pkg::ILLEGAL_INSTRUCTION : mem_bad_target ? tile_pkg::FETCH_ADDRESS
                       : mem_is_load ? tile_pkg::LOAD_ADDRESS : tile_pkg::STORE_ADDRESS;
  assign fault_pc = mem_stops ? mem_pc : ex_pc;
  assign fault_address = mem_stops ? mem_address : ex_op.value;

  // The scratchpad has one port: a store writes and a load reads at the end of EX. The model stores in MEM,
  // which no instruction can observe.
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
      mem_is_accumulator <= ex_op.kind == tile_pkg::HIST_READ;
      mem_taken <= taken;
      mem_store <= ex_done && ex_op.kind == tile_pkg::STORE;
      mem_pc <= ex_pc;
      mem_rd <= region_end ? 5'd0 : ex_op.rd;
      mem_value <= result;
      mem_address <= ex_op.kind == tile_pkg::BRANCH || jumps ? jump_address : address;
      mem_funct3 <= ex_op.funct3;
    end
    if (reset || kill) {mem_valid, mem_store} <= 2'd0;
  end

  // ID
  tile_pkg::decoded_t decoded;
  logic [4:0] body;
  logic [31:0] rounds;
  logic reads_rs1, reads_rs2, beyond, waits, ex_feeds_a, ex_feeds_b, mem_feeds_a, mem_feeds_b;
  decode decoder (.word(id_word), .reads_rs1, .reads_rs2, .body, .rounds, .out(decoded));
  assign beyond = id_pc == tile_pkg::RETURN_ADDRESS;
  always_comb begin
    id_op = decoded;
    if (beyond) begin
      id_op.kind = tile_pkg::END_MARK;
      id_op.rd = 5'd0;
    end
  end

  // Registers are read and compared by the fields of the word, before it is decided whether they are used.
  assign rs1 = id_word[19:15];
  assign rs2 = id_word[24:20];
  assign ex_feeds_a = ex_valid && ex_op.rd != 0 && ex_op.rd == rs1 && reads_rs1 && !beyond;
  assign ex_feeds_b = ex_valid && ex_op.rd != 0 && ex_op.rd == rs2 && reads_rs2 && !beyond;
  assign mem_feeds_a = mem_valid && mem_rd != 0 && mem_rd == rs1;
  assign mem_feeds_b = mem_valid && mem_rd != 0 && mem_rd == rs2;
  assign waits = (ex_feeds_a || ex_feeds_b) && (ex_op.kind == tile_pkg::LOAD || ex_op.kind == tile_pkg::HIST_READ);
  assign ready = id_valid && !hold && !waits;
  assign loop_follows = ready && id_op.kind == tile_pkg::LOOP;

  logic loop_in_ex;
  assign loop_in_ex = ex_valid && ex_op.kind == tile_pkg::LOOP;
  assign loop_set = loop_in_ex ? ex_done : ready && id_op.kind == tile_pkg::LOOP_IMMEDIATE;
  assign loop_pc = loop_in_ex ? ex_pc : id_pc;
  assign loop_length = loop_in_ex ? ex_op.value[4:0] : body;
  assign loop_count = loop_in_ex ? a : rounds;

  always_ff @(posedge clock) begin
    if (!hold) begin
      ex_valid <= ready;
      ex_op <= id_op;
      ex_pc <= id_pc;
      ex_target <= {18'd0, id_pc} + id_op.value;
    end
    if (reset || redirect || flush || flush_command) ex_valid <= 1'b0;
    // The instructions in EX and MEM will have advanced by one stage. Those that stay were forwarded
    // already.
    a_from_mem <= !hold && ex_feeds_a;
    b_from_mem <= !hold && ex_feeds_b;
    a_from_wb <= !hold && mem_feeds_a;
    b_from_wb <= !hold && mem_feeds_b;
  end

`ifdef RETIREMENT
  logic [31:0] ex_word;
  tile_pkg::deed_t ex_deed, mem_deed, mem_now;
  always_comb begin
    ex_deed = '0;
    ex_deed.pc = ex_pc;
    ex_deed.word = ex_word;
    ex_deed.a = a;
    ex_deed.b = b;
    ex_deed.next = taken ? jump_address : {18'd0, ex_pc} + 32'd4;
    ex_deed.ended = region_end;
    ex_deed.taken = taken;
    ex_deed.address = taken ? jump_address : address;
    ex_deed.lanes = data_write;
    ex_deed.written = data_word;
    ex_deed.row = data_address;
    ex_deed.histogram = {hist_take, hist_configure, hist_read};
    ex_deed.emitted = hist_emit_go && emit_last;
    ex_deed.lanes_taken = {hist_high, hist_low};
    mem_now = mem_deed;
    mem_now.fifo_bytes = fifo_bytes;
    mem_now.soft_write = soft_write;
    mem_now.stored = mem_value;
    mem_now.found = found;
  end
  always_ff @(posedge clock) begin
    if (!hold) ex_word <= id_word;
    if (!mem_wait) mem_deed <= ex_deed;
    deed <= mem_now;
    trapped <= fault && !reset;
    {trap_cause, trap_address} <= {fault_cause, fault_address};
    trap_deed <= mem_stops ? mem_now : ex_deed;
  end
`endif
endmodule
