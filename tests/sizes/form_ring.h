// A ring of stages between roles, in the spellings that kernels use.
#ifndef TILESIM_TESTS_SIZES_FORM_RING_H_
#define TILESIM_TESTS_SIZES_FORM_RING_H_

#include <cstdint>
#include <string>

#include "tests/sizes/form_writer.h"

namespace tilesim::checkers {

class FormRing : public FormWriter {
 public:
  using FormWriter::FormWriter;

  std::string Write();

 private:
  enum class Loop {
    kFlat,       // over K
    kTiles,      // K for each of T
    kParts,      // a CTA's part of K, which may be empty, for each of T
    kPeriod,     // one more in odd CTAs
    kOddOnly,    // nothing but in odd CTAs
    kPersistent  // K for each tile of the CTA
  };
  enum class Rate { kSame, kPairs, kHalves };
  // Where a slot and its phase come from: the number of the turn, or variables
  // that move on in one of several ways.
  struct Cursor {
    bool variables = false;
    int moves = 0;
  };

  void Choose();
  void Head();
  void Inits();
  void Producer();
  void Consumer(int number);
  void Last();

  void Turns(const Cursor& cursor, bool pairs, const Body& body);
  void Loops(const std::string& n, const std::string& trips, const Body& body);
  void Move(const Cursor& cursor);
  std::string Slot(const Cursor& cursor, const std::string& n);
  std::string Parity(const Cursor& cursor, const std::string& n, int flip);
  std::string ParityOf(const std::string& n, int flip, int stages);

  std::string Full(const std::string& slot) const;
  std::string Empty(const std::string& slot) const;
  void Wait(const std::string& barrier, const std::string& parity,
            const std::string& n);
  void Arrive(const std::string& barrier, const std::string& n);
  void Fill(const std::string& slot, const std::string& n);
  void Take(const Cursor& cursor, const std::string& n);
  void TakeHalves(const Cursor& cursor);
  std::string Scope(const char* order);

  int stages_ = 2, readers_ = 1, arrays_ = 0;
  Loop loop_ = Loop::kFlat;
  Rate rate_ = Rate::kSame;
  bool peers_ = false, copies_ = true, peeks_ = false, exits_ = false;
  bool rows_ = false;  // each turn has a row of the tensor of its own
  int low_ = 1;        // of K
};

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_SIZES_FORM_RING_H_
