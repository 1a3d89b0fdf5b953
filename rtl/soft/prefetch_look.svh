  // The look-up of an entry: the rest of its block, its destinations and their blocks are candidates. It uses
  // the scratchpad's port in cycles in which the visits leave it free. Included by prefetch_logic.sv.
  task step_look();
    {tries_line, to_slot} = '0;
    scratch_free = !scratch_read && scratch_write == 0;
    line_left = r.left;
    n.fetched = 1'b0;
    case (r.look_state)
      PAYLOAD:
        if (r.fetched) begin
          n.payload = decode(scratch_data);
          n.look_state = BLOCK;
        end
      SIZE:
        if (r.fetched) begin
          line_left = lane[5:0];
          n.look_state = BLOCK;
        end
      SLOT: to_slot = 1'b1;
      DESTINATION:
        if (r.fetched) begin
          tries_line = 1'b1;
          to_slot = !entry_seen.found;
          n.destination_entry = {set_of(r.destination), entry_seen.at};
          n.candidate = r.destination + 26'd1;
          if (entry_seen.found) n.look_state = SIZE;
        end
      QUIET: if (r.looks != 0) start_look();
      default: ;
    endcase
    // The row of the candidate has been read: takes the next line of the block.
    if (n.look_state == BLOCK && r.look_state != QUIET && r.fetched && line_left != 0) begin
      tries_line = 1'b1;
      n.candidate = r.candidate + 26'd1;
      line_left = line_left - 6'd1;
    end
    candidate_line();
    if (n.look_state == BLOCK) begin
      n.left = line_left;
      to_slot = line_left == 0 || n.full;
    end
    if (to_slot) next_slot();
    // Requests of the next cycle to the memories.
    n.fetched = n.state != MISS && (n.look_state == BLOCK || n.look_state == DESTINATION);
    if ((n.look_state == PAYLOAD || n.look_state == SIZE) && scratch_free && n.state != MISS) begin
      read_scratch(n.look_state == PAYLOAD ? {1'b0, n.look.entry} : SIZES + 12'(n.destination_entry[10:2]));
      n.fetched = 1'b1;
    end
    shadow_look = n.look_state == DESTINATION ? n.destination[5:0] : n.candidate[5:0];
    table_look = set_of(n.destination);
  endtask
  task start_look();
    n.look = looks[r.first_look];
    n.first_look = r.first_look + 2'd1;
    n.looks = r.looks - 3'd1;
    {n.full, n.incomplete, n.slot} = '0;
    n.look_epoch = n.epoch;
    n.candidate = n.look.line + 26'd1;
    line_left = NEXT_LINE ? 6'd1 : n.look.size;
    n.left = line_left;
    n.look_state = NEXT_LINE ? BLOCK : PAYLOAD;
  endtask
  // Takes a line to prefetch unless it is present or on its way. Each candidate takes half a cycle of the
  // prefetch queue, and a full queue takes no further candidates of the look-up.
  task candidate_line();
    ahead = n.issue - {r.look.time_, 1'b0};
    issued = ahead[12] ? {r.look.time_, 1'b0} : n.issue;
    if (tries_line && !in_flight && key != n.fill.line) begin
      if ((!ahead[12] && ahead >= QUEUED) || n.flights == 32) {n.full, n.incomplete} = 2'b11;
      else begin
        n.issue = issued + 13'd1;
        flight_pushes = !(n.missed && key == shadow_of(n.now.line)) && !way_seen.found;
      end
    end
  endtask
  task next_slot();
    n.look_state = SLOT;
    if (NEXT_LINE || ((n.payload.confidence == 0 || n.full) && n.incomplete)) n.look_state = QUIET;
    else if (n.payload.confidence == 0 || n.full) begin
      if (scratch_free) begin
        scratch_write = 8'b10 << {n.look.entry[1:0], 1'b0};
        scratch_address = SIZES + 12'(n.look.entry[10:2]);
        scratch_word = {4{r.look_epoch, 8'd0}};
        n.look_state = QUIET;
      end
    end else begin
      n.destination = widen(n.look.line, n.payload);
      if (n.payload.confidence[1:0] != 0 && n.destination != n.look.line) n.look_state = DESTINATION;
      n.payload = shift(n.payload, '0);
      n.slot = r.slot + 3'd1;
    end
  endtask
