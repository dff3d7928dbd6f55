#include "rts/fabric/ucx.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <dlfcn.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include "rts/fabric/launcher.hpp"

namespace trawl::fabric {
namespace {

/// The network device that carries traffic to other hosts: the one of the default route, else the
/// first that is up and has an address.
std::string outward_device() {
  std::ifstream routes("/proc/net/route");
  std::string line;
  while (std::getline(routes, line)) {
    std::istringstream fields(line);
    std::string device, destination;
    if (fields >> device >> destination && destination == "00000000") return device;
  }
  std::string device;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return device;
  for (const auto* each = all; each != nullptr && device.empty(); each = each->ifa_next) {
    const bool up = (each->ifa_flags & IFF_UP) != 0 && (each->ifa_flags & IFF_LOOPBACK) == 0;
    if (up && each->ifa_addr && each->ifa_addr->sa_family == AF_INET) device = each->ifa_name;
  }
  freeifaddrs(all);
  return device;
}

}  // namespace

// A list that begins with ^ says what not to use.
bool asked_for_tcp() {
  const auto transports = environment("UCX_TLS");
  return !transports.starts_with("^") && transports.find("tcp") != std::string_view::npos;
}

void choose_network_device() {
  if (std::getenv("UCX_NET_DEVICES")) return;
  const auto transports = environment("UCX_TLS");
  const bool one_host =
      !environment("PMI_SIZE").empty() && environment("PMI_SIZE") == environment("MPI_LOCALNRANKS");
  std::error_code none;
  const bool fast_network = std::filesystem::exists("/sys/class/infiniband", none);
  const bool tcp = transports.empty() ? !one_host && !fast_network : asked_for_tcp();
  if (!tcp) return;
  const auto device = one_host ? std::string("lo") : outward_device();
  if (!device.empty()) setenv("UCX_NET_DEVICES", device.c_str(), 0);
}

void avoid_rendezvous() {
  setenv("UCX_RNDV_THRESH", "inf", 0);
}

void disarm_ucx_signals() {
  if (std::getenv("UCX_ERROR_SIGNALS")) return;
  if (void* disable = dlsym(RTLD_DEFAULT, "ucs_debug_disable_signals")) {
    reinterpret_cast<void (*)()>(disable)();
  }
}

}  // namespace trawl::fabric
