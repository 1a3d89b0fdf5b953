  // The entangling of a missed line with a head that ran long enough before it, and the entry's packing.
  // Included by prefetch_logic.sv.
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
  // One destination of the entry a cycle: is it the line, how short may addresses be, which is the weakest?
  task scan_slot();
    n.packed_ = packed_next;
    n.scan = r.scan + 3'd1;
    if (r.packed_.confidence[1:0] != 0) begin
      n.held = r.held + 3'd1;
      if (format_for(r.target, scanned_line) < r.fit) n.fit = format_for(r.target, scanned_line);
      if (3'(r.packed_.confidence[1:0]) < r.weakest_confidence) begin
        n.weakest = r.scan;
        n.weakest_confidence = 3'(r.packed_.confidence[1:0]);
      end
    end
  endtask
  task scanned();
    if (r.held <= r.fit) begin
      n.packed_ = {66'd0, r.fit};
      {n.scan, n.emitted, n.placed} = '0;
      n.state = PACK;
    end else if (r.tries != 3) no_room();
    else begin
      n.old.confidence = r.old.confidence & ~(12'd3 << {r.weakest, 1'b0});
      start_scan(n.old);
    end
  endtask
  // Writes the entry in the format that fits, one slot per cycle. Destinations stay in their slots where
  // possible, and the line takes the first free one.
  task pack();
    n.placed = r.placed || places;
    if (r.scan < r.old.format) begin
      n.old = shift(r.old, '0);
      n.scan = r.scan + 3'd1;
    end
    if (places || old_confidence != 0 || r.scan >= r.old.format || r.fit >= r.old.format) begin
      n.packed_ = packed_next;
      n.packed_.confidence = r.packed_.confidence | {10'd0, places ? 2'd3 : old_confidence} << {r.emitted, 1'b0};
      n.emitted = r.emitted + 3'd1;
      if (n.emitted == r.fit) n.state = PACK_WRITE;
    end
  endtask
  task step_entangle();
    case (r.state)
      WALK:
        if (r.walk == 0 || (walked_valid && walked_line == r.now.line)) begin
          if (r.tries == 0) next_visit();
          else insist();
        end else begin
          if (walked_valid && walked_for >= r.latency) begin
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
      SCAN: start_scan(r.fresh ? '0 : decode(scratch_data));
      SCAN_SLOT:
        if (r.packed_.confidence == 0) scanned();
        else if (r.packed_.confidence[1:0] != 0 && scanned_line == r.now.line) begin
          n.old.confidence = r.old.confidence | 12'd3 << {r.scan, 1'b0};
          write_payload(r.entry, encode(n.old));
          next_visit();
        end else scan_slot();
      PACK: pack();
      PACK_WRITE: begin
        write_payload(r.entry, encode(r.packed_));
        n.state = STALE;
      end
      default: begin  // STALE
        write_size(r.entry, 6'd0, {1'b1, r.fresh});
        next_visit();
      end
    endcase
  endtask
