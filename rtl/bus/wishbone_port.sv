// Connects Wishbone B4, classic cycles, to one access of the registers per cycle. An access is taken in the
// first cycle of its strobe and ends in the next by ack, or by err for parts of a word and accesses that the
// registers refuse.
module wishbone_port (
    input  logic        clock, reset,
    input  logic        cyc, stb, we,
    input  logic [15:0] adr,  // in bytes
    input  logic [3:0]  sel,
    input  logic [31:0] dat_write,
    output logic [31:0] dat_read,
    output logic        ack, err,
    // registers
    output logic        write, read,
    output logic [15:0] write_address, read_address,
    output logic [31:0] write_word,
    input  logic [31:0] read_word,
    input  logic        write_refused, read_refused
);
  logic takes, whole, answers, refused;
  assign takes = cyc && stb && !answers && !reset;
  assign whole = sel == 4'hf;
  assign write = takes && we && whole;
  assign read = takes && !we && whole;
  assign {write_address, read_address} = {2{adr}};
  assign write_word = dat_write;

  always_ff @(posedge clock) begin
    answers <= takes;
    if (takes) begin
      refused <= !whole || (we ? write_refused : read_refused);
      dat_read <= read_word;
    end
    if (reset) answers <= 1'b0;
  end
  // A host that aborts a request withdraws its strobe and gets no answer.
  assign ack = answers && cyc && stb && !refused;
  assign err = answers && cyc && stb && refused;
endmodule
