// CTAs that draw numbers: each judged by itself with every number, and all of
// them side by side, schedule by schedule.
#include <string>

#include "checkers/run/ticket.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/cat.h"
#include "tests/agree/check_text.h"
#include "tests/agree/side_by_side.h"

namespace tilesim::checkers {
using run::TicketCounter;

namespace {

constexpr char kBar[] = "bar.sync 0";
constexpr char kFence[] = "fence.acq_rel.gpu";

// Two warps of each CTA store, one thread counts for both, and those for whom
// `last` holds read what all have stored.
struct Counting {
  std::string before, release, sem, acquire, after, last, word = "0";

  std::string Text(int ctas) const {
    return fmt::format(R"(kernel k target sm_90a {{
  const CTAS = {}
  global Part : u32[CTAS, 2]
  global Arrived : u32[4] zero
  grid (CTAS)
  block 64
  shared word : u32[1]
  elect {{
    st Part[cta.x, warp], 1
  }}
  {}
  thread 0 {{
    var n = 0
    {}
    atom.add.{}.gpu n, Arrived[{}], 1
    {}
    st word[0], n
  }}
  {}
  var n = 0
  ld n, word[0]
  if {} {{
    elect {{
      var part = 0
      for c in 0..CTAS {{
        ld part, Part[c, 1 - warp]
      }}
    }}
  }}
}}
)",
                       ctas, before, release, sem, word, acquire, after, last);
  }
};

TEST(Tickets, WhatIsHandedOverByCounting) {
  int wrong = 0, right = 0;
  for (const char* before : {kBar, ""}) {
    for (const char* release : {"", kFence}) {
      for (const char* sem : {"relaxed", "acquire", "release", "acq_rel"}) {
        for (const char* acquire : {"", kFence}) {
          for (const char* after : {kBar, ""}) {
            Counting c{before, release, sem, acquire, after, "n == CTAS - 1"};
            ++(WrongEitherWay(c.Text(2)) ? wrong : right);
          }
        }
      }
    }
  }
  // Both barriers, and a release and an acquire by either way.
  EXPECT_EQ(right, 9);
  EXPECT_EQ(wrong, 55);
}

TEST(Tickets, WhoMayRely) {
  for (const char* last : {"n == 1", "n == 0", "n == 2", "n >= 1", "n < 9"}) {
    for (int ctas : {2, 3}) {
      WrongEitherWay(Counting{kBar, "", "acq_rel", "", kBar, last}.Text(ctas));
    }
  }
}

// Two CTAs that count in words of their own are not ordered by it.
TEST(Tickets, InWhichWord) {
  for (const char* word : {"0", "cta.x", "cta.x / 2", "3 - cta.x"}) {
    for (const char* last : {"n == 0", "n == 1"}) {
      Counting c{kBar, "", "acq_rel", "", kBar, last, word};
      WrongEitherWay(c.Text(2));
    }
  }
}

TEST(Tickets, NoCounter) {
  // What else touches the word decides as well; a CTA that counts twice. (A
  // store of 0 may be by the last to count: docs/all_sizes.md 3.14.)
  Counting c{kBar, "", "acq_rel", "", kBar, "n == 1"};
  for (const char* also :
       {"st.relaxed.gpu Arrived[0], 1", "red.add.relaxed.gpu Arrived[0], 1"}) {
    Counting more = c;
    more.release = also;
    EXPECT_FALSE(TicketCounter::Of(*Compiled(more.Text(2)).code)) << also;
  }
  Counting by_two = c;
  std::string text = by_two.Text(2);
  text.replace(text.find("Arrived[0], 1"), 13, "Arrived[0], 2");
  EXPECT_FALSE(TicketCounter::Of(*Compiled(text).code));
  EXPECT_TRUE(TicketCounter::Of(*Compiled(c.Text(2)).code));
}

// Atomics that are none between CTAs draw no numbers, and race.
TEST(Tickets, NarrowScopes) {
  Counting c{kBar, "", "acq_rel", "", kBar, "n == 1"};
  std::string text = c.Text(2);
  text.replace(text.find("acq_rel.gpu"), 11, "acq_rel.cta");
  EXPECT_FALSE(TicketCounter::Of(*Compiled(text).code));
  EXPECT_EQ(CheckText(text, {}).verdict, Verdict::kFindings);
}

// Each of many CTAs may draw as many numbers.
TEST(Tickets, OfVeryManyNotAllAreLookedAt) {
  Counting c{kBar, "", "acq_rel", "", kBar, "n == CTAS - 1"};
  c.last = "n == 9999";
  EXPECT_EQ(CheckText(c.Text(300), {}).verdict, Verdict::kIncomplete);
}

// A negative number is another in a word.
TEST(Tickets, WordsOfNegativeNumbers) {
  EXPECT_EQ(
      CheckFile("tests/agree/programs/a_word_of_a_negative_number.tile", {})
          .verdict,
      Verdict::kIncomplete);
}

// A grid that grows: those who draw a number for which `last` holds read what
// all others have stored.
std::string Growing(const std::string& last, const std::string& grid = "N",
                    const std::string& words = "1",
                    const std::string& word = "0") {
  return fmt::format(R"(kernel k target sm_90a {{
  param N : 2.. = 2
  param M : 1.. = 2
  let me = cta.x + grid.x * (cta.y + grid.y * cta.z)
  global Part : u32[12 * M * N]
  global Arrived : u32[{}] zero
  grid ({})
  block 32
  shared word : u32[1]
  elect {{
    st Part[me], 1
    elect {{
      var n = 0
      atom.add.acq_rel.gpu n, Arrived[{}], 1
      st word[0], n
    }}
    var n = 0
    ld n, word[0]
    if {} {{
      var part = 0
      ld part, Part[0]
    }}
  }}
}}
)",
                     words, grid, word, last);
}

TEST(Tickets, ForAllSizes) {
  for (const char* last : {"n == N - 1", "n + 1 == N", "n >= N - 1", "n > N",
                           "!(n < N - 1)", "n == 7 && N == 8"}) {
    CheckReport r = CheckText(Growing(last), {});
    EXPECT_EQ(r.verdict, Verdict::kClean) << last;
    EXPECT_TRUE(r.scope.all_sizes) << last;
  }
}

TEST(Tickets, MistakesOfSomeNumbersAreFound) {
  for (const char* last :
       {"n == N - 2", "n == 0", "n == 5", "n >= N - 3", "n * 2 > N",
        "n == N - 1 || N == 9 && n == 4", "n == N - 1 || N == 90 && n == 40",
        "n == N - 1 || n == 200", "n % 3 == 2"}) {
    EXPECT_NE(CheckText(Growing(last), {}).verdict, Verdict::kClean) << last;
  }
}

// In which dimensions of the grid the CTAs of a word lie.
TEST(Tickets, HowManyCountInAWord) {
  struct Case {
    const char *grid, *words, *word, *last;
    Verdict verdict;
  };
  // What is read lies in the first CTA of the first word.
  constexpr char kFirst[] = "cta.x == 0 && ";
  for (const Case& c : {
           Case{"M, N", "M", "cta.x", "n == N - 1", Verdict::kClean},
           Case{"M, N, 3", "M", "cta.x", "n == 3 * N - 1", Verdict::kClean},
           Case{"M, N, 3", "M", "cta.x", "n == 3 * N - 2", Verdict::kFindings},
           Case{"M, 2, N", "2 * M", "cta.x * 2 + cta.y", "n == N - 1",
                Verdict::kClean},
           Case{"M, 4", "M", "cta.x", "n == 3", Verdict::kClean},
           Case{"M, 4", "M", "cta.x", "n == 2", Verdict::kFindings},
           // Some words have more than others, or who knows.
           Case{"M, 4", "2 * M", "cta.x + cta.x % 2", "n == 3",
                Verdict::kIncomplete},
       }) {
    std::string last = ir::Cat(kFirst, c.last);
    if (std::string(c.word).find("cta.y") != std::string::npos)
      last = ir::Cat("cta.y == 0 && ", last);
    CheckReport r = CheckText(Growing(last, c.grid, c.words, c.word), {});
    EXPECT_EQ(r.verdict, c.verdict) << c.grid << ": " << c.word;
  }
}

}  // namespace
}  // namespace tilesim::checkers
