#include <doctest/doctest.h>

#include "core/attention.h"
#include "json.h"

namespace attention {
namespace {

TEST_CASE("describe() is JSON that says what the tables say") {
  const Json json = JsonReader::read(describe().c_str());

  REQUIRE(json["options"].items.size() == option_fields.size());
  for (std::size_t n = 0; n < option_fields.size(); ++n) {
    const Json& option = json["options"].items[n];
    CHECK(option["name"].text == option_fields[n].name);
    CHECK(option["typescript"].text == option_fields[n].typescript);
    CHECK(option["default"].text == option_fields[n].fallback);
    CHECK(option["doc"].text == option_fields[n].doc);
  }

  REQUIRE(json["masks"].items.size() == rule_kinds().size());
  for (std::size_t n = 0; n < rule_kinds().size(); ++n) {
    const RuleKind& kind = rule_kinds()[n];
    const Json& mask = json["masks"].items[n];
    CHECK(mask["kind"].text == kind.name);
    CHECK(mask["doc"].text == kind.doc);
    CHECK(mask["usesPositions"].type == Json::boolean);
    CHECK(mask["usesPositions"].number_value == kind.uses_positions);
    REQUIRE(mask["fields"].items.size() == kind.fields.size());
    for (std::size_t f = 0; f < kind.fields.size(); ++f) {
      const Json& field = mask["fields"].items[f];
      CHECK(field["name"].text == kind.fields[f].name);
      CHECK(field["type"].text != "");
      CHECK(field["typescript"].text == kind.fields[f].typescript);
      CHECK(field["default"].text == kind.fields[f].fallback);
      CHECK(field["doc"].text == kind.fields[f].doc);
    }
  }

  REQUIRE(json["dtypes"].items.size() == dtypes.size());
  CHECK(json["dtypes"].items[2]["name"].text == "float16");
  CHECK(json["dtypes"].items[2]["bytes"].number_value == 2);

  const std::vector<std::string> names = {"scores",  "scaled",  "capped",       "biased",
                                          "masked",  "rowMax",  "exponentials", "rowSum",
                                          "weights", "dropped", "output"};
  REQUIRE(json["steps"].items.size() == names.size());
  for (std::size_t n = 0; n < names.size(); ++n) {
    CHECK(json["steps"].items[n]["name"].text == names[n]);
  }
  CHECK(json["steps"].items[2]["option"].text == "softcap");
  CHECK(json["steps"].items[5]["shape"].text == "[B, H, T]");
  CHECK(json["steps"].items[10]["shape"].text == "[B, H, T, d_v]");
}

}  // namespace
}  // namespace attention
