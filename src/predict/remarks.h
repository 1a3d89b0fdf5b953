// What an answer adds in words to its figures: advice that was tried, and what was assumed of the model.
#pragma once

#include <string>
#include <vector>

#include "predict/expect/expectation.h"

namespace lento::predict {

// Names the fewest devices, `least` or more, on which a layout fits in memory.
std::string layouts_that_fit(const System& system, const Question& question, int least);

// Names a narrower precision in which a serving run fits as it is laid out, or nothing.
std::string fewer_bits_that_fit(const System& system, Question question);

// Lists what a reader may miss or take for a mistake: sizes that a config.json leaves out, formats that
// training does not keep, the cache of layers with a window, and a format of fewer bits that is slower.
std::vector<std::string> notes_on(const System& system, const Question& question, const Expectation& e);

// Returns a warning when a sequence has more tokens than the model has positions, else an empty text.
std::string positions_text(const Question& question);

}  // namespace lento::predict
