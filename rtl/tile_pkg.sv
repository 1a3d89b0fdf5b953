// Names and types of the tile that several of its modules share.
package tile_pkg;
  typedef enum logic [3:0] {
    UNDEFINED = 0,
    PAUSED = 1,
    ACTIVE_PAUSED = 2,
    ACTIVE_RUNNING = 3,
    FINALIZE = 4,
    ERROR = 8
  } status_t;

  typedef enum logic [1:0] { INIT, MAIN, FINISH } region_t;

  // Commands of the host, numbered as the register COMMAND (bus/registers.csv).
  typedef enum logic [2:0] { NOTHING, IMAGE, START, STOP, PAUSE, RESUME, FINALIZING, RESET } command_t;

  typedef enum logic [2:0] { NO_FAULT, ILLEGAL_INSTRUCTION, LOAD_ADDRESS, STORE_ADDRESS, FETCH_ADDRESS } fault_t;

  typedef enum logic [4:0] {
    ILLEGAL, ALU, ALU_IMMEDIATE, LUI, AUIPC, LOAD, STORE, BRANCH, JAL, JALR, FENCE,
    HASH, HIST, HIST_IN, HIST_READ, HIST_CONFIG, EMIT, LOOP, LOOP_IMMEDIATE,
    END_MARK  // the instruction at RETURN_ADDRESS
  } kind_t;

  typedef struct packed {
    kind_t kind;
    logic [4:0] rd;       // 0 where not used
    logic [2:0] funct3;
    logic alternate;      // sra, srai
    logic immediate;      // the ALU's second operand is `value`
    logic subtract;       // what the ALU's adder does
    logic [31:0] value;   // immediate; LOOP: instructions of the body; LOOP_IMMEDIATE: count; EMIT: format; HIST_IN: pair; ILLEGAL: the word
  } decoded_t;

`ifdef RETIREMENT
  // The effects of an instruction, for proofs, valid when it leaves WB or when it faults.
  typedef struct packed {
    logic [13:0] pc;
    logic [31:0] word, a, b, next;  // operands after forwarding; where it goes on, hardware loops aside
    logic ended;                    // the region ends with it
    logic taken;
    logic [31:0] address;           // load, store, jump
    logic [3:0] lanes;              // written in the scratchpad, with what, where
    logic [31:0] written;
    logic [12:0] row;
    logic [2:0] fifo_bytes;
    logic soft_write;
    logic [31:0] stored;            // word written to the FIFO or the soft logic
    logic [31:0] found;             // the word that a load found
    logic [2:0] histogram;          // taken, configured, read
    logic emitted;
    logic [63:0] lanes_taken;
  } deed_t;
`endif

  // In simulation idle units are skipped. In synthesis every unit computes in each cycle.
`ifdef SYNTHESIS
  localparam logic PASSES_OVER = 1'b0;
`else
  localparam logic PASSES_OVER = 1'b1;
`endif

  localparam logic [13:0] RETURN_ADDRESS = 14'h2000;
  localparam logic [13:0] FINISH_ENTRY = 14'h1fc0;
  localparam logic [31:0] STACK_TOP = 32'h10000;
endpackage
