// The files beside this one that a page is made of, as CMake has put them into the program.
#pragma once

#include <string_view>

namespace trawl::profile {

extern const std::string_view page_html;
extern const std::string_view page_css;
extern const std::string_view page_js;

}  // namespace trawl::profile
