// A tile on Wishbone B4 (classic, 32 bits): 64 KiB of registers (registers.csv), the block, soft logic and an interrupt line (irq).
module tile_wishbone #(
    parameter int FIFO_BYTES = 64,
    parameter int QUEUE = 4,
    parameter int TAPS = 4
) (
    input  logic        clock, reset,
    input  logic        wb_cyc, wb_stb, wb_we,
    input  logic [15:0] wb_adr,  // in bytes
    input  logic [3:0]  wb_sel,
    input  logic [31:0] wb_dat_write,
    output logic [31:0] wb_dat_read,
    output logic        wb_ack, wb_err,
    // monitored block
    input  logic [31:0] in_valid,
    input  logic [1023:0] in_data,
    input  logic        in_has_address,
    input  logic [31:0] in_address,
    // soft logic
    input  logic [255:0] soft_words,
    output logic        soft_write,
    output logic [2:0]  soft_index,
    output logic [31:0] soft_word,
    output tile_pkg::status_t status,
    output logic        irq
);
  logic write, read, write_refused, read_refused;
  logic [15:0] write_address, read_address;
  logic [31:0] write_word, read_word;
  wishbone_port port (
      .clock, .reset, .cyc(wb_cyc), .stb(wb_stb), .we(wb_we), .adr(wb_adr), .sel(wb_sel), .dat_write(wb_dat_write),
      .dat_read(wb_dat_read), .ack(wb_ack), .err(wb_err),
      .write, .read, .write_address, .read_address, .write_word, .read_word, .write_refused,
      .read_refused
  );
  tile_host #(.FIFO_BYTES(FIFO_BYTES), .QUEUE(QUEUE), .TAPS(TAPS)) host (
      .clock, .reset, .write, .read, .write_address, .read_address, .write_word, .read_word, .write_refused,
      .read_refused, .in_valid, .in_data, .in_has_address, .in_address, .soft_words, .soft_write,
      .soft_index, .soft_word, .status, .irq
  );
endmodule
