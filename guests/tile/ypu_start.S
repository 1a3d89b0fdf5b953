# What runs when a program has no init or no finish of its own.
  .section .text.ypu_init_default, "ax"
  .weak ypu_init
  .type ypu_init, @function
ypu_init:
  ret
  .section .text.ypu_finish_default, "ax"
  .weak ypu_finish
  .type ypu_finish, @function
ypu_finish:
  ret
