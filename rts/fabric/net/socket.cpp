#include "rts/fabric/net/socket.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "rts/inline/error.hpp"

namespace trawl::fabric::net {
namespace {

constexpr int waiting_to_be_accepted = 1024;
constexpr std::size_t mapped = 12;  // bytes before an IPv4 address in one of IPv6

Endpoint endpoint_of(const sockaddr* address) {
  Endpoint endpoint;
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, address, sizeof six);
    std::memcpy(endpoint.address.data(), &six.sin6_addr, endpoint.address.size());
    endpoint.port = ntohs(six.sin6_port);
  } else {
    sockaddr_in four{};
    std::memcpy(&four, address, sizeof four);
    endpoint.address[mapped - 2] = endpoint.address[mapped - 1] = 0xff;
    std::memcpy(endpoint.address.data() + mapped, &four.sin_addr, sizeof four.sin_addr);
    endpoint.port = ntohs(four.sin_port);
  }
  return endpoint;
}

in6_addr six_of(const Endpoint& endpoint) {
  in6_addr six{};
  std::memcpy(&six, endpoint.address.data(), endpoint.address.size());
  return six;
}

bool is_four(const Endpoint& endpoint) {
  const auto six = six_of(endpoint);
  return IN6_IS_ADDR_V4MAPPED(&six);
}

/// What the kernel takes.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;

  explicit Address(const Endpoint& endpoint) {
    if (is_four(endpoint)) {
      sockaddr_in four{};
      four.sin_family = AF_INET;
      four.sin_port = htons(endpoint.port);
      std::memcpy(&four.sin_addr, endpoint.address.data() + mapped, sizeof four.sin_addr);
      std::memcpy(&bytes, &four, size = sizeof four);
    } else {
      sockaddr_in6 six{};
      six.sin6_family = AF_INET6;
      six.sin6_port = htons(endpoint.port);
      six.sin6_addr = six_of(endpoint);
      std::memcpy(&bytes, &six, size = sizeof six);
    }
  }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&bytes); }
};

void set(int file, int level, int option, int value) {
  setsockopt(file, level, option, &value, sizeof value);
}

Socket::Count counted(ssize_t count) {
  if (count > 0) return {Socket::Moved::some, static_cast<std::size_t>(count)};
  const bool later = count < 0 && (errno == EAGAIN || errno == EINTR || errno == ENOBUFS);
  return {later ? Socket::Moved::none : Socket::Moved::ended};
}

}  // namespace

std::string Endpoint::text() const {
  std::array<char, INET6_ADDRSTRLEN> out{};
  const bool four = is_four(*this);
  inet_ntop(four ? AF_INET : AF_INET6, address.data() + (four ? mapped : 0), out.data(),
            out.size());
  const std::string host = out.data();
  return (four ? host : "[" + host + "]") + ":" + std::to_string(port);
}

bool Endpoint::is_loopback() const {
  const auto six = six_of(*this);
  return is_four(*this) ? address[mapped] == 127 : IN6_IS_ADDR_LOOPBACK(&six);
}

std::vector<Endpoint> find_endpoints(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto number = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), port);
  if (error != std::errc() || end != number.data() + number.size() || port == 0 || colon == 0)
    throw Error("'" + std::string(text) + "' is not HOST:PORT", 2);
  auto host = std::string(text.substr(0, colon));
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int code = getaddrinfo(host.c_str(), nullptr, &wanted, &found); code != 0)
    throw Error("the host " + host + " can't be found: " + gai_strerror(code), 2);
  std::vector<Endpoint> all;
  for (const auto* each = found; each != nullptr; each = each->ai_next) {
    all.push_back(endpoint_of(each->ai_addr));
    all.back().port = port;
  }
  freeaddrinfo(found);
  return all;
}

std::vector<Endpoint> own_endpoints(std::uint16_t port) {
  std::vector<Endpoint> outward, here;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  for (const auto* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_UP) == 0) continue;
    if (each->ifa_addr->sa_family != AF_INET && each->ifa_addr->sa_family != AF_INET6) continue;
    auto endpoint = endpoint_of(each->ifa_addr);
    endpoint.port = port;
    const auto six = six_of(endpoint);
    if (IN6_IS_ADDR_LINKLOCAL(&six)) continue;
    ((each->ifa_flags & IFF_LOOPBACK) != 0 ? here : outward).push_back(endpoint);
  }
  freeifaddrs(all);
  outward.insert(outward.end(), here.begin(), here.end());
  return outward;
}

Socket::~Socket() {
  if (file_ >= 0) close(file_);
}

Socket Socket::listening(std::uint16_t port, bool only_here) {
  constexpr int kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
  Endpoint endpoint;
  endpoint.port = port;
  Socket socket(only_here ? -1 : ::socket(AF_INET6, kind, 0));
  if (socket) {
    set(socket.file_, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  } else {  // or a kernel without IPv6
    socket = Socket(::socket(AF_INET, kind, 0));
    endpoint.address[mapped - 2] = endpoint.address[mapped - 1] = 0xff;
    if (only_here) endpoint.address[mapped] = 127, endpoint.address.back() = 1;
  }
  set(socket.file_, SOL_SOCKET, SO_REUSEADDR, 1);
  Address address(endpoint);
  if (!socket || bind(socket.file_, address.get(), address.size) != 0 ||
      listen(socket.file_, waiting_to_be_accepted) != 0)
    throw Error("cannot listen at port " + std::to_string(port) + ": " + std::strerror(errno), 2);
  return socket;
}

Socket Socket::handed_on(int file) {
  int listens = 0;
  socklen_t size = sizeof listens;
  if (getsockopt(file, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0 || listens == 0)
    throw Error("file " + std::to_string(file) + " is no socket at which PEs could be met", 2);
  fcntl(file, F_SETFD, FD_CLOEXEC);
  fcntl(file, F_SETFL, O_NONBLOCK);
  return Socket(file);
}

Socket Socket::to(const Endpoint& endpoint) {
  Address address(endpoint);
  Socket socket(::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket || (connect(socket.file_, address.get(), address.size) != 0 && errno != EINPROGRESS))
    socket.trouble_ = errno;
  set(socket.file_, IPPROTO_TCP, TCP_NODELAY, 1);
  return socket;
}

std::uint16_t Socket::port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(file_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return endpoint_of(reinterpret_cast<sockaddr*>(&address)).port;
}

std::optional<std::pair<Socket, Endpoint>> Socket::accept() const {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  auto* from = reinterpret_cast<sockaddr*>(&address);
  Socket socket(accept4(file_, from, &size, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket) return std::nullopt;
  set(socket.file_, IPPROTO_TCP, TCP_NODELAY, 1);
  return std::pair(std::move(socket), endpoint_of(from));
}

std::optional<std::string> Socket::connected() const {
  if (trouble_ != 0) return std::strerror(trouble_);
  pollfd ready{file_, POLLOUT, 0};
  if (poll(&ready, 1, 0) <= 0) return std::nullopt;
  int error = 0;
  socklen_t size = sizeof error;
  getsockopt(file_, SOL_SOCKET, SO_ERROR, &error, &size);
  return error == 0 ? std::string() : std::strerror(error);
}

Socket::Count Socket::read(std::span<std::byte> into) const noexcept {
  return counted(recv(file_, into.data(), into.size(), 0));
}

Socket::Count Socket::write(std::span<const std::byte> first,
                            std::span<const std::byte> second) const noexcept {
  const auto part = [](std::span<const std::byte> bytes) {
    return iovec{const_cast<std::byte*>(bytes.data()), bytes.size()};
  };
  std::array<iovec, 2> parts{part(first), part(second)};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = second.empty() ? 1 : 2;
  return counted(sendmsg(file_, &message, MSG_NOSIGNAL));
}

void Socket::give_up_after(Nanos silence) const noexcept {
  constexpr Nanos longest = 1'000'000'000;  // ms
  set(file_, IPPROTO_TCP, TCP_USER_TIMEOUT,
      static_cast<int>(std::min(silence / 1'000'000, longest)));
}

bool Socket::all_arrived() const noexcept {
  int unacknowledged = 0;
  return ioctl(file_, SIOCOUTQ, &unacknowledged) != 0 || unacknowledged == 0;
}

void Socket::end_writing() const noexcept {
  shutdown(file_, SHUT_WR);
}

}  // namespace trawl::fabric::net
