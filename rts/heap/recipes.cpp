#include "rts/heap/recipes.hpp"

#include <algorithm>
#include <exception>

#include "rts/heap/failure.hpp"
#include "rts/heap/lineage.hpp"
#include "rts/inline/code.hpp"
#include "rts/inline/thunk.hpp"

namespace trawl::heap {
namespace {

/// Room for the arguments of who copies a shard, which may take the place of what has made it.
constexpr std::size_t least_bytes = 128;

/// A value that is here, with all below it, and is not large.
bool needs_nothing(Node* node) {
  if (node->state() != State::value || node->code().kept) return false;
  return node->code().plain_result != 0 || references_of(node).empty();
}

/// After a death: it was placed, or what is made from it; there it is the function that it was.
bool is_in_use(const Node* recipe) {
  return (recipe->word.load(std::memory_order_relaxed) & (Node::named | Node::waited)) != 0;
}

}  // namespace

const Recipes::Recipe* Recipes::find(Node* node) const {
  const auto found = of_.find(Hidden(node));
  return found == of_.end() || found->second->node.dead() ? nullptr : found->second.get();
}

Node* Recipes::of(Node* step) const {
  const auto* known = find(step);
  return known == nullptr ? nullptr : known->makes;
}

// Arguments may be values that refer to steps: lists of them, what is beside a shard.
Node* Recipes::instead_of(Node* node, int depth) {
  constexpr int deepest = 8;
  if (needs_nothing(node)) return node;
  if (const auto* known = find(node)) return known->makes != nullptr ? known->makes : node;
  if (node->state() != State::value || node->code().kept || depth == deepest) return node;
  const auto instead = [this, depth](Node* below) { return instead_of(below, depth + 1); };
  const auto all = references_of(node);
  const bool any = std::ranges::any_of(all, [&](Node* each) { return instead(each) != each; });
  Node* const other = any ? copy_of_value(node, instead) : nullptr;
  remember(node, other);
  return any ? other : node;
}

void Recipes::remember(Node* node, Node* recipe, int pe) {
  auto known = std::make_unique<Recipe>(node, recipe, pe);
  known->node.let_die();
  of_[Hidden(node)] = std::move(known);
}

int Recipes::place_of(Node* recipe) const {
  const auto* known = find(recipe);
  return known == nullptr ? -1 : known->pe;
}

void Recipes::note(Node* step, int pe) noexcept try {
  const Code& code = step->code();
  if (light_ || !code.step || step->state() != State::unevaluated) return;
  auto* twin = static_cast<Node*>(allocate(std::max(code.bytes, least_bytes)));
  twin->init(code, State::black_hole);
  copy_arguments(step, twin, [this](Node* node) { return instead_of(node, 0); });
  twin->init(code, State::unevaluated);
  remember(step, twin);
  remember(twin, nullptr, pe);
} catch (const std::exception&) {
}

// A recipe that leads to it would keep it for ever. (It is evaluated where somebody has been lost
// meanwhile: then it needs nothing.)
void Recipes::stays(Node* step, Node* source) {
  Node* const recipe = of(step);
  forget(step);
  const Code& code = source->code();
  if (recipe == nullptr || code.bytes > least_bytes ||
      code.result_type != recipe->code().result_type || source->state() != State::unevaluated ||
      is_in_use(recipe) || !recipe->move(State::unevaluated, State::black_hole))
    return;
  recipe->code().drop_arguments(recipe);
  recipe->init(code, State::black_hole);
  try {
    copy_arguments(source, recipe);
    recipe->init(code, State::unevaluated);
  } catch (const std::exception&) {  // it is lost, should it be needed
    failure_of(recipe) = lost_failure();
    recipe->init(code, State::exception);
  }
}

void Recipes::forget(Node* step) {
  of_.erase(Hidden(step));
}

void Recipes::sweep() {
  boost::unordered::erase_if(of_, [](const auto& each) { return each.second->node.dead(); });
}

}  // namespace trawl::heap
