// A flag of the process that is set once the user has interrupted it. The signal handler of the command line
// sets it, and reads that may wait forever test it. Computations test base::Progress instead.
#pragma once

namespace lento::base {

bool interrupted();
void set_interrupted(bool wanted);  // safe in a signal handler

}  // namespace lento::base
