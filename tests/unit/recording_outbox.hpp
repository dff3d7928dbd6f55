// An outbox that sends nothing.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "rts/fabric/message.hpp"

namespace trawl::test {

/// Keeps what it should send.
class RecordingOutbox final : public fabric::Outbox {
 public:
  struct Letter {
    int to;
    fabric::Kind kind;
    Bytes bytes;
    template <class Message>
    Message read(const fabric::Envelope& envelope = {}) const {
      EXPECT_EQ(kind, Message::kind);
      Reader reader(std::span<const std::byte>(bytes).subspan(1));
      return Message::read(reader, envelope);
    }
  };

  Writer open(fabric::Kind kind, int) override {
    Writer message;
    message.put(kind);
    return message;
  }
  void send(int to, Writer message) override {
    const auto kind = static_cast<fabric::Kind>(message.view()[0]);
    const auto bytes = message.view();
    letters.push_back({to, kind, Bytes(bytes.begin(), bytes.end())});
  }
  Letter take() {
    auto first = std::move(letters.front());
    letters.erase(letters.begin());
    return first;
  }

  std::vector<Letter> letters;
};

}  // namespace trawl::test
