// MEM: the targets of loads and stores in the 64 KB byte map (docs/formats/tile-isa.md). The scratchpad was
// accessed at the end of EX, and its word is available now. There is no output to the monitored block: a
// store reaches the scratchpad, the output FIFO or the soft logic.
module memory_map (
    input  logic        load, store,
    input  logic [31:0] address,
    input  logic [2:0]  funct3,
    input  logic [31:0] data_word,
    input  logic [31:0] io_word, io_valid, soft_word,
    input  logic [3:0]  status,
    input  logic [31:0] trigger_start, trigger_end, trigger_address,
    input  logic [63:0] cycle,
    input  logic [31:0] drop_count,  // of the cause that address names
    input  logic [6:0]  fifo_free,
    output logic [2:0]  fifo_bytes,
    output logic        soft_write,
    output logic        full, fault,  // a store waits for the FIFO; the access is outside the map
    output logic [31:0] load_value
);
  logic [2:0] size;
  logic misaligned, scratchpad, fifo, io, valid_bits, soft_register, control, reaches;
  assign size = funct3[1:0] == 2'd0 ? 3'd1 : funct3[1:0] == 2'd1 ? 3'd2 : 3'd4;
  assign misaligned = (size[1] && address[0]) || (size[2] && address[1:0] != 0);
  assign scratchpad = address[31:15] == 17'd1;
  assign fifo = address[31:12] == 20'h00007;
  assign io = address[31:7] == 25'h0000080;
  assign valid_bits = address[31:2] == 30'(32'h4080 >> 2);
  assign soft_register = address[31:5] == 27'(32'h5000 >> 5);
  assign control = address[31:6] == 26'(32'h6000 >> 6) && address[5:4] != 2'd3;

  assign reaches = load ? scratchpad || io || valid_bits || soft_register || control
                        : scratchpad || fifo || (soft_register && size == 3'd4);
  assign fault = (load || store) && (misaligned || !reaches);
  assign full = store && fifo && !misaligned && fifo_free < {4'd0, size};
  assign fifo_bytes = store && fifo && !fault && !full ? size : 3'd0;
  assign soft_write = store && soft_register && !fault;

  logic [31:0] word, shifted, control_word;
  always_comb begin
    case (address[5:2])
      4'd0: control_word = {28'd0, status};
      4'd1: control_word = trigger_start;
      4'd2: control_word = trigger_end;
      4'd3: control_word = trigger_address;
      4'd4: control_word = cycle[31:0];
      4'd5: control_word = cycle[63:32];
      default: control_word = drop_count;
    endcase
    word = scratchpad ? data_word : io ? io_word : valid_bits ? io_valid : soft_register ? soft_word : control_word;
    shifted = word >> {address[1:0], 3'd0};
    case (funct3)
      3'd0: load_value = {{24{shifted[7]}}, shifted[7:0]};
      3'd1: load_value = {{16{shifted[15]}}, shifted[15:0]};
      3'd4: load_value = {24'd0, shifted[7:0]};
      3'd5: load_value = {16'd0, shifted[15:0]};
      default: load_value = shifted;
    endcase
  end
endmodule
