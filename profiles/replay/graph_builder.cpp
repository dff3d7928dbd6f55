#include "profiles/replay/graph_builder.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "profiles/replay/positions.hpp"
#include "profiles/replay/routes.hpp"
#include "rts/inline/error.hpp"

namespace replay {

namespace format = trawl::trace::recording;
using trawl::BadBytes;
using trawl::trace::Did;

void GraphBuilder::tell(Did what, const std::uint64_t* numbers) {
  if (open_.empty()) throw BadBytes("something follows the end of the root");
  if (open_.back().kept != 0 && what != Did::end)
    throw BadBytes("a task goes on after what it keeps");
  switch (what) {
    case Did::work:
      return work(numbers[0]);
    case Did::spawn:
      return offer(Step::spawn, numbers[0]);
    case Did::par:
      return offer(Step::par, numbers[0]);
    case Did::sync:
      return need(Step::sync, numbers[0], numbers[1], numbers[2]);
    case Did::force:
      return need(Step::force, numbers[0], numbers[1], numbers[2]);
    case Did::eval:
      name(Step::eval);
      return need(Step::eval, 1, numbers[0], numbers[1]);
    case Did::end:
      return end(numbers[0]);
    case Did::refer:
      return refer(numbers[0]);
    case Did::place:
      return place(numbers[0]);
    case Did::use:
      return use(numbers[0]);
    case Did::keep:
      return keep(numbers[0]);
  }
}

void GraphBuilder::names(std::vector<std::string> all) {
  end_all();  // as they are the last
  if (!graph_.functions.empty()) throw BadBytes("names come twice");
  graph_.functions = std::move(all);
  graph_.functions.insert(graph_.functions.begin(), "root");
}

void GraphBuilder::sites(std::string file, std::string build, std::vector<Site> all) {
  end_all();  // as they are the last
  if (!graph_.sites.empty()) throw BadBytes("sites come twice");
  graph_.file = std::move(file);
  graph_.build = std::move(build);
  graph_.sites = std::move(all);
  graph_.sites.insert(graph_.sites.begin(), Site());
}

void GraphBuilder::shared(Plain<std::uint64_t> bytes) {
  end_all();  // as they are the last
  if (!graph_.values.empty()) throw BadBytes("shared values come twice");
  graph_.values = std::move(bytes);
}

void GraphBuilder::cut_short() {
  end_all();
  is_cut_ = true;
}

bool GraphBuilder::lacks_shared() const noexcept {
  return graph_.values.empty() && !references_.empty();
}

void GraphBuilder::end_all() {
  is_cut_ |= !open_.empty();
  while (!open_.empty()) end(0);
}

Graph GraphBuilder::take() {
  if (!open_.empty()) throw BadBytes("it ends before its root does");
  if (graph_.functions.empty()) name_functions();
  if (graph_.sites.empty()) graph_.sites.emplace_back();
  for (auto& task : graph_.tasks) {
    if (task.function >= graph_.functions.size()) task.function = 0;
    if (task.site >= graph_.sites.size()) task.site = 0;
  }
  for (const auto& named : named_) graph_.not_needed += named.done == none;
  renumber();
  find_positions(graph_);
  route(graph_);
  share(graph_, std::move(references_));
  return std::move(graph_);
}

void GraphBuilder::name_functions() {
  constexpr Number most = 4096;
  graph_.functions.emplace_back("root");
  if (!is_cut_) return;
  Number last = 0;
  for (const auto& task : graph_.tasks)
    if (task.function <= most) last = std::max(last, task.function);
  for (Number i = 1; i <= last; ++i)
    graph_.functions.push_back("function " + std::to_string(i) + ", whose name is lost");
}

void GraphBuilder::work(std::uint64_t time) {
  if (time == 0 || time > static_cast<std::uint64_t>(format::longest_work))
    throw BadBytes("a piece of work takes no time, or too long");
  sum_ += static_cast<Nanos>(time);
  if (sum_ > Nanos{1} << 60U) throw BadBytes("all work takes too long");
  const bool goes_on = ops_.size() > open_.back().first && ops_.back().step() == Step::work;
  if (!goes_on) return ops_.push_back(Op::work(static_cast<Nanos>(time)));
  ops_.back() = Op::work(ops_.back().time() + static_cast<Nanos>(time));
}

void GraphBuilder::offer(Step step, std::uint64_t site) {
  if (site > format::most_sites) throw BadBytes("there is no such site");
  name(step, static_cast<std::uint16_t>(site));
  ops_.push_back(Op(step, newest()));
}

void GraphBuilder::name(Step step, std::uint16_t site) {
  if (named_.size() + 2 >= format::most_tasks) throw BadBytes("it has too many tasks");
  left_ += step != Step::eval;
  named_.push_back({open_.back().task, step, site, none});
}

Number GraphBuilder::newest() const {
  return static_cast<Number>(named_.size());
}

void GraphBuilder::need(Step step, std::uint64_t back, std::uint64_t arguments,
                        std::uint64_t function) {
  if (back == 0 || back > named_.size()) throw BadBytes("it needs a task that there is not");
  const auto task = static_cast<Number>(named_.size() - back + 1);
  auto& named = named_[task - 1];
  const bool placed = step == Step::force && named.step == Step::place;
  const auto made = step == Step::sync ? Step::spawn : step == Step::force ? Step::par : step;
  if (named.step != made && !placed) throw BadBytes("a task is needed as another kind than it is");
  if (named.done != none) throw BadBytes("a task begins twice");
  if (made == Step::spawn && named.by != open_.back().task)
    throw BadBytes("a call is synced by another than its spawner");
  if (arguments > format::most_bytes) throw BadBytes("arguments are too large");
  named.done = begun;
  left_ -= step != Step::eval;
  for (auto open = open_.rbegin(); open != open_.rend() && open->named >= task; ++open)
    open->concerns = true;
  ops_.push_back(Op(step, task));
  if (function > most_functions) throw BadBytes("there is no such function");
  // Who is placed himself may be one of those that the others wait for.
  const bool is_in_placed = open_.back().is_in_placed || open_.back().placing != Placing::none;
  const auto placing = !placed        ? Placing::none
                       : is_in_placed ? Placing::by_itself
                                      : Placing::in_group;
  open_.push_back({task, ops_.size(), static_cast<std::uint32_t>(arguments),
                   static_cast<Number>(function), 0, 0, placing, newest(), graph_.tasks.size(),
                   graph_.ops.size(), left_, sum_, is_in_placed});
}

void GraphBuilder::place(std::uint64_t site) {
  offer(Step::place, site);
  for (; placers_ < open_.size(); ++placers_) open_[placers_].concerns = true;
}

void GraphBuilder::refer(std::uint64_t value) {
  auto& open = open_.back();
  if (open.task == 0 || ops_.size() != open.first)
    throw BadBytes("a value is given to a task that has begun to work");
  if (value == 0 || value > format::most_shared) throw BadBytes("there is no such value");
  if (++open.referred > format::most_referred) throw BadBytes("a task is given too many values");
  references_.push_back({open.task, static_cast<Number>(value - 1)});
}

// What is used has not been forgotten: all who had to do with its placing concern others.
void GraphBuilder::use(std::uint64_t back) {
  const auto& open = open_.back();
  const auto is_use = [](Op op) { return op.step() == Step::use; };
  const auto first = ops_.begin() + static_cast<std::ptrdiff_t>(open.first);
  if (open.placing == Placing::none || !std::all_of(first, ops_.end(), is_use))
    throw BadBytes("a result is given to a task that is not placed, or has begun to work");
  if (ops_.end() - first == static_cast<std::ptrdiff_t>(format::most_used))
    throw BadBytes("a task is given too many results");
  if (back == 0 || back > named_.size()) throw BadBytes("it uses a task that there is not");
  const auto task = static_cast<Number>(named_.size() - back + 1);
  const auto& used = named_[task - 1];
  if (used.step != Step::place || used.done >= in_place)
    throw BadBytes("it uses a task that is not placed, or has not ended");
  if (std::find_if(first, ops_.end(), [task](Op op) { return op.task() == task; }) != ops_.end())
    throw BadBytes("it uses a task twice");
  ops_.push_back(Op(Step::use, task));
}

void GraphBuilder::keep(std::uint64_t bytes) {
  auto& open = open_.back();
  if (open.placing == Placing::none) throw BadBytes("a task that is not placed keeps something");
  if (bytes == 0 || bytes > format::most_bytes) throw BadBytes("a task keeps nothing, or too much");
  open.kept = static_cast<std::uint32_t>(bytes);
}

void GraphBuilder::end(std::uint64_t result) {
  if (result > format::most_bytes) throw BadBytes("a result is too large");
  const Open open = open_.back();
  open_.pop_back();
  placers_ = std::min(placers_, open_.size());
  if (grain_.chunk > 1) groups_.erase(open.task);
  if (open.task != 0 && open.placing == Placing::none && closed(open)) {
    if (sum_ - open.sum < grain_.cut_off) return evaluate_in_place(open);
    if (grain_.chunk > 1 && joined_group(open, static_cast<std::uint32_t>(result))) return;
  }
  Task task;
  if (open.task != 0) {
    auto& named = named_[open.task - 1];
    named.done = static_cast<Number>(graph_.tasks.size());
    task.site = named.site;
  }
  task.first = graph_.ops.size();
  task.ops = static_cast<Number>(ops_.size() - open.first);
  task.arguments = open.arguments;
  task.function = open.function;
  task.result = static_cast<std::uint32_t>(result);
  task.kept = open.kept;
  task.placing = open.placing;
  graph_.ops.insert(graph_.ops.end(), ops_.begin() + static_cast<std::ptrdiff_t>(open.first),
                    ops_.end());
  ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(open.first), ops_.end());
  graph_.tasks.push_back(task);
}

bool GraphBuilder::closed(const Open& task) const {
  return !task.concerns && task.left == left_;
}

void GraphBuilder::evaluate_in_place(const Open& task) {
  forget(task);
  if (const auto whole = sum_ - task.sum; whole > 0) {
    sum_ = task.sum;
    work(static_cast<std::uint64_t>(whole));
  }
}

void GraphBuilder::forget(const Open& task) {
  ops_.erase(ops_.begin() + static_cast<std::ptrdiff_t>(task.first - 1), ops_.end());
  graph_.tasks.erase(graph_.tasks.begin() + static_cast<std::ptrdiff_t>(task.done),
                     graph_.tasks.end());
  graph_.ops.erase(graph_.ops.begin() + static_cast<std::ptrdiff_t>(task.ops), graph_.ops.end());
  named_[task.task - 1].done = in_place;
}

std::uint32_t GraphBuilder::together(std::uint64_t one, std::uint64_t other) {
  return static_cast<std::uint32_t>(std::min(one + other, format::most_bytes));
}

bool GraphBuilder::joined_group(const Open& task, std::uint32_t result) {
  const bool leaf = ops_.size() == task.first + 1 && ops_.back().step() == Step::work;
  const auto& named = named_[task.task - 1];
  if (!leaf || named.step == Step::eval) return false;
  auto& group = groups_[open_.back().task];
  const bool fits =
      group.maker == named.by && group.function == task.function && group.size < grain_.chunk;
  if (!fits) {
    group = {named.by, task.function, static_cast<Number>(graph_.tasks.size()), 1};
    return false;
  }
  auto& head = graph_.tasks[group.head];
  auto& work = graph_.ops[head.first];
  work = Op::work(work.time() + ops_.back().time());
  head.arguments = together(head.arguments, task.arguments);
  head.result = together(head.result, result);
  ++group.size;
  forget(task);
  return true;
}

void GraphBuilder::renumber() {
  for (auto& reference : references_) reference.task = named_[reference.task - 1].done;
  std::erase_if(references_, [](const Reference& each) { return each.task >= in_place; });
  auto& ops = graph_.ops;
  std::uint64_t to = 0;
  for (auto& task : graph_.tasks) {
    const auto first = std::exchange(task.first, to);
    for (auto at = first; at < first + task.ops; ++at) {
      const Op op = ops[at];
      if (op.step() == Step::work) {
        ops[to++] = op;
      } else if (const auto done = named_[op.task() - 1].done; done < in_place) {
        ops[to++] = Op(op.step(), done);
      }
    }
    task.ops = static_cast<Number>(to - task.first);
  }
  ops.erase(ops.begin() + static_cast<std::ptrdiff_t>(to), ops.end());
}

}  // namespace replay
