// Types and arithmetic of prefetch_logic.sv. An include and not a package: yosys 0.23 imports none.
  localparam logic [11:0] SIZES = 12'd2048, ORIGINS = 12'd2560;  // words of the scratchpad; payloads at 0
  localparam logic [11:0] MISS_CYCLES = 12'd15;
  localparam logic [7:0] FRESH = 8'd24;

  typedef logic [27:0] line_t;
  typedef enum logic [4:0] {
    IDLE, CHECK, SETTLE, GROW_TAG, GROW_SIZE, GROW_NEW, MISS, DRAIN, FILL, SOURCE, JUDGE, CONFIDENCE, MARK,
    WALK, TRY, SCAN, SCAN_SLOT, PACK, PACK_WRITE, STALE
  } state_t;
  typedef enum logic [2:0] { QUIET, OWN, PAYLOAD, BLOCK, SLOT, DESTINATION, SIZE } look_state_t;
  typedef struct packed { logic [2:0] order; logic prefetched, valid; logic [10:0] tag; } way_t;  // rank ^ way
  typedef struct packed { logic valid; logic [2:0] slot; logic [10:0] entry; } origin_t;
  typedef struct packed { logic [47:0] address; logic [11:0] confidence; logic [2:0] format; } payload_t;
  typedef struct packed { line_t line; logic [10:0] entry; logic [11:0] time_; } look_t;
  typedef struct packed { line_t line; logic [11:0] ready; origin_t origin; } flight_t;
  typedef struct packed { logic [5:0] gap; line_t line; } visit_t;
  typedef struct packed { logic found; logic [3:0] at; } found_t;
  typedef struct packed {
    state_t state;
    logic [8:0] gap;
    logic [5:0] first_waiting;
    logic [6:0] waiting;
    logic front_valid;
    logic [11:0] clock_;
    logic [12:0] issue;                // half cycles
    logic [3:0] first_flight, head_at, walk;
    logic [4:0] flights;
    visit_t now;
    logic checks, missed, pushed, grows, waits, fills;
    line_t head, grow_line, target, first_target;
    logic [5:0] extra, merged, known_size, grow_size;
    look_t asked_look;
    logic asked;
    logic [7:0] epoch;
    flight_t fill;
    logic [8:0] fill_at;
    logic fill_prefetched, victim_valid, late, judged_up;
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
    logic fetched, incomplete;
    payload_t payload;
    logic [7:0] look_epoch;
    logic [5:0] left;
    logic [2:0] slot;
    logic [10:0] destination_entry;
    logic [53:0] counts;  // 3 x 18
    logic [23:0] sent;
    logic [31:0] visits_lost;
  } registers_t;

  function automatic logic [27:0] fold(input logic [57:0] line);
    fold = {line[27:22] ^ line[33:28] ^ line[39:34] ^ line[45:40] ^ line[51:46] ^ line[57:52], line[21:0]};
  endfunction
  function automatic logic [10:0] shadow_tag(input line_t line);
    shadow_tag = line[16:6] ^ line[27:17];
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
  function automatic logic [4:0] find_way(input logic [127:0] row, input line_t line);
    find_way = 5'd0;
    for (int i = 7; i >= 0; i--) begin
      if (row[16*i+11] && row[16*i+:11] == shadow_tag(line)) find_way = {1'b1, 4'(i)};
    end
  endfunction
  function automatic logic [4:0] find_entry(input logic [143:0] tags, input line_t line);
    find_entry = 5'd0;
    for (int i = 15; i >= 0; i--) begin
      if (tags[9*i+:9] == tag_of(line)) find_entry = {1'b1, 4'(i)};
    end
  endfunction
  // `way` becomes the one used last, with these flags and tag.
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
  function automatic logic [5:0] without_stall(input logic [8:0] gap);
    logic [8:0] rest;
    rest = gap > 200 ? gap - 9'd200 : gap > 35 ? gap - 9'd35 : gap > 15 ? gap - 9'd15 : gap;
    without_stall = rest > 63 ? 6'd63 : rest[5:0];
  endfunction
  function automatic logic [2:0] format_for(input line_t head, input line_t line);
    line_t x;
    x = head ^ line;
    format_for = x[27:8] == 0 ? 3'd4 : x[27:12] == 0 ? 3'd3 : x[27:16] == 0 ? 3'd2 : {2'd0, x[27:24] == 0};
  endfunction
  function automatic logic [2:0] slots(input logic [2:0] format);
    slots = format == 4 ? 3'd6 : format + 3'd1;
  endfunction
  function automatic logic [27:0] widen(input line_t head, input logic [62:0] p);
    case (p[2:0])
      3'd0: widen = p[42:15];
      3'd1: widen = {head[27:24], p[38:15]};
      3'd2: widen = {head[27:16], p[30:15]};
      3'd3: widen = {head[27:12], p[26:15]};
      default: widen = {head[27:8], p[22:15]};
    endcase
  endfunction
  // Every slot one down.
  function automatic logic [62:0] shift(input logic [62:0] p);
    case (p[2:0])
      3'd0: shift = {48'd0, 2'd0, p[14:5], p[2:0]};
      3'd1: shift = {24'd0, p[62:39], 2'd0, p[14:5], p[2:0]};
      3'd2: shift = {16'd0, p[62:31], 2'd0, p[14:5], p[2:0]};
      3'd3: shift = {12'd0, p[62:27], 2'd0, p[14:5], p[2:0]};
      default: shift = {8'd0, p[62:23], 2'd0, p[14:5], p[2:0]};
    endcase
  endfunction
  // `line` as the highest slot, the others one down.
  function automatic logic [47:0] insert(input logic [62:0] p, input line_t line);
    case (p[2:0])
      3'd0: insert = {20'd0, line};
      3'd1: insert = {line[23:0], p[62:39]};
      3'd2: insert = {line[15:0], p[62:31]};
      3'd3: insert = {line[11:0], p[62:27]};
      default: insert = {line[7:0], p[62:23]};
    endcase
  endfunction
