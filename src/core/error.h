#pragma once

#include <string>

namespace attention {

/// What is wrong with a call, or nothing. The message names the argument, both values and the
/// remedy.
struct Error {
  std::string code;      ///< one word for programs: "rank", "dtype", "shape", "option", "memory", …
  std::string argument;  ///< the argument at fault: "key", "mask.lengths.keys", …
  std::string message;   ///< one sentence for people

  explicit operator bool() const { return !message.empty(); }
};

}  // namespace attention
