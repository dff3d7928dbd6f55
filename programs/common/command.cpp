#include "programs/common/command.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include <CLI/CLI.hpp>

namespace programs {
namespace {

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text;
}

bool is_whole_number(std::string_view text) {
  text = without_sign(text);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// CLI11 takes nan to be within any limits, says small ones as 0, and of what is no number that it
/// is out of range.
template <class T>
std::string fault_of(const std::string& text, T low, T high) {
  T value{};
  const bool good = CLI::detail::lexical_cast(text, value);
  if constexpr (std::is_floating_point_v<T>) {
    if (!good || std::isnan(value)) return text + " is no number";
  } else {
    if (!is_whole_number(text)) return text + " is no whole number";
    // CLI11 would take it for an octal one.
    if (const auto digits = without_sign(text); digits.size() > 1 && digits[0] == '0')
      return text + " begins with a 0: leave it out";
  }
  // It would be taken for a large one.
  const bool negative = std::is_unsigned_v<T> && text.starts_with('-');
  if (good && !negative && low <= value && value <= high) return "";
  return fmt::format("Value {} not in range {} to {}", text, low, high);
}

}  // namespace

Option Option::among(const std::vector<std::string>& names) {
  option_->check(CLI::IsMember(names));
  return *this;
}

Option Option::needed() {
  option_->required();
  return *this;
}

Option Option::with_default() {
  option_->capture_default_str();
  return *this;
}

Option Option::needs(Option other) {
  option_->needs(other.option_);
  return *this;
}

Option Option::not_sequential() {
  option_->excludes("--sequential");
  return *this;
}

Option Option::excludes(Option other) {
  option_->excludes(other.option_);
  return *this;
}

bool Option::given() const {
  return option_->count() != 0;
}

Command::Command(std::string name, const std::string& what)
    : name_(std::move(name)), app_(std::make_unique<CLI::App>(what, name_)) {
  app_->set_version_flag("--version", name_ + " (Trawl " TRAWL_VERSION ")");
  const auto sequential = add_flag("--sequential", sequential_,
                                   "compute without Trawl: on one core, but for loops of here::");
  add_flag("--check", check_, "check the result").excludes(sequential);
  app_->footer("The runtime's own flags begin with --trawl: and are listed by --trawl:help.");
}

Command::~Command() = default;

template <class T>
Option Command::add_number(const std::string& name, T& into, const std::string& what, T low,
                           T high) {
  CLI::Validator range = CLI::Range(low, high);
  range.operation([low, high](const std::string& text) { return fault_of(text, low, high); });
  return Option(app_->add_option(name, into, what)->check(range));
}

#define TRAWL_NUMBER(T) \
  template Option Command::add_number(const std::string&, T&, const std::string&, T, T);
TRAWL_NUMBER(std::int32_t)
TRAWL_NUMBER(std::int64_t)
TRAWL_NUMBER(std::uint32_t)
TRAWL_NUMBER(std::uint64_t)
TRAWL_NUMBER(double)

// CLI11's transformers take the numbers behind the names too, and print them.
Option Command::add_name(const std::string& name, const std::string& what,
                         const std::vector<std::string>& names,
                         const std::function<void(const std::string&)>& take) {
  return Option(
      app_->add_option_function<std::string>(name, take, what)->check(CLI::IsMember(names)));
}

Option Command::add_text(const std::string& name, std::string& into, const std::string& what) {
  const auto nothing = [](const std::string& text) { return text.empty() ? "is empty" : ""; };
  return Option(app_->add_option(name, into, what)->check(nothing));
}

Option Command::add_texts(const std::string& name, std::vector<std::string>& into,
                          const std::string& what) {
  return Option(app_->add_option(name, into, what));
}

Option Command::add_flag(const std::string& name, bool& into, const std::string& what) {
  return Option(app_->add_flag(name, into, what));
}

void Command::before(const std::function<void()>& prepare) {
  app_->final_callback(prepare);
}

std::optional<int> Command::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::Success& asked) {  // --help, --version
    return app_->exit(asked);
  } catch (const CLI::ParseError& e) {
    // What is missing may be missing because something else is misspelt.
    const auto unexpected = app_->remaining();
    const bool is_missing = dynamic_cast<const CLI::RequiredError*>(&e) != nullptr;
    if (dynamic_cast<const CLI::ExtrasError*>(&e) != nullptr || (is_missing && !unexpected.empty()))
      return complain(
          fmt::format("not expected: {} (see {} --help)", fmt::join(unexpected, " "), name_), 2);
    std::string cause = e.what();
    std::replace(cause.begin(), cause.end(), '\n', ' ');
    return complain(fmt::format("{} (see {} --help)", cause, name_), 2);
  }
}

int Command::complain(const std::string& what, int code) const {
  std::cerr << fmt::format("{}: {}\n", name_, what);
  return code;
}

}  // namespace programs
