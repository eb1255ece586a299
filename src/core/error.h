#pragma once

#include <string>
#include <type_traits>

namespace attention {

/// What is wrong with a call, or nothing. The message names the argument, both values and the
/// remedy.
struct Error {
  std::string code;      ///< one word for programs: "rank", "dtype", "shape", "option", "memory", …
  std::string argument;  ///< the argument at fault: "key", "mask.lengths.keys", …
  std::string message;   ///< one sentence for people

  explicit operator bool() const { return !message.empty(); }
};

/// The shortest text that reads back as the same number.
std::string to_text(double number);

/// Text and whole numbers one after another: sentence("there are ", 3, " keys").
template <class... Parts>
std::string sentence(const Parts&... parts) {
  std::string result;
  const auto add = [&result](const auto& part) {
    if constexpr (std::is_integral_v<std::decay_t<decltype(part)>>) {
      result += std::to_string(part);
    } else {
      result += part;
    }
  };
  (add(parts), ...);
  return result;
}

}  // namespace attention
