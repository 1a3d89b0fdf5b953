  // A line gets the oldest entry of its set. What leaves is kept when it holds more than some other entry of the set:
  // it takes the place of the next one without destinations, of one without a block where there is any.
  // Included by prefetch_logic.sv.
  task start_rescue(input line_t line, input logic then_scan);
    n.newcomer = line;
    n.then_scan = then_scan;
    {n.steps, n.place_found, n.place_sized} = '0;
    table_at = set_of(line);
    n.entry = {table_at, table_row[147:144]};
    read_lane(n.entry);
    n.state = RESCUE;
  endtask
  // An entry of the set a cycle, the oldest first.
  task rescue();
    if (r.steps == 0) begin
      n.leaving = lane;
      ends = lane[6:0] == 0;
    end else if (!lane[6] && (!r.place_found || (r.place_sized && lane[5:0] == 0))) begin
      n.place = rescued;
      n.place_found = 1'b1;
      n.place_sized = lane[5:0] != 0;
      ends = lane[5:0] == 0;
    end
    if (ends || r.steps == 15) begin
      n.place_found = n.place_found && (!n.place_sized || n.leaving[6]);
      n.state = n.place_found ? RESCUE_READ : ALLOCATE;
    end else begin
      n.steps = r.steps + 4'd1;
      read_lane({r.entry[ENTRY-1:4], rescued + 4'd1});
    end
  endtask
  task step_rescue();
    table_at = set_of(r.newcomer);
    case (r.state)
      RESCUE: rescue();
      RESCUE_READ: begin
        read_scratch({1'b0, r.entry});
        n.state = RESCUE_WRITE;
      end
      RESCUE_WRITE: begin
        write_payload({r.entry[ENTRY-1:4], r.place}, scratch_data);
        n.state = RESCUE_LANE;
      end
      RESCUE_LANE: begin
        write_lane({r.entry[ENTRY-1:4], r.place}, r.leaving);
        n.state = ALLOCATE;
      end
      default: begin  // ALLOCATE
        table_new = table_row;
        if (r.place_found) table_new[9*r.place+:9] = table_row[9*r.entry[3:0]+:9];
        table_new[9*r.entry[3:0]+:9] = tag_of(r.newcomer);
        table_new[147:144] = r.entry[3:0] + 4'd1;
        table_writes = 1'b1;
        write_payload(r.entry, 64'd0);
        n.state = r.then_scan ? SCAN : GROW_NEW;
      end
    endcase
  endtask
