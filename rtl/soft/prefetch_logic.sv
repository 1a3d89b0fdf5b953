// The prefetcher in the soft logic, state by state as in lab/tile/prefetch_logic.h. Visits and look-ups are
// two state machines. The look-up uses the scratchpad's port when the visits leave it free. Functions take
// whole lines, words and entries and read some of their bits.
// verilator lint_off UNUSEDSIGNAL
module prefetch_logic #(
    parameter bit NEXT_LINE = 1'b0  // prefetch the next line and nothing else
) (
    input  logic        clock, reset,
    input  logic        visit, interval,  // IORegs 0 and 1 are new; IOReg 2 is new
    input  logic [63:0] address,
    output logic [23:0] sent,             // soft-logic registers 0 to 2
    output logic [31:0] visits_lost, stalls, stalls_lost, misses_unstalled,
    output logic        scratch_read,
    output logic [7:0]  scratch_write,
    output logic [11:0] scratch_address,
    output logic [63:0] scratch_word,
    input  logic [63:0] scratch_data,     // of the cycle before
    output logic [4:0]  state
);
`include "prefetch_types.svh"
  registers_t r, n;
  logic [55:0] flights[32];  // flight_t
  logic [31:0] flying;
  look_t looks[4];
  // Heads of blocks, the newest first.
  logic [15:0] head_valid;
  logic [415:0] head_line;
  logic [191:0] head_time;
  logic [95:0] head_size;

  // Requests of the cycle to the memories.
  logic shadow_writes, table_writes, queues_look, flight_pushes, head_pushes, block_grows, queued, scratch_free;
  logic [6:0] waiting_at;
  visit_t queued_visit, front;
  logic [5:0] arrived;
  logic [5:0] shadow_at, shadow_look, block_size, old_size;
  logic [6:0] table_at, table_look;
  logic [127:0] shadow_row, shadow_seen, shadow_new;
  logic [159:0] table_row, table_seen, table_new;
  flight_t first;
  origin_t flight_origin;
  look_t queued_look;
  payload_t judged_payload, packed_next;

  // Conditions that several states use.
  logic is_due, in_flight, behind, walked_valid, places;
  logic [1:0] old_confidence;
  logic [11:0] past, walked_for;
  line_t look_line, last, walked_line, scanned_line;
  shadow_t key;
  found_t way, way_seen, entry_row, entry_seen, found, merge;
  logic [15:0] lane;
  way_t victim, hit;
  logic [2:0] oldest_way, renewed;
  logic [7:0] grown, units;
  logic [6:0] distance;
  logic [19:0] row_before;
  logic near;
  always_comb begin
    first = flights[r.first_flight];
    past = r.clock_ + (r.state == CHECK ? 12'(r.now.gap) : 12'd0) - first.ready;
    is_due = r.flights != 0 && !past[11];
    look_line = r.look_state == DESTINATION ? r.destination : r.candidate;
    key = shadow_of(r.state == MISS && !r.fetched ? r.now.line : look_line);
    in_flight = 1'b0;
    for (int i = 0; i < 32; i++) begin
      if (flying[i] && flights[i][55:39] == key) in_flight = 1'b1;
    end
    way = find_way(shadow_row, shadow_of(r.now.line));
    way_seen = find_way(shadow_seen, shadow_of(look_line));
    entry_row = find_entry(table_row[143:0], r.state == CHECK ? r.now.line : r.state == TRY ? r.target : r.grow_line);
    entry_seen = find_entry(table_seen[143:0], r.destination);
    last = r.head + 26'(r.extra);
    found = '0;
    merge = '0;
    // Finds a head at most 63 lines before the line: in the same row of 64 lines or in the row before.
    row_before = r.now.line[25:6] - 20'd1;
    for (int i = 15; i >= 0; i--) begin
      distance = {1'b0, r.now.line[5:0]} - {1'b0, head_line[26*i+:6]};
      near = distance[6] ? head_line[26*i+6+:20] == row_before : head_line[26*i+6+:20] == r.now.line[25:6];
      if (head_valid[i] && near && distance == 0) found = {1'b1, 4'(i)};
      if (head_valid[i] && i < 14 && near && distance != 0 && distance[5:0] <= head_size[6*i+:6])
        merge = {1'b1, 4'(i)};
    end
    walked_valid = head_valid[r.walk];
    walked_line = head_line[26*r.walk+:26];
    walked_for = head_time[11:0] - head_time[12*r.walk+:12];
    scanned_line = widen(r.target, r.packed_);
    old_confidence = r.scan < r.old.format ? r.old.confidence[1:0] : 2'd0;
    places = old_confidence == 0 && !r.placed;
    packed_next = shift(r.packed_, places ? r.now.line : widen(r.target, r.old));
    old_size = head_size[6*r.head_at+:6];
    hit = way_of(shadow_row, way.at[2:0]);
    oldest_way = 3'd0;
    for (int i = 0; i < 8; i++) begin
      if (shadow_row[16*i+13+:3] == 3'(7 - i)) oldest_way = 3'(i);
    end
    victim = way_of(shadow_row, oldest_way);
    // The way that a hit renews or a fill replaces becomes the most recently used.
    renewed = r.state == FILL ? oldest_way : way.at[2:0];
    shadow_new = renew(shadow_row, renewed, r.state == FILL ?
        {r.fill_prefetched, r.fill.origin.valid, r.fill.line[16:6]} : {1'b0, hit.asked, hit.tag});
    case (r.state == SOURCE ? r.fill_at[1:0] : r.asked ? r.asked_look.entry[1:0] : r.state == GROW_SIZE ?
          r.entry[1:0] : r.destination_entry[1:0])
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
  task write_payload(input logic [10:0] entry, input logic [63:0] word);
    scratch_write = 8'hff;
    scratch_address = {1'b0, entry};
    scratch_word = word;
  endtask
  // Writes the size of an entry. The entry then needs a new look-up, also when one is under way.
  task write_size(input logic [10:0] entry, input logic [5:0] size, input logic [1:0] bytes);
    if (entry == n.look.entry) n.incomplete = 1'b1;
    scratch_write = 8'(bytes) << {entry[1:0], 1'b0};
    scratch_address = SIZES + 12'(entry[10:2]);
    scratch_word = {4{r.epoch ^ 8'h80, 2'b00, size}};
  endtask
  task read_lines(input line_t line);
    shadow_at = line[5:0];
    table_at = set_of(line);
  endtask
  logic tries_line, to_slot;
  logic [5:0] line_left;
  logic [12:0] ahead, issued;
`include "prefetch_visit.svh"
`include "prefetch_fill.svh"
`include "prefetch_entangle.svh"
`include "prefetch_look.svh"

  // Receives a visit. When the queue overflows, visits are dropped until the waiting ones are processed, so
  // that the prefetcher always learns from stretches of visits without gaps.
  task arrive();
    n.gap = r.gap == 511 ? 9'd511 : r.gap + 9'd1;
    n.front_valid = n.waiting != 0;
    waiting_at = n.first_waiting + n.waiting[6:0];
    arrived = split(n.gap);
    queued_visit = {arrived[5:4], r.newest};
    if (visit) begin
      n.shedding = n.waiting == 128 || (r.shedding && (n.waiting != 0 || n.state != IDLE));
      queued = !n.shedding && r.newest_valid;
      if (queued) n.waiting = n.waiting + 8'd1;
      if (n.shedding) n.visits_lost = r.visits_lost + 32'd1;
      n.stalls = r.stalls + 32'(arrived[5:4] != 0);
      n.stalls_lost = r.stalls_lost + 32'(arrived[5:4] != 0 && n.shedding);
      n.newest_valid = 1'b1;
      n.newest = {arrived[3:0], fold(address[63:6])};
      n.gap = 9'd0;
    end
    if (interval) begin
      for (int i = 0; i < 3; i++) begin
        units = n.counts[18*i+15+:3] != 0 ? 8'd255 : n.counts[18*i+7+:8];
        n.sent[8*i+:8] = units;
        n.counts[18*i+:18] = n.counts[18*i+:18] - {3'd0, units, 7'd0};
      end
    end
  endtask

  // Not always_comb: yosys infers latches for the arguments of tasks and removes them.
  always @* begin
    n = r;
    {shadow_writes, table_writes, flight_pushes, head_pushes, block_grows, queued, behind} = '0;
    {shadow_at, shadow_look, table_at, table_look, block_size} = '0;
    {scratch_read, scratch_write, scratch_address, scratch_word} = '0;
    {units, grown, table_new, judged_payload} = '0;
    // Size and epoch of the entry that the last check found decide whether it needs a look-up.
    queues_look = r.asked && (NEXT_LINE || r.epoch - lane[15:8] >= FRESH);
    queued_look = r.asked_look;
    queued_look.size = lane[5:0];
    n.asked = 1'b0;
    if (r.asked && r.began && r.merged == 0 && lane[5:0] > r.known_size) n.known_size = lane[5:0];
    if (r.state < MISS) step_visit();
    else if (r.state < WALK) step_fill();
    else step_entangle();
    step_look();
    flight_origin = r.look_state == DESTINATION ? {1'b1, r.slot - 3'd1, r.look.entry} : '0;
    arrive();
  end

  logic [4:0] flight_at;
  logic [1:0] look_at;
  assign flight_at = n.first_flight + n.flights[4:0];
  assign look_at = n.first_look + n.looks[1:0];
  always_ff @(posedge clock) begin
    r <= n;
    if (n.first_flight != r.first_flight) flying[r.first_flight] <= 1'b0;
    if (flight_pushes) begin
      flying[flight_at] <= 1'b1;
      flights[flight_at] <= {key, r.look.time_, issued[12:1] + MISS_CYCLES, flight_origin};
      r.flights <= n.flights + 6'd1;
    end
    if (queues_look) begin
      looks[look_at] <= queued_look;
      r.looks <= n.looks + 3'd1;
    end
    if (block_grows) head_size[6*r.head_at+:6] <= block_size;
    if (head_pushes) begin
      head_valid <= {head_valid[14:0], 1'b1};
      head_line <= {head_line[389:0], r.now.line};
      head_time <= {head_time[179:0], n.clock_};
      head_size <= {head_size[89:0], 6'd0};
    end
    if (reset) begin
      r <= '0;
      r.epoch <= 8'd1;
      flying <= '0;
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
  // Two visits in a row.
  logic [63:0] front_words, front_unused;
  block_ram waiting (
      .clock, .address(waiting_at[6:1]), .look(n.first_waiting[6:1]),
      .write({{4{queued && waiting_at[0]}}, {4{queued && !waiting_at[0]}}}), .write_word({2{queued_visit}}),
      .word(front_unused), .seen(front_words)
  );
  assign front = r.first_waiting[0] ? front_words[63:32] : front_words[31:0];
  assign state = r.state;
  assign sent = r.sent;
  assign visits_lost = r.visits_lost;
  assign stalls = r.stalls;
  assign stalls_lost = r.stalls_lost;
  assign misses_unstalled = r.misses_unstalled;
endmodule
