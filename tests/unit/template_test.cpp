#include "trace/template.h"

#include <gtest/gtest.h>

namespace stretto::report {
namespace {

TEST(Template, texts_are_escaped_where_nobody_objects) {
    const Fields fields{{{"name", "a<b>&\"c\""}}, {}};
    EXPECT_EQ(fill("({{name}}) ({{{name}}}) ({{missing}})", fields), "(a&lt;b&gt;&amp;&quot;c&quot;) (a<b>&\"c\") ()");
}

TEST(Template, lists_repeat_what_they_hold) {
    const Fields one{{{"x", "1"}}, {{"inner", {{{{"y", "a"}}, {}}, {{{"y", "b"}}, {}}}}}}, two{{{"x", "2"}}, {}};
    const Fields fields{{}, {{"outer", {one, two}}}};
    EXPECT_EQ(fill("<{{#outer}}{{x}}[{{#inner}}{{y}}{{/inner}}]{{/outer}}>{{#none}}never{{/none}}", fields),
              "<1[ab]2[]>");
}

} // namespace
} // namespace stretto::report
