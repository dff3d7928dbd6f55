// Bodies as plain text or CSV, a line each, read and written in parts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "programs/barnes_hut/bodies.hpp"

namespace bh {

/// What there is to know of lines that follow each other, before their bodies are used. Lines are
/// counted from 1; 0 is none. Behind a fault they are only counted.
struct TextSummary {
  std::uint64_t lines = 0;
  std::uint64_t bodies = 0;
  double time = 0;  ///< of the last comment that gives one
  bool has_time = false;
  std::uint64_t names_line = 0;  ///< names the columns, which only is right before the first body
  std::uint64_t faulty_line = 0;
  std::string fault;
};

TextSummary summary_of(const std::vector<std::string>& lines);
/// Of lines, and those behind them.
TextSummary joined(const TextSummary& a, const TextSummary& b);
/// Of a whole file. Throws programs::BadInput, `FILE:LINE: cause`.
void check_text(const std::string& file, const TextSummary& summary);
/// Of lines of a file without faults.
Bodies bodies_of(const std::vector<std::string>& lines);

/// A whole file. Throws as `check_text`.
Snapshot read_text(const std::string& file, std::string_view content);

/// The head stands before body 0. Numbers read back to the same bits.
std::string text_of(const Bodies& bodies, double time, bool csv);

}  // namespace bh
