  // Misses, fills of the shadow cache, and the update of the destination that prefetched a line. Included by
  // prefetch_logic.sv.
  task start_fill();
    shadow_at = n.fill.line[5:0];
    n.state = FILL;
  endtask
  // Performs the fills that are due, or the one that the visit waits for, then continues with the visit.
  task drain();
    if (r.waits || is_due) begin
      n.fill = first;
      n.first_flight = r.first_flight + 5'd1;
      n.flights = r.flights - 6'd1;
      n.fill_prefetched = !(r.waits && first.line == shadow_of(r.now.line));
      start_fill();
      if (!n.fill_prefetched) late_line();
    end else if (r.fills) begin
      {n.fills, n.fill_prefetched, n.fill.origin.valid} = '0;
      n.fill.line = shadow_of(r.now.line);
      start_fill();
    end else if (r.checks && !r.missed) begin
      read_lines(r.now.line);
      n.state = CHECK;
    end else if (r.checks && r.pushed) begin
      n.walk = 4'd1;
      n.tries = 2'd0;
      n.state = WALK;
    end else next_visit();
  endtask
  // The request for the line that the visit waits for is on its way. If it is still in the queue, the visit
  // sends its own.
  task late_line();
    logic [11:0] wait_for;
    logic sent_before;
    wait_for = first.ready - r.clock_;
    sent_before = wait_for[11] || wait_for <= MISS_CYCLES;
    n.counts[53:36] = r.counts[53:36] + 18'(sent_before);
    if (!wait_for[11]) move_clock(sent_before ? wait_for : latency_of(r.now.stall));
    n.latency = n.clock_ - first.asked;
    n.waits = 1'b0;
    if (first.origin.valid) begin
      n.fill.origin.valid = 1'b0;
      n.judged = first.origin;
      n.judged_up = 1'b0;
      n.late = 1'b1;
      n.state = JUDGE;
    end
  endtask
  task write_origin();
    scratch_write = 8'b11 << {n.fill_at[1:0], 1'b0};
    scratch_address = ORIGINS + 12'(n.fill_at[8:2]);
    scratch_word = {4{2'd0, r.fill.origin.slot, r.fill.origin.entry}};
  endtask
  task step_fill();
    shadow_at = r.fill.line[5:0];
    case (r.state)
      MISS:
        if (!r.fetched) begin
          n.waits = in_flight;
          n.fills = !in_flight;
          n.latency = latency_of(r.now.stall);
          if (!in_flight) move_clock(n.latency);
          n.state = DRAIN;
        end
      DRAIN: drain();
      FILL: begin
        n.counts[53:36] = r.counts[53:36] + 18'(victim.prefetched);
        n.judged_up = !victim.prefetched;
        n.epoch = r.epoch + 8'd1;
        shadow_writes = 1'b1;
        n.fill_at = {r.fill.line[5:0], oldest_way};
        n.state = DRAIN;
        if (victim.asked) begin
          read_scratch(ORIGINS + 12'(n.fill_at[8:2]));
          n.state = SOURCE;
        end else if (r.fill.origin.valid) write_origin();
      end
      SOURCE: begin
        n.judged = {1'b1, lane[13:0]};
        if (r.fill.origin.valid) write_origin();
        n.state = JUDGE;
      end
      JUDGE: begin
        read_scratch({1'b0, r.judged.entry});
        n.state = CONFIDENCE;
      end
      default: begin  // CONFIDENCE
        judged_payload = decode(scratch_data);
        for (int i = 0; i < 6; i++) begin
          if (r.judged.slot == 3'(i) && judged_payload.confidence[2*i+:2] != (r.judged_up ? 2'd3 : 2'd0) &&
              judged_payload.confidence[2*i+:2] != 2'd0)
            judged_payload.confidence[2*i+:2] = judged_payload.confidence[2*i+:2] + (r.judged_up ? 2'd1 : 2'd3);
        end
        write_payload(r.judged.entry, encode(judged_payload));
        n.state = r.late ? FILL : DRAIN;
        n.late = 1'b0;
      end
    endcase
  endtask
