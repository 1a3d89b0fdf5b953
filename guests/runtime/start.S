# All harts start here. Hart 0 runs main; the others sleep until thread_create sends a software interrupt.
    .file "start.S"
    .section .text.start, "ax"
    .globl _start
_start:
    .option push
    .option norelax
    la   gp, __global_pointer$
    .option pop
    .option arch, +zicsr
    csrr a0, mhartid
    li   t0, 0
    csrw mie, t0
    la   t1, lento_trap
    csrw mtvec, t1
    la   sp, __stacks_end
    slli t1, a0, 14              # 16 KiB of stack a hart
    sub  sp, sp, t1
    mv   tp, a0
    bnez a0, 1f
    call main
    li   t1, 0x10000004          # exit register
    sw   a0, 0(t1)
2:  j    2b
1:  call lento_idle
    j    1b

# An unexpected trap ends the run with 1000 + cause.
    .align 2
lento_trap:
    csrr a0, mcause
    addi a0, a0, 1000
    li   t1, 0x10000004
    sw   a0, 0(t1)
3:  j    3b

# void wait_for_interrupt(void): sleeps until an enabled interrupt is pending; traps stay off.
    .globl wait_for_interrupt
    .type wait_for_interrupt, @function
wait_for_interrupt:
    li   t0, 8
    csrw mie, t0
    wfi
    ret
    .size wait_for_interrupt, . - wait_for_interrupt
