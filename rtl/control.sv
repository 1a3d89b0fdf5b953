// The STATUS machine (transitions: src/tile/unit/status.h), the host's commands and the running region. A
// command acts at the end of its cycle. The commands pause, resume and finalize wait while a region runs,
// and then act in this order.
module control (
    input  logic        clock, reset,
    input  tile_pkg::command_t command,
    input  logic [13:0] image_entry,
    input  logic        fault, region_end,  // from the core
    input  logic        start_main,         // an input begins main
    output tile_pkg::status_t status,
    output logic        running,
    output logic        program_end,        // main or finish returns
    output logic        image, set_start, set_stop,
    output logic        start, flush, kill, start_finish,
    output logic [13:0] entry,
    output logic        want_pause, want_finalize
);

  tile_pkg::region_t region;
  logic [13:0] main_entry;
  logic pause_waits, resume_waits, finalize_waits;
  logic want_resume, stop, running_now, may_act;
  tile_pkg::status_t after_run, after_pause, after_resume, after_all;

  assign image = command == tile_pkg::IMAGE;
  assign set_start = command == tile_pkg::START;
  assign set_stop = command == tile_pkg::STOP;
  assign stop = command == tile_pkg::RESET;
  assign want_pause = pause_waits || command == tile_pkg::PAUSE;
  assign want_resume = resume_waits || command == tile_pkg::RESUME || set_start;
  assign want_finalize = finalize_waits || command == tile_pkg::FINALIZING;

  assign program_end = region_end && region != tile_pkg::INIT;
  assign running_now = (running && !fault && !region_end) || start_main;
  assign may_act = !running_now && status != tile_pkg::ACTIVE_RUNNING;

  always_comb begin
    after_run = status;
    if (fault) after_run = tile_pkg::ERROR;
    else if (program_end) after_run = status == tile_pkg::ACTIVE_RUNNING ? tile_pkg::ACTIVE_PAUSED : tile_pkg::PAUSED;
    else if (start_main) after_run = tile_pkg::ACTIVE_RUNNING;

    after_pause = after_run;
    if (want_pause && after_run == tile_pkg::ACTIVE_PAUSED) after_pause = tile_pkg::PAUSED;
    after_resume = after_pause;
    if (want_resume && after_pause == tile_pkg::PAUSED) after_resume = tile_pkg::ACTIVE_PAUSED;
    start_finish = want_finalize && (after_resume == tile_pkg::PAUSED || after_resume == tile_pkg::ACTIVE_PAUSED);
    after_all = start_finish ? tile_pkg::FINALIZE : after_resume;
    if (!may_act) begin
      start_finish = 1'b0;
      after_all = after_run;
    end
    if (stop || image) begin
      start_finish = 1'b0;
      after_all = image ? tile_pkg::PAUSED : tile_pkg::UNDEFINED;
    end
  end

  assign start = image || start_finish || start_main;
  assign flush = start || stop;
  assign kill = image || stop;
  assign entry = image ? 14'd0 : start_finish ? tile_pkg::FINISH_ENTRY : main_entry;

  always_ff @(posedge clock) begin
    status <= after_all;
    running <= (start || running_now) && !stop;
    if (start) region <= image ? tile_pkg::INIT : start_finish ? tile_pkg::FINISH : tile_pkg::MAIN;
    if (image) main_entry <= image_entry;
    {pause_waits, resume_waits, finalize_waits} <= {want_pause, want_resume, want_finalize};
    if (stop || (may_act && !image)) {pause_waits, resume_waits, finalize_waits} <= 3'd0;
    if (reset) begin
      status <= tile_pkg::UNDEFINED;
      region <= tile_pkg::INIT;
      main_entry <= 14'd0;
      {running, pause_waits, resume_waits, finalize_waits} <= 4'd0;
    end
  end
endmodule
