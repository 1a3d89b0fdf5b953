  // A visit: its check against the shadow tags, the running block and its size on record.
  // Included by prefetch_logic.sv.
  task next_visit();
    n.state = IDLE;
    if (r.front_valid && !shadow_writes && !table_writes) begin
      n.now = front;
      n.first_waiting = r.first_waiting + 7'd1;
      n.waiting = r.waiting - 8'd1;
      read_lines(front.line);
      n.state = CHECK;
    end
  endtask
  task move_clock(input logic [11:0] cycles);
    logic [12:0] ahead_of_issue;
    n.clock_ = r.clock_ + cycles;
    ahead_of_issue = {n.clock_, 1'b0} - r.issue;
    if (ahead_of_issue[12:11] == 2'b01) n.issue = {n.clock_, 1'b0} - 13'h400;
  endtask
  // A visit must wait when there are too many look-ups or, for an absent line, when a look-up is so late that
  // its requests would be complete. With the next-line prefetcher any look-up counts, because its only
  // request may be for this line.
  task may_pass();
    logic [11:0] age;
    logic [2:0] held;
    age = n.clock_ - r.look.time_;
    held = r.looks + 3'(queues_look);
    behind = held == 4 || (n.absent && (NEXT_LINE ? r.look_state != QUIET || held != 0
                                                  : r.look_state != QUIET && age >= MISS_CYCLES));
  endtask
  task check();
    n.checks = 1'b1;
    n.missed = 1'b0;
    move_clock(12'(r.now.gap));
    n.now.gap = 4'd0;
    if (is_due) n.state = DRAIN;
    else begin
      n.absent = !way.found;
      may_pass();
      if (behind) n.state = SETTLE;
      else pass();
    end
  endtask
  task pass();
    n.missed = !way.found;
    if (n.missed) begin
      n.counts[17:0] = r.counts[17:0] + 18'd1;
      n.misses_unstalled = r.misses_unstalled + 32'(r.now.stall == 0);
    end else begin
      n.counts[35:18] = r.counts[35:18] + 18'(hit.prefetched);
      shadow_writes = hit.prefetched || hit.order != way.at[2:0];
      shadow_at = r.now.line[5:0];
    end
    {n.pushed, n.grows, n.began} = '0;
    if (!NEXT_LINE) enter_line();
    n.asked = NEXT_LINE || (r.now.line != last && entry_row.found);
    n.asked_look = {6'd0, r.now.line, set_of(r.now.line), entry_row.at, n.clock_};
    if (n.asked) read_scratch(SIZES + 12'(n.asked_look.entry[10:2]));
    if (n.grows) begin
      table_at = set_of(n.grow_line);
      n.state = GROW_TAG;
    end else after_grow();
  endtask
  // Extends the running basic block by a line, or ends it and begins another.
  task enter_line();
    if (r.now.line == last + 26'd1) begin
      if (r.extra != 127) n.extra = r.extra + 7'd1;
      grown = 8'(n.extra) + 8'(r.merged);
      block_size = grown > 63 ? 6'd63 : grown[5:0];
      if (n.known_size > block_size) block_size = n.known_size;
      block_grows = block_size > old_size;
    end else if (r.now.line != last) begin
      n.grow_line = r.head - 26'(r.merged);
      n.grow_size = 8'(r.extra) + 8'(r.merged);
      n.grows = r.extra != 0 && n.grow_size > 8'(n.known_size);
      n.head = r.now.line;
      n.extra = 7'd0;
      n.began = 1'b1;
      n.pushed = !merge.found && (!found.found || n.missed);
      head_pushes = n.pushed;
      n.head_at = n.pushed ? 4'd0 : merge.found ? merge.at : found.at;
      n.known_size = n.pushed ? 6'd0 : head_size[6*n.head_at+:6];
      n.merged = merge.found ? 6'(r.now.line - head_line[26*merge.at+:26]) : 6'd0;
    end
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
    write_payload(n.entry, 64'd0);
  endtask
  task step_visit();
    case (r.state)
      IDLE: begin
        {n.missed, n.checks} = '0;
        if (is_due) n.state = DRAIN;
        else next_visit();
      end
      CHECK: check();
      SETTLE: begin
        may_pass();
        if (is_due) n.state = DRAIN;
        else if (!behind) begin
          read_lines(r.now.line);
          n.state = CHECK;
        end
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
      default: begin  // GROW_SIZE, GROW_NEW
        if (r.state == GROW_NEW || r.grow_size > 8'(lane[5:0])) write_size(r.entry, r.grow_size[5:0], 2'b11);
        after_grow();
      end
    endcase
  endtask
