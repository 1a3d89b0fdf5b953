// The wish to stop, as one flag for the whole process: set by the command line's signal handler, read where a
// thread would otherwise wait for bytes that may never come. Work that computes asks base::Progress instead.
#pragma once

namespace lento::base {

bool interrupted();
void set_interrupted(bool wanted);  // safe in a signal handler

}  // namespace lento::base
