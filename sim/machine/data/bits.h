// A set of small integers: which elements, granules or pages have been written.
#ifndef TILESIM_SIM_MACHINE_DATA_BITS_H_
#define TILESIM_SIM_MACHINE_DATA_BITS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace tilesim::machine {

// Zeros at first. What was never written of them takes no memory: a tensor of
// 2^36 elements has some that a run comes to, and 8 GiB of bits.
class Words {
 public:
  explicit Words(size_t size = 0) : size_(size) {
    if (size == 0) return;
    data_.reset(static_cast<uint64_t*>(std::calloc(size, sizeof(uint64_t))));
    if (data_ == nullptr) throw std::bad_alloc();
  }
  Words(const Words& other) : Words(other.size_) {
    if (size_ > 0) std::memcpy(data_.get(), other.begin(), size_ * 8);
  }
  Words& operator=(const Words& other) { return *this = Words(other); }
  Words(Words&& other) noexcept
      : size_(std::exchange(other.size_, 0)), data_(std::move(other.data_)) {}
  Words& operator=(Words&& other) noexcept {
    size_ = std::exchange(other.size_, 0);
    data_ = std::move(other.data_);
    return *this;
  }
  size_t size() const { return size_; }
  uint64_t& operator[](size_t i) { return data_[i]; }
  uint64_t operator[](size_t i) const { return data_[i]; }
  const uint64_t* begin() const { return data_.get(); }
  const uint64_t* end() const { return data_.get() + size_; }

 private:
  struct Free {
    void operator()(void* words) const { std::free(words); }
  };
  size_t size_;
  std::unique_ptr<uint64_t[], Free> data_;
};

class Bits {
 public:
  int64_t size() const { return size_; }
  // All false.
  void Resize(int64_t size) {
    size_ = size;
    words_ = Words((size + 63) / 64);
  }
  bool Get(int64_t i) const { return words_[i / 64] >> (i % 64) & 1; }
  void Set(int64_t first, int64_t count) {
    ForWords(first, count, [this](int64_t w, uint64_t mask) {
      words_[w] |= mask;
      return true;
    });
  }
  void Clear(int64_t first, int64_t count) {
    ForWords(first, count, [this](int64_t w, uint64_t mask) {
      words_[w] &= ~mask;
      return true;
    });
  }
  // Those of another set of the same size.
  void Add(const Bits& other) {
    for (size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  }
  bool All(int64_t first, int64_t count) const {
    return ForWords(first, count, [this](int64_t w, uint64_t mask) {
      return (words_[w] & mask) == mask;
    });
  }
  bool Any(int64_t first, int64_t count) const {
    return !ForWords(first, count, [this](int64_t w, uint64_t mask) {
      return (words_[w] & mask) == 0;
    });
  }
  // First index from `from` on whose bit is `value`, or size().
  int64_t Next(int64_t from, bool value) const {
    return Next(from, size_, value);
  }
  // The same below `end`, or `end`.
  int64_t Next(int64_t from, int64_t end, bool value) const {
    uint64_t flip = value ? 0 : ~uint64_t{0};
    for (int64_t i = from; i < end; i = (i / 64 + 1) * 64) {
      uint64_t word = (words_[i / 64] ^ flip) >> (i % 64);
      if (word != 0) return std::min(end, i + std::countr_zero(word));
    }
    return end;
  }
  int64_t Count() const {
    int64_t n = 0;
    for (uint64_t w : words_) n += std::popcount(w);
    return n;
  }

 private:
  // Calls f(word, mask) for the words of a range until it says false.
  template <typename F>
  static bool ForWords(int64_t first, int64_t count, F f) {
    for (int64_t i = first, end = first + count; i < end;) {
      int64_t n = std::min<int64_t>(64 - i % 64, end - i);
      uint64_t ones = n == 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
      if (!f(i / 64, ones << (i % 64))) return false;
      i += n;
    }
    return true;
  }

  int64_t size_ = 0;
  Words words_;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_DATA_BITS_H_
