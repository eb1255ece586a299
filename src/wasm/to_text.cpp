// In place of core/to_text.cpp: JavaScript writes numbers too, and C's library for that is 20 kB.

#include <emscripten/em_js.h>

#include "core/error.h"

// clang-format off
EM_JS_DEPS(to_text, "$stringToUTF8");
EM_JS(void, write_number, (double number, char* text, int size), {
  stringToUTF8(String(number), text, size);
});
// clang-format on

namespace attention {

std::string to_text(double number) {
  char text[32];  // the longest, such as -2.2250738585072014e-308, have 24 characters
  write_number(number, text, sizeof text);
  return text;
}

}  // namespace attention
