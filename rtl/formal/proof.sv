// The core with its control, fetch and memory map, as the tile wires them, among free neighbours (free.sv): any
// words as program, any command in any cycle, any waiting. One macro P_* a property.
module proof (
    input logic clock,
    input logic reset_later,
    input tile_pkg::command_t command,
    input logic [31:0] argument,
    input logic [13:0] image_entry,
    input logic [255:0] soft_words
);
  // The first cycle is a reset. Later ones are free.
  logic begun = 1'b0;
  logic reset;
  always_ff @(posedge clock) begun <= 1'b1;
  assign reset = !begun || reset_later;
  always_comb assume (image_entry[1:0] == 2'd0 && image_entry < 14'h2000);

  tile_pkg::status_t status;
  tile_pkg::deed_t deed, trap_deed;
  tile_pkg::fault_t trap_cause;
  logic image, start, hold, trapped, running, retired, store_in_mem, fault_seen, wrote, kill;
  logic [13:0] entry, retired_pc;
  logic [12:0] row;
  logic [31:0] trap_address, retired_value, mem_address;
  logic [4:0] retired_rd;
  tile tile (
      .clock, .reset, .command, .argument, .memory_write(1'b0), .memory_is_code(1'b0), .memory_address(13'd0),
      .memory_word(32'd0), .image_entry, .image_triggered(1'b0), .image_mask(32'd0), .image_trigger_start(32'd0),
      .image_trigger_end(32'd0), .queue_limit(3'd0), .status, .fault_seen, .in_valid(32'd0), .in_data(1024'd0),
      .in_has_address(1'b0), .in_address(32'd0), .soft_words, .take(3'd0), .running, .store_in_mem,
      .told_image(image), .told_start(start), .told_entry(entry), .told_hold(hold), .told_write(wrote), .told_row(row),
      .told_kill(kill), .told_address(mem_address), .deed, .trap_deed, .trapped, .trap_cause, .trap_address,
      .retired, .retired_pc, .retired_rd, .retired_value
  );

  // A region's first instruction leaves WB five cycles after `start` at the earliest, the former region's
  // last one two cycles after. Therefore the properties use the changes of a start three cycles later.
  logic image1, image2, image3, start1, start2, start3;
  logic [13:0] entry1, entry2, entry3;
  always_ff @(posedge clock) begin
    {image1, image2, image3} <= {image, image1, image2} & {3{!reset}};
    {start1, start2, start3} <= {start, start1, start2} & {3{!reset}};
    {entry1, entry2, entry3} <= {entry, entry1, entry2};
  end

  logic legal, reads_a, reads_b, writes, taken, load, store, misaligned, custom;
  logic [4:0] rd;
  logic [31:0] value, next, address, stored;
  logic [2:0] bytes;
  logic [3:0] lanes;
  rv32i manual (
      .word(deed.word), .pc({18'd0, deed.pc}), .a(deed.a), .b(deed.b), .found(deed.found), .legal, .reads_a, .reads_b,
      .writes, .rd, .value, .next, .taken, .load, .store, .address, .bytes, .misaligned, .lanes, .stored
  );
  logic hashes, takes, streams, reads, configures, emits, loops, loops_immediate, custom_legal;
  logic [4:0] body;
  logic [31:0] rounds, hash;
  custom extra (
      .word(deed.word), .a(deed.a), .b(deed.b), .legal(custom_legal), .hashes, .takes, .streams, .reads, .configures,
      .emits, .loops, .loops_immediate, .body, .rounds, .hash
  );
  logic returns;
  assign returns = taken && next == 32'h2000;
  logic scratchpad, fifo, reachable;
  assign scratchpad = address >= 32'h8000 && address < 32'h10000;
  assign fifo = address >= 32'h7000 && address < 32'h8000;
  assign reachable = scratchpad ||
                     (load && address >= 32'h4000 && address < 32'h4084) ||
                     (load && address >= 32'h6000 && address < 32'h6030) ||
                     (address >= 32'h5000 && address < 32'h5020 && (load || bytes == 4)) || (store && fifo);

  always_ff @(posedge clock) begin
    if (begun && !reset && retired) begin
`ifdef P_LEGAL
      assert (legal || custom_legal);
      assert (!(load || store) || (reachable && !misaligned));
      assert (!taken || (next[1:0] == 0 && next <= 32'h2000));
`endif
`ifdef P_VALUE  // rd and its value; a return to the tile writes no register
      if (legal) assert (retired_rd == (returns ? 5'd0 : rd));
      if (legal && retired_rd != 0) assert (retired_value == value);
`endif
`ifdef P_HASH
      if (hashes) assert (retired_rd == deed.word[11:7] && (retired_rd == 0 || retired_value == hash));
`endif
`ifdef P_NEXT
      if (legal) assert (deed.next == next && deed.taken == taken);
      if (custom_legal) assert (deed.next == {18'd0, deed.pc} + 32'd4 && !deed.taken);
      assert (deed.ended == returns);
`endif
`ifdef P_MEMORY
      if (load || store) assert (deed.address == address);
      assert (deed.lanes == (store && scratchpad ? lanes : 4'd0));
      if (store && scratchpad) assert (deed.row == address[14:2]);
      for (int k = 0; k < 4; k++) if (deed.lanes[k]) assert (deed.written[8*k+:8] == stored[8*k+:8]);
      assert (deed.fifo_bytes == (store && fifo ? bytes : 3'd0));
      assert (deed.soft_write == (store && address < 32'h7000));
      if (store && !scratchpad) assert (deed.stored == deed.b);
`endif
`ifdef P_CUSTOM
      assert (deed.histogram[0] == reads && deed.histogram[1] == configures);
      assert (deed.histogram[2] ? takes || streams : !takes);
      assert (deed.emitted == emits);
      if (takes) assert (deed.lanes_taken == {deed.b, deed.a});
      if (configures || reads) assert (deed.lanes_taken[31:0] == deed.a);
      if (custom_legal && !hashes) assert (retired_rd == (reads ? deed.word[11:7] : 5'd0));
`endif
    end
  end

`ifdef P_REGISTERS  // any one register: what is read is what was last written
  logic [4:0] which;
  assign which = $anyconst;
  logic [31:0] shadow;
  logic known = 1'b0;
  logic use_a, use_b;
  assign use_a = reads_a || hashes || takes || reads || configures || loops;
  assign use_b = reads_b || hashes || takes;
  always_ff @(posedge clock) begin
    if (retired && retired_rd == which) shadow <= retired_value;
    if (start3 && which == 1) shadow <= 32'h2000;
    if (image3) shadow <= which == 1 ? 32'h2000 : which == 2 ? 32'h10000 : 32'd0;
    known <= !reset && (known || image3);
    if (known && !reset && retired) begin
      if (use_a && deed.word[19:15] == which) assert (deed.a == (which == 0 ? 32'd0 : shadow));
      if (use_b && deed.word[24:20] == which) assert (deed.b == (which == 0 ? 32'd0 : shadow));
    end
  end
`endif

`ifdef P_CHAIN  // the order in which instructions leave: next pc, and hardware loops two deep
  chain chain (
      .clock, .reset, .retired, .pc(deed.pc), .next(deed.next[13:0]), .taken(deed.taken), .ended(deed.ended),
      .loops(loops || loops_immediate), .body, .rounds, .start(start3), .entry(entry3), .trapped, .trap_pc(trap_deed.pc)
  );
`endif

`ifdef P_TRAP  // an instruction that must fault does, with the right cause, and the fault is reported
  logic t_legal, t_load, t_store, t_taken, t_misaligned, t_custom, t_reachable;
  logic [31:0] t_next, t_address;
  logic [2:0] t_bytes;
  rv32i trap_manual (
      .word(trap_deed.word), .pc({18'd0, trap_deed.pc}), .a(trap_deed.a), .b(trap_deed.b), .found(32'd0), .legal(t_legal),
      .load(t_load), .store(t_store), .taken(t_taken), .next(t_next), .address(t_address), .misaligned(t_misaligned),
      .bytes(t_bytes)
  );
  custom trap_extra (.word(trap_deed.word), .a(32'd0), .b(32'd0), .legal(t_custom));
  assign t_reachable = (t_address >= 32'h8000 && t_address < 32'h10000) ||
                       (t_load && t_address >= 32'h4000 && t_address < 32'h4084) ||
                       (t_load && t_address >= 32'h6000 && t_address < 32'h6030) ||
                       (t_address >= 32'h5000 && t_address < 32'h5020 && (t_load || t_bytes == 4)) ||
                       (t_store && t_address >= 32'h7000 && t_address < 32'h8000);
  always_ff @(posedge clock) begin
    if (begun && !reset && trapped) begin
      if (trap_cause == tile_pkg::ILLEGAL_INSTRUCTION)
        assert (!t_legal && !t_custom && trap_address == trap_deed.word);
      else if (trap_cause == tile_pkg::LOAD_ADDRESS)
        assert (t_load && (t_misaligned || !t_reachable) && trap_address == t_address);
      else if (trap_cause == tile_pkg::STORE_ADDRESS)
        assert (t_store && (t_misaligned || !t_reachable) && trap_address == t_address);
      else
        assert (trap_cause == tile_pkg::FETCH_ADDRESS && t_taken && (t_next[1:0] != 0 || t_next > 32'h2000) &&
                trap_address == t_next);
    end
  end
`endif

`ifdef P_WRITES  // the scratchpad is written only by a store that is in MEM afterwards, at its address
  logic wrote_before = 1'b0;
  logic [12:0] row_before;
  always_ff @(posedge clock) begin
    wrote_before <= wrote && !kill && !reset;
    row_before <= row;
    if (wrote_before) assert (store_in_mem && mem_address[14:2] == row_before);
  end
`endif

`ifdef P_PROGRESS  // a region that is not made to wait retires, faults or ends within five cycles, loops or not
  logic [2:0] idle;
  always_ff @(posedge clock) begin
    idle <= reset || !running || start || hold || retired || trapped ? 3'd0 : idle + 3'd1;
    if (begun && !reset) assert (idle < 3'd7);
  end
`endif

`ifdef P_REACHED  // must be violated: a load, a store, a branch, a loop and a hash all leave WB
  logic [4:0] seen;
  always_ff @(posedge clock) begin
    if (retired) seen <= seen | {load, store, taken, loops, hashes};
    if (reset) seen <= 5'd0;
    if (begun && !reset) assert (seen != 5'h1f);
  end
`endif

`ifdef P_STATUS
  always_ff @(posedge clock) begin
    if (begun) assert (status <= 4 || status == 8);
    if (begun) assert (!(status == tile_pkg::ACTIVE_RUNNING || status == tile_pkg::FINALIZE) || running);
    if (begun) assert (!(status == tile_pkg::UNDEFINED || status == tile_pkg::ERROR) || !running);
  end
`endif
endmodule
