// Lazily shared lists and trees, made on one PE and walked from another.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

#include <CLI/CLI.hpp>
#include <trawl/trawl.hpp>
#include <unistd.h>

namespace {

using trawl::force;
using trawl::Lazy;
using trawl::lazy;

struct Cell {
  long value = 0;
  Lazy<Cell> next;
};

struct Tree {
  long value = 0;
  Lazy<Tree> left;
  Lazy<Tree> right;
};

struct Report {
  long sum = 0;
  long process = 0;  // who walked
};

Report walk_list(Lazy<Cell> at) {
  Report report{0, getpid()};
  for (; at; at = force(at).next) report.sum += force(at).value;
  return report;
}

long leaves(Lazy<Tree> at) {
  const Tree tree = force(at);
  return tree.left ? leaves(tree.left) + leaves(tree.right) : tree.value;
}

Report walk_tree(Lazy<Tree> at) {
  return {leaves(at), getpid()};
}

// The rest of the list is not evaluated before somebody goes there.
Cell count_down(long n) {
  return {n, n == 1 ? Lazy<Cell>() : lazy<count_down>(n - 1)};
}

Tree grow(long leaves) {
  return leaves == 1 ? Tree{1, {}, {}} : Tree{0, lazy<grow>(leaves / 2), lazy<grow>(leaves / 2)};
}

/// Lets another PE walk: sleeps, without a look at the runtime, until it has.
template <class Walk>
Report elsewhere(const Lazy<Walk>& walk) {
  trawl::par(walk);
  while (!walk.evaluated()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return force(walk);
}

int root(int argc, char** argv) {
  std::string kind = "list";
  long size = 1'000'000;
  CLI::App app("Walks a shared structure from another PE");
  app.add_option("kind", kind, "list, tree: evaluated; lazy-list, lazy-tree: not");
  app.add_option("size", size, "cells, or leaves");
  CLI11_PARSE(app, argc, argv);

  Lazy<Cell> list;
  Lazy<Tree> tree;
  if (kind == "list") {
    for (long i = 1; i <= size; ++i) list = Lazy<Cell>(Cell{i, list});
  } else if (kind == "lazy-list") {
    list = lazy<count_down>(size);
  } else {
    tree = lazy<grow>(size);
    if (kind == "tree") trawl::apply(tree, trawl::rdeepseq);
  }
  const auto begin = std::chrono::steady_clock::now();
  const Report report = list ? elsewhere(lazy<walk_list>(list)) : elsewhere(lazy<walk_tree>(tree));
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  const long expected = list ? size * (size + 1) / 2 : size;
  std::printf(
      "%s %s %s cells_per_second %.0f\n", kind.c_str(), report.sum == expected ? "right" : "wrong",
      report.process == getpid() ? "here" : "elsewhere", static_cast<double>(size) / time.count());
  return report.sum == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
