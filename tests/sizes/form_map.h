// CTAs that deal the tiles of a tensor out among themselves, by the index
// arithmetic that kernels use, and store or copy them.
#ifndef TILESIM_TESTS_SIZES_FORM_MAP_H_
#define TILESIM_TESTS_SIZES_FORM_MAP_H_

#include <string>

#include "tests/sizes/form_writer.h"

namespace tilesim::checkers {

class FormMap : public FormWriter {
 public:
  using FormWriter::FormWriter;

  std::string Write();

 private:
  enum class Deal {
    kFlat,        // a tile a CTA, by a quotient and a remainder
    kPlane,       // by the two dimensions of the grid
    kGroups,      // in groups of rows, of which the last may be smaller
    kPersistent,  // each CTA every so manieth
    kPieces       // each CTA a part of the row of all
  };
  enum class Copy {
    kRegisters,  // st.global
    kBulk,       // bulk.store of shared memory
    kAsync,      // cp.async of an input, then st
    kFilled      // the same of an input that ends inside the last tile
  };

  void Head();
  void Tiles();
  void Place(const std::string& tile);
  void Tile();
  void StoreInBulk();
  void CopyIn();
  // A column that is wrong if this site is.
  std::string Column(const char* right);

  Deal deal_ = Deal::kFlat;
  Copy copy_ = Copy::kRegisters;
};

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_SIZES_FORM_MAP_H_
