// What the reader makes of damaged recordings: an error of one line that names file and byte, or a
// graph that can be replayed. To be run under sanitizers; `recording_fuzz [cases [first]]`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

#include "profiles/replay/read_recording.hpp"
#include "rts/inline/error.hpp"
#include "rts/trace/record.hpp"
#include "tests/fuzz/byte_damage.hpp"

namespace {

using replay::Graph;
using replay::Number;
using replay::Step;
using trawl::Bytes;
namespace format = trawl::trace::recording;

void expect(bool kept, const char* promise) {
  if (!kept) throw std::logic_error(promise);
}

bool took_a_gigabyte() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss >= 1 << 20;  // KiB
}

void write(const std::string& file, const Bytes& bytes) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

/// A recording of some tasks of each kind.
Bytes sample(const std::string& file, fuzz::ByteDamage& bits) {
  trawl::trace::Record record(file, "sample");
  std::vector<std::uint64_t> sparks;
  std::uint64_t given = 0;  // by whom
  const auto first = record.share(bits.below(3000));
  const auto second = record.share(bits.below(3000));
  for (auto tasks = 1 + bits.below(12); tasks > 0; --tasks) {
    record.work(static_cast<trawl::Nanos>(bits.below(100'000)));
    const auto call = record.spawn(1);
    sparks.push_back(record.par(2));
    record.sync(call, bits.below(300));
    record.refer(first);
    record.work(static_cast<trawl::Nanos>(bits.below(100'000)));
    sparks.push_back(record.par());
    if (bits.one_in(2)) {
      record.force(sparks.front(), 9);
      record.refer(second);
      sparks.erase(sparks.begin());
      record.work(20'000);
      record.end(7);
    }
    record.end(bits.below(300));
    record.eval(4);
    record.work(20'000);
    record.end(4);
    const auto shard = record.place(3);
    record.force(shard, 20);
    if (given != 0) record.use(given);
    record.work(static_cast<trawl::Nanos>(bits.below(30'000)));
    record.end(30, bits.below(5000));
    given = shard;
  }
  for (int site = 0; site < 3; ++site) {
    const std::uint32_t places[]{static_cast<std::uint32_t>(bits.below(1 << 30)), 4096};
    record.site(places);
  }
  record.close();
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return trawl::copy_of(std::as_bytes(std::span(text)));
}

std::size_t behind(const Bytes& bytes, std::size_t block) {
  std::uint32_t size;
  std::memcpy(&size, bytes.data() + block + 4, 4);
  return block + format::block_header_size + size;
}

/// Damages what is in a block. Its size and checksum are what they should be, so that it is looked
/// at.
void damage(Bytes& bytes, std::size_t block, fuzz::ByteDamage& bits,
            const std::vector<Bytes>& others) {
  const auto place = [&bytes](std::size_t at) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(at);
  };
  const auto begin = block + format::block_header_size;
  const auto end = behind(bytes, block);
  Bytes inside(place(begin), place(end));
  bits.damage(inside, 0, others);
  const auto size = static_cast<std::uint32_t>(inside.size());
  const auto sum = format::checksum(inside);
  std::memcpy(bytes.data() + block + 4, &size, 4);
  std::memcpy(bytes.data() + block + 8, &sum, 8);
  bytes.erase(place(begin), place(end));
  bytes.insert(place(begin), inside.begin(), inside.end());
}

/// A value that a task is given its maker was given, or makes.
void check_values(const Graph& graph) {
  const auto promise = [](bool kept) { expect(kept, "values that are known"); };
  for (Number number = 0; number < graph.tasks.size(); ++number) {
    const auto& task = graph.tasks[number];
    promise(task.given < graph.sets.size());
    auto known = graph.sets[task.given];
    if (const auto own = graph.makes.find(number); own != graph.makes.end())
      known.insert(known.end(), own->second.begin(), own->second.end());
    std::sort(known.begin(), known.end());
    promise(std::adjacent_find(known.begin(), known.end()) == known.end());
    promise(known.empty() || known.back() < graph.values.size());
    for (auto at = task.first; at < task.first + task.ops; ++at) {
      const auto op = graph.ops[at];
      if (!replay::makes(op.step())) continue;
      const auto& its = graph.sets[graph.tasks[op.task()].given];
      promise(std::includes(known.begin(), known.end(), its.begin(), its.end()));
    }
  }
  promise(graph.tasks[graph.root()].given == 0);
}

/// What replaying relies on.
void check(const Graph& graph) {
  check_values(graph);
  std::vector<int> made(graph.tasks.size()), needed(graph.tasks.size());
  std::uint64_t ops = 0;
  for (Number number = 0; number < graph.tasks.size(); ++number) {
    const auto& task = graph.tasks[number];
    expect(task.first == ops, "ops in the order of tasks");
    ops += task.ops;
    expect(ops <= graph.ops.size(), "ops that are there");
    expect(task.site < graph.sites.size(), "sites that are there");
    std::vector<Number> calls;
    for (auto at = task.first; at < ops; ++at) {
      const auto op = graph.ops[at];
      if (op.step() == Step::work) continue;
      expect(op.task() < graph.tasks.size() && op.task() != graph.root(), "tasks that are there");
      const bool is_made = replay::makes(op.step());
      const bool is_needed = replay::needs(op.step());
      made[op.task()] += is_made;
      needed[op.task()] += is_needed;
      if (op.step() == Step::use) {
        expect(op.task() < number, "what is used has a lower number");
        expect(graph.tasks[op.task()].placing != replay::Placing::none, "what is used was placed");
      }
      if (op.step() == Step::place) expect(graph.positions.contains(op.task()), "a position");
      if (is_needed) expect(op.task() < number, "what is needed has a lower number");
      if (op.step() == Step::par || op.step() == Step::place || op.step() == Step::force ||
          op.step() == Step::use)
        expect(op.place() < task.thunks, "thunks that have a place");
      if (op.step() == Step::spawn) calls.push_back(op.task());
      if (op.step() == Step::sync) expect(std::erase(calls, op.task()) == 1, "its own call");
    }
    expect(calls.empty(), "all calls synced");
  }
  for (Number number = 0; number < graph.root(); ++number)
    expect(made[number] == 1 && needed[number] == 1, "each task made and needed once");
  const auto sums = totals(graph);
  expect(sums.critical_path <= sums.work && sums.work >= 0, "a path within all work");
}

bool is_read(const std::string& file) {
  try {
    check(replay::read_recording(file));
    check(replay::read_recording(file, {30'000, 2}));
    expect(!took_a_gigabyte(), "no gigabytes for a few bytes");
    return true;
  } catch (const trawl::Error& error) {
    const std::string what = error.what();
    expect(error.exit_code() == 2, "exit code 2");
    expect(what.find(file) != what.npos, "the file is named");
    expect(std::all_of(what.begin(), what.end(), [](char c) { return c >= ' ' && c <= '~'; }),
           "one line that no terminal obeys");
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const auto cases = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 8'000;
  const auto first = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  std::string file = "/tmp/recording_fuzz.XXXXXX";
  const int made = mkstemp(file.data());
  if (made < 0) return std::perror(file.c_str()), 1;
  close(made);
  std::uint64_t values = 0;
  std::uint64_t errors = 0;
  std::vector<Bytes> seen;
  for (auto number = first; number < first + cases; ++number) {
    fuzz::ByteDamage bits(number);
    try {
      Bytes bytes = sample(file, bits);
      if (number % 64 == 0) {
        expect(is_read(file), "a sound recording is read");
        seen.push_back(bytes);
      }
      if (bits.one_in(4)) {
        bits.damage(bytes, 0, seen);
      } else {  // its events, its sites, or its shared values
        auto block = format::header_size + std::strlen("sample");
        for (auto before = bits.below(3); before > 0; --before) block = behind(bytes, block);
        damage(bytes, block, bits, seen);
      }
      write(file, bytes);
      ++(is_read(file) ? values : errors);
    } catch (const std::exception& e) {
      std::printf("case %llu, %s: %s\n", static_cast<unsigned long long>(number), file.c_str(),
                  e.what());
      return 1;
    }
  }
  unlink(file.c_str());
  std::printf("%llu values, %llu errors\n", static_cast<unsigned long long>(values),
              static_cast<unsigned long long>(errors));
  // A reader that refuses all or nothing hasn't been tested.
  return (values > 0 && errors > 0) || argc > 1 ? 0 : 1;
}
