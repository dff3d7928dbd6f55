// barnes_hut: gravity in three dimensions by an octree (Barnes and Hut 1986) that all PEs share
// lazily. What is computed is in the other files; here is what of it may run where.
#include <algorithm>
#include <vector>

#include <trawl/trawl.hpp>

#include "programs/barnes_hut/session.hpp"
#include "programs/common/clock.hpp"

namespace {

using namespace bh;

void append(UnitResult& whole, const UnitResult& part, std::size_t bodies) {
  whole.forces.reserve(bodies);
  whole.forces.insert(whole.forces.end(), part.forces.begin(), part.forces.end());
  whole.work += part.work;
}

// ---- in parallel -------------------------------------------------------------------------------

// All walks know the top of the tree. What is inside of a domain lies on the PE that built it,
// until a walk on another opens it: then it arrives there as a whole.
struct Forest {
  Top top;
  std::vector<trawl::Lazy<Image>> domains;
  std::vector<Unit> units;
  Settings settings;
};

class Fetched final : public Domains {
 public:
  explicit Fetched(const Forest& forest) : forest_(forest) {}
  Domain open(std::uint32_t number) override {
    const auto& domain = forest_.domains[number];
    if (!domain.evaluated()) {
      const double begin = programs::now();
      trawl::force(domain);
      waited += programs::now() - begin;
    }
    return bh::open(trawl::force(domain));
  }

 private:
  const Forest& forest_;
};

Moments root_of(trawl::Lazy<Image> domain) {
  return *open(trawl::force(domain)).root;
}

// The domains that are not here come while others are worked on. All of them: there are few, and
// walks open nearly all.
void fetch_ahead(const Forest& forest) {
  for (const auto& domain : forest.domains) trawl::fetch(domain);
}

std::size_t bodies_in(const std::vector<Unit>& units, std::uint32_t from, std::uint32_t to) {
  std::size_t count = 0;
  for (auto i = from; i < to; ++i) count += units[i].end - units[i].begin;
  return count;
}

// The forces on the bodies of the units [from, to): by divide and conquer, so that who has
// nothing to do takes large pieces of the curve, and the results come back in large pieces.
UnitResult forces_on(trawl::Lazy<Forest> shared, std::uint32_t from, std::uint32_t to) {
  const Forest& forest = trawl::force(shared);
  fetch_ahead(forest);
  if (to - from == 1) {
    Fetched domains(forest);
    return forces_on_unit(forest.top, domains, forest.units[from], forest.settings);
  }
  std::vector<trawl::Lazy<UnitResult>> parts;
  const auto count = std::min(4U, to - from);
  for (std::uint32_t i = 0; i < count; ++i)
    parts.push_back(trawl::lazy<forces_on>(shared, from + (to - from) * i / count,
                                           from + (to - from) * (i + 1) / count));
  for (auto i = count; --i > 0;) trawl::par(parts[i]);  // the oldest spark is the first to be taken
  UnitResult result;
  for (const auto& part : parts)
    append(result, trawl::force(part), bodies_in(forest.units, from, to));
  return result;
}

double evaluate_in_parallel(const Decomposition& d, const Bodies& bodies, const Take& take) {
  Forest forest{{}, {}, d.units(), d.settings};
  std::vector<trawl::Lazy<Moments>> roots;
  for (const auto& piece : d.pieces) {
    forest.domains.push_back(
        trawl::lazy<build_domain>(d.masses(bodies, piece), piece.level, d.settings));
    roots.push_back(trawl::lazy<root_of>(forest.domains.back()));
  }
  trawl::apply(roots, trawl::par_list(trawl::rseq));
  forest.top = build_top(d.pieces, d.first_keys(), trawl::force_all(roots), d.settings);
  const double built = programs::now();

  const auto forces = trawl::lazy<forces_on>(trawl::Lazy<Forest>(forest), 0U,
                                             static_cast<std::uint32_t>(forest.units.size()));
  take(trawl::force(forces));
  return built;
}

// ------------------------------------------------------------------------------------------------

class Built final : public Domains {
 public:
  explicit Built(const std::vector<Image>& images) : images_(images) {}
  Domain open(std::uint32_t number) override { return bh::open(images_[number]); }

 private:
  const std::vector<Image>& images_;
};

double evaluate_sequentially(const Decomposition& d, const Bodies& bodies, const Take& take) {
  std::vector<Image> images;
  std::vector<Moments> roots;
  for (const auto& piece : d.pieces) {
    images.push_back(build_domain(d.masses(bodies, piece), piece.level, d.settings));
    roots.push_back(*open(images.back()).root);
  }
  const Top top = build_top(d.pieces, d.first_keys(), roots, d.settings);
  const double built = programs::now();
  Built domains(images);
  UnitResult result;
  for (const Unit& unit : d.units())
    append(result, forces_on_unit(top, domains, unit, d.settings), d.order.size());
  take(result);
  return built;
}

int root(int argc, char** argv) {
  return session(argc, argv, evaluate_in_parallel, evaluate_sequentially);
}

}  // namespace

int main(int argc, char** argv) {
  return trawl::run<root>(argc, argv);
}
