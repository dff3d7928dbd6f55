#include "rts/fabric/mpi_calls.hpp"

#include <array>
#include <chrono>
#include <string>

#include "rts/inline/error.hpp"

namespace trawl::fabric {
namespace {

[[noreturn]] void fail(const std::string& doing, int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw Error("MPI failed " + doing + ": " + std::string(text.data()));
}

}  // namespace

void check(int code, const char* doing) {
  if (code != MPI_SUCCESS) fail(doing, code);
}

void check(int code, const char* doing, int pe) {
  if (code != MPI_SUCCESS) fail(doing + std::string(" PE ") + std::to_string(pe), code);
}

std::vector<Card> exchange_cards(MPI_Comm world, const Card& own) {
  int pes = 0;
  check(MPI_Comm_size(world, &pes), "to start");
  std::vector<Card> cards(static_cast<std::size_t>(pes));
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallgather(&own, sizeof own, MPI_BYTE, cards.data(), sizeof own, MPI_BYTE, world,
                       &request),
        "to start");
  const auto arrived = [&request] {
    int done = 0;
    check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "to start");
    return done != 0;
  };
  if (!wait_until(arrived, std::chrono::minutes(1)))
    throw Error("not all PEs have started: one has ended, or gets no core");
  return cards;
}

}  // namespace trawl::fabric
