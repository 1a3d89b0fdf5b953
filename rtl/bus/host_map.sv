// Byte offsets of a tile's registers. Written by rtl/bus/make_map.py from registers.csv.
package host_map;
  localparam logic [31:0] ID_VALUE = 32'h4c544f31;
  localparam logic [15:0] ID = 16'h0000;
  localparam logic [15:0] STATUS = 16'h0004;
  localparam logic [15:0] COMMAND = 16'h0008;
  localparam logic [15:0] ARGUMENT = 16'h000c;
  localparam logic [15:0] ENTRY = 16'h0010;
  localparam logic [15:0] MASK = 16'h0014;
  localparam logic [15:0] TRIGGER_START = 16'h0018;
  localparam logic [15:0] TRIGGER_END = 16'h001c;
  localparam logic [15:0] QUEUE = 16'h0020;
  localparam logic [15:0] FAULT = 16'h0024;
  localparam logic [15:0] FAULT_ADDRESS = 16'h0028;
  localparam logic [15:0] FLAGS = 16'h002c;
  localparam logic [15:0] DROPS_RUNNING = 16'h0030;
  localparam logic [15:0] DROPS_PAUSED = 16'h0034;
  localparam logic [15:0] DROPS_UNTRIGGERED = 16'h0038;
  localparam logic [15:0] DROPS_FINALIZING = 16'h003c;
  localparam logic [15:0] DROPS_ERROR = 16'h0040;
  localparam logic [15:0] WAITING = 16'h0044;
  localparam logic [15:0] OUTPUT = 16'h0048;
  localparam logic [15:0] INTERRUPT = 16'h004c;
  localparam logic [15:0] CODE = 16'h2000;
  localparam logic [15:0] DATA = 16'h8000;
endpackage
