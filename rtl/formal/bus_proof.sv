// Properties of the three bus ports for any host that keeps the rules of its bus: an answer stays until it
// is taken, each accepted request has one answer of its kind in the next cycle, and it reaches the registers
// at most once and unchanged. The registers answer anything.
module axi_lite_proof (
    input logic clock, reset,
    input logic awvalid, wvalid, bready, arvalid, rready,
    input logic [15:0] awaddr, araddr,
    input logic [31:0] wdata, read_word,
    input logic [3:0] wstrb,
    input logic write_refused, read_refused
);
  logic awready, wready, bvalid, arready, rvalid, write, read;
  logic [1:0] bresp, rresp;
  logic [31:0] rdata, write_word;
  logic [15:0] write_address, read_address;
  axi_lite_port port (.*);

  logic begun = 1'b0, owed_write, owed_read;
  logic was_reset, was_aw, was_w, was_ar, was_b, was_r, took_write, took_read, was_bad_write, was_bad_read;
  logic [51:0] sent_write;
  logic [15:0] sent_read;
  logic [31:0] was_rdata, was_word;
  logic [1:0] was_bresp, was_rresp;
  always_ff @(posedge clock) begin
    begun <= 1'b1;
    was_reset <= reset;
    {was_aw, was_w, was_ar} <= {awvalid && !awready, wvalid && !wready, arvalid && !arready};
    {was_b, was_r} <= {bvalid && !bready, rvalid && !rready};
    {took_write, took_read} <= {awvalid && awready && wvalid && wready, arvalid && arready};
    was_bad_write <= wstrb != 4'hf || write_refused;
    was_bad_read <= read_refused;
    sent_write <= {awaddr, wdata, wstrb};
    sent_read <= araddr;
    {was_rdata, was_bresp, was_rresp, was_word} <= {rdata, bresp, rresp, read_word};
    owed_write <= !reset && ((awvalid && awready) || (owed_write && !(bvalid && bready)));
    owed_read <= !reset && ((arvalid && arready) || (owed_read && !(rvalid && rready)));
  end
  // The host: what is offered stays, AMBA AXI A3.2.1.
  always_comb begin
    assume (begun || reset);
    if (begun && !was_reset) begin
      if (was_aw) assume (awvalid && awaddr == sent_write[51:36]);
      if (was_w) assume (wvalid && wdata == sent_write[35:4] && wstrb == sent_write[3:0]);
      if (was_ar) assume (arvalid && araddr == sent_read);
    end
  end
  always_comb begin
    if (begun) begin
      if (was_reset) assert (!bvalid && !rvalid);
      else begin
        if (was_b) assert (bvalid && bresp == was_bresp);
        if (was_r) assert (rvalid && rresp == was_rresp && rdata == was_rdata);
        assert (bvalid == owed_write && rvalid == owed_read);
        if (took_write) assert (bvalid && bresp == (was_bad_write ? 2'b10 : 2'b00));
        if (took_read) assert (rvalid && rresp == (was_bad_read ? 2'b10 : 2'b00) && rdata == was_word);
      end
      assert (awready == wready);
      if (write) assert (awvalid && awready && wstrb == 4'hf && write_address == awaddr && write_word == wdata);
      if (read) assert (arvalid && arready && read_address == araddr);
      // Nobody waits for what is free.
      if (!reset && awvalid && wvalid && bready) assert (awready && wready && write == (wstrb == 4'hf));
      if (!reset && arvalid && rready) assert (arready && read);
    end
  end
endmodule

module wishbone_proof (
    input logic clock, reset,
    input logic cyc, stb, we,
    input logic [15:0] adr,
    input logic [3:0] sel,
    input logic [31:0] dat_write, read_word,
    input logic write_refused, read_refused
);
  logic ack, err, write, read;
  logic [31:0] dat_read, write_word;
  logic [15:0] write_address, read_address;
  wishbone_port port (.*);

  logic begun = 1'b0, was_reset, was_strobe, was_end, was_bad, reached;
  logic [31:0] was_word;
  logic [53:0] sent;
  always_ff @(posedge clock) begin
    begun <= 1'b1;
    was_reset <= reset;
    was_strobe <= cyc && stb;
    was_end <= ack || err;
    was_bad <= sel != 4'hf || (we ? write_refused : read_refused);
    was_word <= read_word;
    sent <= {we, adr, sel, dat_write, 1'b0};
    reached <= write || read;
  end
  always_comb begin
    assume (begun || reset);
    // The host: a strobe and its request stay until the cycle ends (B4, 3.1.3).
    if (begun && !was_reset && was_strobe && !was_end)
      assume (cyc && stb && sent == {we, adr, sel, dat_write, 1'b0});
  end
  always_comb begin
    if (begun) begin
      assert (!(ack && err));
      if (ack || err) assert (cyc && stb && !was_reset);
      if (!was_reset && was_strobe && !was_end) assert ((ack && !was_bad) || (err && was_bad));
      if (!was_reset && was_strobe && !was_end && ack && !we) assert (dat_read == was_word);
      if (ack || err) assert (!write && !read);  // an access reaches the registers once
      if (write) assert (we && sel == 4'hf && write_address == adr && write_word == dat_write);
      if (read) assert (!we && sel == 4'hf && read_address == adr);
      if (!was_reset && ack) assert (reached);
    end
  end
endmodule

module tilelink_proof (
    input logic clock, reset,
    input logic a_valid, d_ready, a_corrupt,
    input logic [2:0] a_opcode,
    input logic [1:0] a_size,
    input logic [7:0] a_source,
    input logic [15:0] a_address,
    input logic [3:0] a_mask,
    input logic [31:0] a_data, read_word,
    input logic write_refused, read_refused
);
  logic a_ready, d_valid, d_denied, d_corrupt, write, read;
  logic [2:0] d_opcode;
  logic [1:0] d_size;
  logic [7:0] d_source;
  logic [31:0] d_data, write_word;
  logic [15:0] write_address, read_address;
  tilelink_port #(.SOURCE_BITS(8)) port (.*);

  logic begun = 1'b0, was_reset, was_a, was_d, took, owed, was_bad, was_get;
  logic [65:0] sent;
  logic [46:0] was_answer;
  logic [31:0] was_word;
  always_ff @(posedge clock) begin
    begun <= 1'b1;
    was_reset <= reset;
    was_a <= a_valid && !a_ready;
    was_d <= d_valid && !d_ready;
    took <= a_valid && a_ready;
    owed <= !reset && ((a_valid && a_ready) || (owed && !(d_valid && d_ready)));
    was_get <= a_opcode == 3'd4;
    was_bad <= a_size != 2'd2 || a_mask != 4'hf || (a_opcode == 3'd4 ? read_refused : a_corrupt || write_refused);
    sent <= {a_opcode, a_size, a_source, a_address, a_mask, a_data, a_corrupt};
    was_answer <= {d_opcode, d_size, d_source, d_denied, d_data, d_corrupt};
    was_word <= read_word;
  end
  always_comb begin
    assume (begun || reset);
    if (a_valid) assume (a_opcode == 3'd0 || a_opcode == 3'd1 || a_opcode == 3'd4);  // UL has these
    if (begun && !was_reset && was_a)
      assume (a_valid && sent == {a_opcode, a_size, a_source, a_address, a_mask, a_data, a_corrupt});
  end
  always_comb begin
    if (begun) begin
      if (was_reset) assert (!d_valid);
      else begin
        assert (d_valid == owed);
        if (was_d) assert (d_valid && was_answer == {d_opcode, d_size, d_source, d_denied, d_data, d_corrupt});
        if (took) begin
          assert (d_valid && d_source == sent[60:53] && d_size == sent[62:61]);
          assert (d_opcode == {2'd0, was_get} && d_denied == was_bad && d_corrupt == (was_bad && was_get));
          if (was_get && !was_bad) assert (d_data == was_word);
        end
      end
      if (write) assert (a_valid && a_ready && a_opcode != 3'd4 && a_mask == 4'hf && !a_corrupt && write_address == a_address && write_word == a_data);
      if (read) assert (a_valid && a_ready && a_opcode == 3'd4 && a_size == 2'd2 && read_address == a_address);
      assert (!(write && read));
      if (!reset && a_valid && d_ready) assert (a_ready);
    end
  end
endmodule
