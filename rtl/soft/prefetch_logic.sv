// The prefetcher in the soft logic: src/tile/cases/prefetch_logic.cc state by state. Visits and look-ups are two
// machines; the look-up takes what the visits leave of the scratchpad's port.
module prefetch_logic #(
    parameter bit NEXT_LINE = 1'b0  // prefetch the next line and nothing else
) (
    input  logic        clock, reset,
    input  logic        visit, interval,  // IORegs 0 and 1 are new; IOReg 2 is new
    input  logic [63:0] address,
    output logic [23:0] sent,             // soft-logic registers 0 to 2
    output logic [31:0] visits_lost,
    output logic        scratch_read,
    output logic [7:0]  scratch_write,
    output logic [11:0] scratch_address,
    output logic [63:0] scratch_word,
    input  logic [63:0] scratch_data,     // of the cycle before
    output logic [4:0]  state
);
`include "prefetch_types.svh"
  registers_t r, n;
  logic [54:0] flights[16];
  look_t looks[4];
  // Heads of blocks, the newest first.
  logic [15:0] head_valid, head_valid_new;
  logic [447:0] head_line, head_line_new;
  logic [191:0] head_time, head_time_new;
  logic [95:0] head_size, head_size_new;

  // What the cycle asks of the memories.
  logic shadow_writes, table_writes, queues_look, flight_pushes, head_pushes, block_ends, entered, queued, scratch_free;
  logic [3:0] flight_at;
  logic [1:0] look_at;
  logic [5:0] waiting_at;
  visit_t queued_visit;
  logic [5:0] old_size;
  logic [5:0] shadow_at, shadow_look, block_size;
  logic [6:0] table_at, table_look;
  logic [127:0] shadow_row, shadow_seen, shadow_new;
  logic [159:0] table_row, table_seen, table_new;
  flight_t flight_new, first;
  look_t queued_look;
  visit_t front;
  payload_t judged_payload;

  // What several states ask of the registers.
  logic is_due, must_wait, in_flight;
  logic [11:0] now_clock, past;
  line_t look_line, key, last, distance;
  found_t way, way_seen, entry_row, entry_seen, found, merge;
  logic [15:0] lane;
  line_t walked_line;
  logic [11:0] walked_for;
  logic walked_valid;
  way_t victim, hit;
  logic [2:0] oldest_way;
  always_comb begin
    first = flights[r.first_flight];
    now_clock = r.state == CHECK ? r.clock_ + 12'(r.now.gap) : r.clock_;
    past = now_clock - first.ready;
    is_due = r.flights != 0 && !past[11];
    past = r.clock_ - first.ready;
    must_wait = r.flights == 16 && !past[11];
    look_line = r.look_state == DESTINATION ? r.destination : r.candidate;
    key = r.state == MISS && !r.fetched ? r.now.line : look_line;
    in_flight = 1'b0;
    for (int i = 0; i < 16; i++) begin
      if ({1'b0, 4'(i) - r.first_flight} < r.flights && flights[i][54:27] == key) in_flight = 1'b1;
    end
    way = find_way(shadow_row, r.now.line);
    way_seen = find_way(shadow_seen, look_line);
    entry_row = find_entry(table_row[143:0], r.state == CHECK ? r.now.line : r.state == TRY ? r.target : r.grow_line);
    entry_seen = find_entry(table_seen[143:0], r.destination);
    last = r.head + 28'(r.extra);
    found = '0;
    merge = '0;
    for (int i = 15; i >= 0; i--) begin
      distance = r.now.line - head_line[28*i+:28];
      if (head_valid[i] && distance == 0) found = {1'b1, 4'(i)};
      if (head_valid[i] && i < 14 && distance != 0 && distance <= 28'(head_size[6*i+:6])) merge = {1'b1, 4'(i)};
    end
    walked_valid = head_valid[r.walk];
    walked_line = head_line[28*r.walk+:28];
    walked_for = head_time[11:0] - head_time[12*r.walk+:12];
    old_size = head_size[6*r.head_at+:6];
    hit = way_of(shadow_row, way.at[2:0]);
    oldest_way = 3'd0;
    for (int i = 0; i < 8; i++) begin
      if (shadow_row[16*i+13+:3] == 3'(7 - i)) oldest_way = 3'(i);
    end
    victim = way_of(shadow_row, oldest_way);
    case (r.state == SOURCE ? r.fill_at[1:0] : r.asked ? r.asked_look.entry[1:0] : r.state == GROW_SIZE ?
          r.entry[1:0] : r.look_state == OWN ? r.look.entry[1:0] : r.destination_entry[1:0])
      2'd0: lane = scratch_data[15:0];
      2'd1: lane = scratch_data[31:16];
      2'd2: lane = scratch_data[47:32];
      default: lane = scratch_data[63:48];
    endcase
  end

  task read_scratch(input logic [11:0] at);
    scratch_read = 1'b1;
    scratch_address = at;
  endtask
  task write_payload(input logic [10:0] entry, input payload_t payload);
    scratch_write = 8'hff;
    scratch_address = {1'b0, entry};
    scratch_word = {1'b0, payload};
  endtask
  task write_size(input logic [10:0] entry, input logic [5:0] size, input logic [7:0] epoch, input logic [1:0] bytes);
    if (entry == n.look.entry) n.incomplete = 1'b1;
    scratch_write = 8'(bytes) << {entry[1:0], 1'b0};
    scratch_address = SIZES + 12'(entry[10:2]);
    scratch_word = {4{epoch, 2'b00, size}};
  endtask
  task read_lines(input line_t line);
    shadow_at = line[5:0];
    table_at = set_of(line);
  endtask
  task next_visit();
    n.state = IDLE;
    if (r.front_valid && !shadow_writes && !table_writes) begin
      n.now = front;
      n.first_waiting = r.first_waiting + 6'd1;
      n.waiting = r.waiting - 7'd1;
      read_lines(front.line);
      n.state = CHECK;
    end
  endtask
  task move_clock(input logic [11:0] cycles);
    logic [12:0] behind;
    n.clock_ = r.clock_ + cycles;
    behind = {n.clock_, 1'b0} - r.issue;
    if (behind[12:11] == 2'b01) n.issue = {n.clock_, 1'b0} - 13'h400;
  endtask
  task after_grow();
    if (n.missed) n.state = MISS;
    else next_visit();
  endtask
  task allocate(input line_t line);
    table_new = table_row;
    table_new[9*table_row[147:144]+:9] = tag_of(line);
    table_new[147:144] = table_row[147:144] + 4'd1;
    table_writes = 1'b1;
    table_at = set_of(line);
    n.entry = {table_at, table_row[147:144]};
    write_payload(n.entry, '0);
  endtask
  task insist();
    n.tries = 2'd3;
    n.target = r.first_target;
    table_at = set_of(r.first_target);
    n.state = TRY;
  endtask
  task no_room();
    if (r.tries == 2) insist();
    else n.state = WALK;
  endtask
  task start_scan(input payload_t payload);
    n.old = payload;
    n.packed_ = payload;
    n.held = 3'd1;
    n.fit = format_for(r.target, r.now.line);
    n.scan = 3'd0;
    n.weakest_confidence = 3'd4;
    n.state = SCAN_SLOT;
  endtask
  task drain();
    n.state = FILL;
    shadow_at = first.line[5:0];
    if (r.waits || is_due) begin
      n.fill = first;
      n.first_flight = r.first_flight + 4'd1;
      n.flights = r.flights - 5'd1;
      n.late = r.waits && first.line == r.now.line && first.origin.valid;
      n.fill_prefetched = !(r.waits && first.line == r.now.line);
      if (r.waits && past[11]) move_clock(12'd0 - past);
      if (!n.fill_prefetched) begin
        n.judged = first.origin;
        n.fill.origin.valid = 1'b0;
        n.waits = 1'b0;
      end
    end else if (r.fills) begin
      {n.fills, n.late, n.fill_prefetched, n.fill.origin.valid} = '0;
      n.fill.line = r.now.line;
      shadow_at = r.now.line[5:0];
    end else if (r.missed && r.pushed) begin
      n.walk = 4'd1;
      n.tries = 2'd0;
      n.state = WALK;
    end else if (r.missed || !r.checks) begin
      next_visit();
    end else begin
      read_lines(r.now.line);
      n.state = CHECK;
    end
  endtask
  task enter_line();
    {n.pushed, n.grows} = '0;
    entered = r.now.line != last;
    block_size = 7'(r.extra) + 7'(r.merged) > 63 ? 6'd63 : r.extra + r.merged;
    if (r.now.line == last + 28'd1) begin
      if (r.extra != 63) n.extra = r.extra + 6'd1;
    end else if (entered) begin
      n.grow_line = r.head - 28'(r.merged);
      n.grow_size = block_size;
      n.grows = r.extra != 0 && block_size > n.known_size;
      n.head = r.now.line;
      n.extra = 6'd0;
      n.pushed = !merge.found && (!found.found || n.missed);
      n.head_at = n.pushed ? 4'd0 : merge.found ? merge.at : found.at;
      n.known_size = n.pushed ? 6'd0 : head_size[6*n.head_at+:6];
      if (!n.pushed && n.head_at == r.head_at && r.extra != 0 && block_size > n.known_size) n.known_size = block_size;
      n.merged = merge.found ? 6'(r.now.line - head_line[28*merge.at+:28]) : 6'd0;
      head_pushes = n.pushed;
      block_ends = r.extra != 0;
    end
  endtask
  task check();
    n.checks = 1'b1;
    n.missed = 1'b0;
    move_clock(12'(r.now.gap));
    n.now.gap = 6'd0;
    if (is_due) n.state = DRAIN;
    else if ((!way.found && (r.looks != 0 || queues_look || r.look_state != QUIET)) || (r.looks + 3'(queues_look)) == 4) n.state = SETTLE;
    else begin
      n.missed = !way.found;
      if (n.missed) n.counts[17:0] = r.counts[17:0] + 18'd1;
      else begin
        n.counts[35:18] = r.counts[35:18] + 18'(hit.prefetched);
        shadow_writes = hit.prefetched || hit.order != way.at[2:0];
        shadow_new = renew(shadow_row, way.at[2:0], {2'b01, hit.tag});
        shadow_at = r.now.line[5:0];
      end
      if (!NEXT_LINE) enter_line();
      else {n.pushed, n.grows} = '0;
      n.asked = NEXT_LINE || (entered && entry_row.found);
      n.asked_look = {r.now.line, set_of(r.now.line), entry_row.at, n.clock_};
      if (n.asked) read_scratch(SIZES + 12'(n.asked_look.entry[10:2]));
      if (n.grows) begin
        table_at = set_of(n.grow_line);
        n.state = GROW_TAG;
      end else after_grow();
    end
  endtask


  task step_visit();
    case (r.state)
      CHECK: check();
      SETTLE:
        if (is_due) n.state = DRAIN;
        else if (r.looks == 0 && !queues_look && r.look_state == QUIET) begin
          read_lines(r.now.line);
          n.state = CHECK;
        end
      GROW_TAG:
        if (entry_row.found) begin
          n.entry = {set_of(r.grow_line), entry_row.at};
          read_scratch(SIZES + 12'(n.entry[10:2]));
          n.state = GROW_SIZE;
        end else begin
          allocate(r.grow_line);
          n.state = GROW_NEW;
        end
      GROW_SIZE, GROW_NEW: begin
        if (r.state == GROW_NEW || r.grow_size > lane[5:0]) write_size(r.entry, r.grow_size, r.epoch ^ 8'h80, 2'b11);
        after_grow();
      end
      MISS:
        if (!r.fetched) begin
          n.waits = in_flight;
          n.fills = !in_flight;
          if (in_flight) n.counts[53:36] = r.counts[53:36] + 18'd1;
          else move_clock(MISS_CYCLES);
          n.state = DRAIN;
        end
      DRAIN: drain();
      FILL: begin
        n.counts[53:36] = r.counts[53:36] + 18'(victim.valid && victim.prefetched);
        n.victim_valid = victim.valid;
        n.judged_up = !victim.prefetched;
        shadow_new = renew(shadow_row, oldest_way, {r.fill_prefetched, 1'b1, shadow_tag(r.fill.line)});
        shadow_writes = 1'b1;
        shadow_at = r.fill.line[5:0];
        n.fill_at = {shadow_at, oldest_way};
        read_scratch(ORIGINS + 12'(n.fill_at[8:2]));
        n.state = SOURCE;
      end
      SOURCE: begin
        scratch_write = 8'b11 << {r.fill_at[1:0], 1'b0};
        scratch_address = ORIGINS + 12'(r.fill_at[8:2]);
        scratch_word = {4{1'b0, r.fill.origin.valid ? r.fill.origin : 15'd0}};
        if (r.late) n.judged_up = 1'b0;
        else n.judged = lane[14:0];
        if (r.late || (r.victim_valid && n.judged.valid)) n.state = n.judged.slot == 7 ? MARK : JUDGE;
        else begin
          n.epoch = r.epoch + 8'(r.victim_valid);
          drain();
        end
      end
      JUDGE: begin
        read_scratch({1'b0, r.judged.entry});
        n.state = CONFIDENCE;
      end
      CONFIDENCE: begin
        judged_payload = scratch_data[62:0];
        for (int i = 0; i < 6; i++) begin
          if (r.judged.slot == 3'(i) && judged_payload.confidence[2*i+:2] != (r.judged_up ? 2'd3 : 2'd0) &&
              judged_payload.confidence[2*i+:2] != 2'd0)
            judged_payload.confidence[2*i+:2] = judged_payload.confidence[2*i+:2] + (r.judged_up ? 2'd1 : 2'd3);
        end
        write_payload(r.judged.entry, judged_payload);
        n.state = MARK;
      end
      MARK: begin
        write_size(r.judged.entry, 6'd0, r.epoch ^ 8'h80, 2'b10);
        drain();
      end
      default: begin
        {n.missed, n.checks} = '0;
        if (is_due) n.state = DRAIN;
        else next_visit();
      end
    endcase
  endtask

  task step_entangle();
    case (r.state)
      WALK:
        if (r.walk == 0 || (walked_valid && walked_line == r.now.line)) begin
          if (r.tries == 0) next_visit();
          else insist();
        end else begin
          if (walked_valid && walked_for >= MISS_CYCLES) begin
            n.target = walked_line;
            n.tries = r.tries + 2'd1;
            if (r.tries == 0) n.first_target = walked_line;
            table_at = set_of(walked_line);
            n.state = TRY;
          end
          n.walk = r.walk + 4'd1;
        end
      TRY: begin
        n.fresh = !entry_row.found;
        if (n.fresh && r.tries != 3) no_room();
        else begin
          n.state = SCAN;
          if (n.fresh) allocate(r.target);
          else begin
            n.entry = {set_of(r.target), entry_row.at};
            read_scratch({1'b0, n.entry});
          end
        end
      end
      SCAN: start_scan(r.fresh ? 63'd0 : scratch_data[62:0]);
      SCAN_SLOT:
        if (r.packed_.confidence == 0) begin
          if (r.held <= slots(r.fit)) begin
            n.packed_ = {60'd0, r.fit};
            {n.scan, n.emitted, n.placed} = '0;
            n.state = PACK;
          end else if (r.tries != 3) no_room();
          else begin
            n.old.confidence = r.old.confidence & ~(12'd3 << {r.weakest, 1'b0});
            start_scan(n.old);
          end
        end else if (r.packed_.confidence[1:0] != 0 && widen(r.target, r.packed_) == r.now.line) begin
          n.old.confidence = r.old.confidence | 12'd3 << {r.scan, 1'b0};
          write_payload(r.entry, n.old);
          next_visit();
        end else begin
          if (r.packed_.confidence[1:0] != 0) begin
            n.held = r.held + 3'd1;
            if (format_for(r.target, widen(r.target, r.packed_)) < r.fit)
              n.fit = format_for(r.target, widen(r.target, r.packed_));
            if (3'(r.packed_.confidence[1:0]) < r.weakest_confidence) begin
              n.weakest = r.scan;
              n.weakest_confidence = 3'(r.packed_.confidence[1:0]);
            end
          end
          n.packed_ = shift(r.packed_);
          n.scan = r.scan + 3'd1;
        end
      PACK: pack();
      PACK_WRITE: begin
        write_payload(r.entry, r.packed_);
        n.state = STALE;
      end
      default: begin
        write_size(r.entry, 6'd0, r.epoch ^ 8'h80, {1'b1, r.fresh});
        next_visit();
      end
    endcase
  endtask
  task pack();
    logic more, places;
    logic [1:0] confidence;
    more = r.scan < slots(r.old.format);
    confidence = more ? r.old.confidence[1:0] : 2'd0;
    places = confidence == 0 && !r.placed;
    n.placed = r.placed || places;
    if (places) confidence = 2'd3;
    if (more) begin
      n.old = shift(r.old);
      n.scan = r.scan + 3'd1;
    end
    if (confidence != 0 || !more || slots(r.fit) >= slots(r.old.format)) begin
      n.packed_.address = insert(r.packed_, places ? r.now.line : widen(r.target, r.old));
      n.packed_.confidence = r.packed_.confidence | 12'(confidence) << {r.emitted, 1'b0};
      n.emitted = r.emitted + 3'd1;
      if (n.emitted == slots(r.fit)) n.state = PACK_WRITE;
    end
  endtask

  // The look-up: a candidate, then the next line of the block, or the next destination.
  logic tries_line, starts_block, to_slot, reads_size, fetched;
  line_t block_line;
  logic [5:0] block_lines;
  logic [12:0] ahead, issued;
  task step_look();
    {tries_line, starts_block, to_slot, reads_size} = '0;
    fetched = r.fetched;
    block_line = r.candidate;
    block_lines = r.left - 6'd1;
    issued = 13'd0;
    scratch_free = !scratch_read && scratch_write == 0;
    n.fetched = 1'b0;
    case (r.look_state)
      OWN: begin
        reads_size = !fetched;
        if (fetched) begin
          n.candidate = r.look.line + 28'd1;
          n.left = lane[5:0];
          n.look_state = PAYLOAD;
        end
      end
      PAYLOAD:
        if (fetched) begin
          n.payload = scratch_data[62:0];
          to_slot = r.left == 0;
          starts_block = r.left != 0;
          tries_line = starts_block && !must_wait;
        end
      BLOCK: begin
        starts_block = 1'b1;
        tries_line = fetched && !must_wait;
      end
      SLOT: to_slot = 1'b1;
      DESTINATION:
        if (fetched && !must_wait) begin
          tries_line = 1'b1;
          to_slot = !entry_seen.found;
          reads_size = entry_seen.found;
          n.destination_entry = {set_of(r.destination), entry_seen.at};
          if (entry_seen.found) n.look_state = SIZE;
        end
      SIZE: begin
        reads_size = !fetched;
        starts_block = fetched;
        block_line = r.destination;
        block_lines = lane[15:8] == r.look_epoch ? 6'd0 : lane[5:0];
      end
      default:
        if (r.looks != 0) begin
          n.look = looks[r.first_look];
          n.first_look = r.first_look + 2'd1;
          n.looks = r.looks - 3'd1;
          {n.incomplete, n.slot} = '0;
          n.look_epoch = n.epoch;
          starts_block = NEXT_LINE;
          block_line = n.look.line;
          block_lines = 6'd1;
          reads_size = !NEXT_LINE;
          if (!NEXT_LINE) n.look_state = OWN;
        end
    endcase
    if (tries_line && !(n.missed && look_line == n.now.line) && look_line != n.fill.line && !way_seen.found &&
        !in_flight) begin
      ahead = n.issue - {r.look.time_, 1'b0};
      issued = ahead[12] ? {r.look.time_, 1'b0} : n.issue;
      flight_pushes = n.flights != 16;
      if (flight_pushes) n.issue = issued + 13'd1;
      else n.incomplete = 1'b1;
    end
    if (starts_block) begin
      if ((r.look_state == BLOCK || r.look_state == PAYLOAD) && !tries_line) block_lines = r.left;
      else n.candidate = block_line + 28'd1;
      n.left = block_lines;
      n.look_state = BLOCK;
      n.fetched = block_lines != 0 && n.state != MISS;
      to_slot = block_lines == 0;
    end
    if (to_slot) next_slot();
    if (n.look_state == DESTINATION) n.fetched = n.state != MISS;
    if (reads_size && scratch_free) begin
      read_scratch(SIZES + (n.look_state == SIZE ? 12'(n.destination_entry[10:2]) : 12'(n.look.entry[10:2])));
      n.fetched = 1'b1;
    end
    if (n.look_state == PAYLOAD && scratch_free && n.state != MISS) begin
      read_scratch({1'b0, r.look.entry});
      n.fetched = 1'b1;
    end
    shadow_look = n.look_state == DESTINATION ? n.destination[5:0] : n.candidate[5:0];
    table_look = set_of(n.destination);
  endtask
  task next_slot();
    n.look_state = SLOT;
    if (NEXT_LINE || (n.payload.confidence == 0 && n.incomplete)) n.look_state = QUIET;
    else if (n.payload.confidence == 0) begin
      if (scratch_free) begin
        write_size(n.look.entry, 6'd0, r.look_epoch, 2'b10);
        n.look_state = QUIET;
      end
    end else begin
      n.destination = widen(n.look.line, n.payload);
      if (n.payload.confidence[1:0] != 0 && n.destination != n.look.line) n.look_state = DESTINATION;
      n.payload = shift(n.payload);
      n.slot = r.slot + 3'd1;
    end
  endtask

  logic [7:0] units;
  task arrive();
    n.gap = r.gap == 511 ? 9'd511 : r.gap + 9'd1;
    n.front_valid = n.waiting != 0;
    if (visit) begin
      if (n.waiting == 64) n.visits_lost = r.visits_lost + 32'd1;
      else n.waiting = n.waiting + 7'd1;
      n.gap = 9'd0;
    end
    if (interval) begin
      for (int i = 0; i < 3; i++) begin
        units = n.counts[18*i+14+:4] != 0 ? 8'd255 : n.counts[18*i+6+:8];
        n.sent[8*i+:8] = units;
        n.counts[18*i+:18] = n.counts[18*i+:18] - {4'd0, units, 6'd0};
      end
    end
  endtask

  // Not always_comb: yosys takes the arguments of tasks for latches, which it removes.
  always @* begin
    n = r;
    {shadow_writes, table_writes, flight_pushes, head_pushes, block_ends, entered} = '0;
    {shadow_at, shadow_look, table_at, table_look, block_size} = '0;
    {scratch_read, scratch_write, scratch_address, scratch_word} = '0;
    {units, ahead, flight_new} = '0;
    {shadow_new, table_new, judged_payload} = '0;
    // The size and epoch of the entry that the last check found: does it need a look?
    queues_look = r.asked && (NEXT_LINE || r.epoch - lane[15:8] >= FRESH);
    queued_look = r.asked_look;
    n.asked = 1'b0;
    if (r.asked && r.asked_look.line == r.head && r.merged == 0 && lane[5:0] > r.known_size) n.known_size = lane[5:0];
    if (r.state >= WALK) step_entangle();
    else step_visit();
    step_look();
    flight_at = n.first_flight + n.flights[3:0];
    if (flight_pushes) n.flights = n.flights + 5'd1;
    flight_new = {look_line, issued[12:1] + MISS_CYCLES, r.look_state == DESTINATION, r.slot - 3'd1, r.look.entry};
    if (r.look_state != DESTINATION) flight_new.origin = {!NEXT_LINE, 3'd7, r.look.entry};
    look_at = n.first_look + n.looks[1:0];
    if (queues_look) n.looks = n.looks + 3'd1;
    waiting_at = n.first_waiting + n.waiting[5:0];
    queued = visit && n.waiting != 64;
    queued_visit = {without_stall(r.gap == 511 ? 9'd511 : r.gap + 9'd1), fold(address[63:6])};
    arrive();
    {head_valid_new, head_line_new, head_time_new, head_size_new} = {head_valid, head_line, head_time, head_size};
    if (block_ends && block_size > old_size) head_size_new[6*r.head_at+:6] = block_size;
    if (head_pushes) begin
      head_valid_new = {head_valid[14:0], 1'b1};
      head_line_new = {head_line[419:0], r.now.line};
      head_time_new = {head_time[179:0], n.clock_};
      head_size_new = {head_size_new[89:0], 6'd0};
    end
  end

  always_ff @(posedge clock) begin
    r <= n;
    if (flight_pushes) flights[flight_at] <= flight_new;
    if (queues_look) looks[look_at] <= queued_look;
    {head_valid, head_line, head_time, head_size} <= {head_valid_new, head_line_new, head_time_new, head_size_new};
    if (reset) begin
      r <= '0;
      r.epoch <= 8'd1;
      head_valid <= '0;
      head_size <= '0;
    end
  end

  for (genvar i = 0; i < 2; i++) begin : shadow
    block_ram ram (
        .clock, .address(shadow_at), .look(shadow_look), .write({8{shadow_writes}}),
        .write_word(shadow_new[64*i+:64]), .word(shadow_row[64*i+:64]), .seen(shadow_seen[64*i+:64])
    );
  end
  // Two sets of 160 bits in a row of five words.
  logic [319:0] both, both_seen;
  logic table_odd, seen_odd;
  logic [319:0] both_new;
  logic [39:0] both_writes;
  assign both_new = {2{table_new}};
  assign both_writes = !table_writes ? 40'd0 : table_at[0] ? {20'hfffff, 20'd0} : 40'hfffff;
  if (NEXT_LINE) begin : no_tags
    assign both = '0;
    assign both_seen = '0;
  end else begin : with_tags
    for (genvar i = 0; i < 5; i++) begin : tags
      block_ram ram (
          .clock, .address(table_at[6:1]), .look(table_look[6:1]), .write(both_writes[8*i+:8]),
          .write_word(both_new[64*i+:64]), .word(both[64*i+:64]), .seen(both_seen[64*i+:64])
      );
    end
  end
  always_ff @(posedge clock) {table_odd, seen_odd} <= {table_at[0], table_look[0]};
  assign table_row = table_odd ? both[319:160] : both[159:0];
  assign table_seen = seen_odd ? both_seen[319:160] : both_seen[159:0];
  logic [63:0] front_word, front_unused;
  block_ram waiting (
      .clock, .address(waiting_at), .look(n.first_waiting), .write({8{queued}}),
      .write_word({30'd0, queued_visit}), .word(front_unused), .seen(front_word)
  );
  assign front = front_word[33:0];
  assign state = r.state;
  assign sent = r.sent;
  assign visits_lost = r.visits_lost;
endmodule
