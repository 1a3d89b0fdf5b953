// Types and arithmetic of prefetch_logic.sv. An include and not a package: yosys 0.23 imports none.
  localparam logic [11:0] SIZES = 12'd2048, ORIGINS = 12'd2560;  // words of the scratchpad; payloads at 0
  localparam logic [11:0] MISS_CYCLES = 12'd15;
  localparam logic [12:0] QUEUED = 13'd32;  // half cycles
  localparam logic [7:0] FRESH = 8'd8;

  typedef logic [25:0] line_t;
  typedef logic [16:0] shadow_t;  // identifies a line in the shadow cache: tag, set
  typedef enum logic [4:0] {
    IDLE, CHECK, SETTLE, GROW_TAG, GROW_SIZE, GROW_NEW, MISS, DRAIN, FILL, SOURCE, JUDGE, CONFIDENCE, WALK,
    TRY, SCAN, SCAN_SLOT, PACK, PACK_WRITE, STALE
  } state_t;
  typedef enum logic [2:0] { QUIET, PAYLOAD, BLOCK, SLOT, DESTINATION, SIZE } look_state_t;
  typedef struct packed { logic [2:0] order; logic prefetched, asked; logic [10:0] tag; } way_t;  // rank ^ way
  typedef struct packed { logic valid; logic [2:0] slot; logic [10:0] entry; } origin_t;
  typedef struct packed { logic [53:0] address; logic [11:0] confidence; logic [2:0] format; } payload_t;
  typedef struct packed { logic [5:0] size; line_t line; logic [10:0] entry; logic [11:0] time_; } look_t;
  typedef struct packed { shadow_t line; logic [11:0] asked, ready; origin_t origin; } flight_t;
  typedef struct packed { logic [1:0] stall; logic [3:0] gap; line_t line; } visit_t;
  typedef struct packed { logic found; logic [3:0] at; } found_t;
  typedef struct packed {
    state_t state;
    logic [8:0] gap;
    logic [6:0] first_waiting;
    logic [7:0] waiting;
    logic front_valid, shedding, newest_valid;
    logic [29:0] newest;               // gap and line of the visit whose stall is not known yet
    logic [11:0] clock_;
    logic [12:0] issue;                // half cycles
    logic [3:0] head_at, walk;
    logic [11:0] latency;              // from the request for the missed line to its fill
    logic [4:0] first_flight;
    logic [5:0] flights;
    visit_t now;
    logic checks, absent, missed, pushed, began, grows, waits, fills;
    line_t head, grow_line, target, first_target;
    logic [6:0] extra;
    logic [7:0] grow_size;
    logic [5:0] merged, known_size;
    look_t asked_look;
    logic asked;
    logic [7:0] epoch;
    flight_t fill;
    logic [8:0] fill_at;
    logic fill_prefetched, late, judged_up;
    origin_t judged;
    logic [1:0] tries;
    payload_t old, packed_;
    logic [2:0] scan, fit, weakest, weakest_confidence, held, emitted;
    logic [10:0] entry;
    logic fresh, placed;
    look_state_t look_state;
    logic [1:0] first_look;
    logic [2:0] looks;
    look_t look;
    line_t candidate, destination;
    logic fetched, incomplete, full;
    payload_t payload;
    logic [7:0] look_epoch;
    logic [5:0] left;
    logic [2:0] slot;
    logic [10:0] destination_entry;
    logic [53:0] counts;  // 3 x 18
    logic [23:0] sent;
    logic [31:0] visits_lost, stalls, stalls_lost, misses_unstalled;
  } registers_t;

  function automatic logic [25:0] fold(input logic [57:0] line);
    fold = {line[25:20] ^ line[31:26] ^ line[37:32] ^ line[43:38] ^ line[49:44] ^ line[55:50] ^ {4'd0, line[57:56]},
            line[19:0]};
  endfunction
  function automatic logic [16:0] shadow_of(input line_t line);
    shadow_of = {line[16:6] ^ {2'd0, line[25:17]}, line[5:0]};
  endfunction
  function automatic logic [15:0] mix(input line_t line);
    mix = line[15:0] ^ line[17:2] ^ line[20:5];
  endfunction
  function automatic logic [6:0] set_of(input line_t line);
    logic [15:0] mixed;
    mixed = mix(line);
    set_of = mixed[6:0];
  endfunction
  function automatic logic [8:0] tag_of(input line_t line);
    logic [15:0] mixed;
    mixed = mix(line);
    tag_of = mixed[15:7];
  endfunction
  function automatic logic [15:0] way_of(input logic [127:0] row, input logic [2:0] at);
    way_of = row[16*at+:16];
  endfunction
  function automatic logic [4:0] find_way(input logic [127:0] row, input shadow_t line);
    find_way = 5'd0;
    for (int i = 7; i >= 0; i--) begin
      if (row[16*i+:11] == line[16:6]) find_way = {1'b1, 4'(i)};
    end
  endfunction
  function automatic logic [4:0] find_entry(input logic [143:0] tags, input line_t line);
    find_entry = 5'd0;
    for (int i = 15; i >= 0; i--) begin
      if (tags[9*i+:9] == tag_of(line)) find_entry = {1'b1, 4'(i)};
    end
  endfunction
  // Marks `way` as the most recently used, with these flags and tag.
  function automatic logic [127:0] renew(input logic [127:0] row, input logic [2:0] way, input logic [12:0] rest);
    logic [2:0] old, rank;
    renew = row;
    old = row[16*way+13+:3] ^ way;
    for (int i = 0; i < 8; i++) begin
      rank = row[16*i+13+:3] ^ 3'(i);
      if (rank < old) renew[16*i+13+:3] = (rank + 3'd1) ^ 3'(i);
    end
    renew[16*way+:16] = {way, rest};
  endfunction
  // Returns the stall within a gap and the rest of it. Stalls: 0 none, 1 L2, 2 LLC, 3 DRAM.
  function automatic logic [5:0] split(input logic [8:0] gap);
    logic [1:0] stall;
    logic [8:0] rest;
    stall = gap > 200 ? 2'd3 : gap > 35 ? 2'd2 : gap > 15 ? 2'd1 : 2'd0;
    rest = gap - (stall == 3 ? 9'd200 : stall == 2 ? 9'd35 : stall == 1 ? 9'd15 : 9'd0);
    split = {stall, rest > 15 ? 4'd15 : rest[3:0]};
  endfunction
  function automatic logic [11:0] latency_of(input logic [1:0] stall);
    latency_of = stall == 3 ? 12'd200 : stall == 2 ? 12'd35 : MISS_CYCLES;
  endfunction
  // Returns the number of destinations that may share an entry whose addresses reach `line` from `head`.
  function automatic logic [2:0] format_for(input line_t head, input line_t line);
    line_t x;
    x = head ^ line;
    format_for = x[25:8] == 0 ? 3'd6 : x[25:10] == 0 ? 3'd5 : x[25:13] == 0 ? 3'd4 : x[25:18] == 0 ? 3'd3 : 3'd2;
  endfunction
  // Payloads as {address, confidence, format}: yosys 0.23 takes no struct in a function.
  // In a word: the format, addresses from the lowest bit up, confidences from the highest down.
  function automatic logic [68:0] decode(input logic [63:0] word);
    decode[2:0] = word[2:0];
    for (int i = 0; i < 6; i++) decode[3+2*i+:2] = 3'(i) < word[2:0] ? word[62-2*i+:2] : 2'd0;
    decode[62:15] = word[2:0] == 0 ? 48'd0 : word[50:3];
    decode[64:63] = word[2:0] == 0 || word[2:0] == 6 ? 2'd0 : word[52:51];
    decode[66:65] = word[2:0] == 0 || word[2:0] >= 5 ? 2'd0 : word[54:53];
    decode[68:67] = word[2:0] == 3 ? word[56:55] : 2'd0;
  endfunction
  function automatic logic [63:0] encode(input logic [68:0] p);
    logic [63:0] top;
    top = 64'd0;
    for (int i = 0; i < 6; i++) top[62-2*i+:2] = p[3+2*i+:2];
    encode = top | {7'd0, p[68:15], p[2:0]};
  endfunction
  function automatic logic [25:0] widen(input line_t head, input logic [68:0] p);
    case (p[2:0])
      3'd6: widen = {head[25:8], p[22:15]};
      3'd5: widen = {head[25:10], p[24:15]};
      3'd4: widen = {head[25:13], p[27:15]};
      3'd3: widen = {head[25:18], p[32:15]};
      default: widen = p[40:15];
    endcase
  endfunction
  // Moves every slot one down. `line` becomes the highest slot of its format.
  function automatic logic [68:0] shift(input logic [68:0] p, input line_t line);
    shift[14:0] = {2'd0, p[14:5], p[2:0]};
    case (p[2:0])
      3'd6: shift[68:15] = {6'd0, line[7:0], p[62:23]};
      3'd5: shift[68:15] = {4'd0, line[9:0], p[64:25]};
      3'd4: shift[68:15] = {2'd0, line[12:0], p[66:28]};
      3'd3: shift[68:15] = {line[17:0], p[68:33]};
      default: shift[68:15] = {2'd0, line, p[66:41]};
    endcase
  endfunction
