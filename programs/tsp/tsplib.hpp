// Reads problems and writes tours in the format of TSPLIB 95 (Reinelt 1991).
#pragma once

#include <iosfwd>
#include <string>

#include "programs/tsp/problem.hpp"

namespace tsp {

/// A symmetric problem: EUC_2D, CEIL_2D, GEO, ATT, or EXPLICIT in any of its matrix formats. Throws
/// BadInput, which names the line, if it is none, or has more than `most_cities` cities.
Problem read_tsplib(std::istream& in, const std::string& name);

/// The same from a file.
Problem read_tsplib_file(const std::string& file);

/// A TOUR_SECTION with its head.
void write_tour(std::ostream& out, const std::string& name, const Tour& tour, Length length);

}  // namespace tsp
