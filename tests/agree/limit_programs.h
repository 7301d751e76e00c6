// Programs of limits_test.cc that need no number of it.
#ifndef TILESIM_TESTS_AGREE_LIMIT_PROGRAMS_H_
#define TILESIM_TESTS_AGREE_LIMIT_PROGRAMS_H_

namespace tilesim::checkers {

inline constexpr char kTwoKernels[] = R"(kernel first target sm_90a {
  global flag : u32[1] zero
  grid (1)
  block 32
  thread 0 { st flag[0], 1 }
}
kernel second target sm_90a {
  global flag : u32[1] zero
  grid (1)
  block 32
  thread 0 {
    var x = 0
    ld x, flag[0]
    if x { st flag[0], 2 }
  }
}
)";

// The second kernel may have all tensor memory while it waits.
inline constexpr char kLateAllocation[] = R"(kernel first target sm_100a {
  grid (1)
  block 32
  shared slot : u32[1]
  tmem pool : columns 512 slot slot
  griddepcontrol.launch_dependents
  tcgen05.alloc pool
  tcgen05.relinquish_alloc_permit
  tcgen05.dealloc pool
}
kernel second target sm_100a programmatic {
  grid (1)
  block 32
  shared slot : u32[1]
  tmem pool : columns 512 slot slot
  tcgen05.alloc pool
  tcgen05.relinquish_alloc_permit
  griddepcontrol.wait
  tcgen05.dealloc pool
}
)";

inline const char kPutBack[] =
    "tests/sizes/conditions/put_back_by_the_last_but_one.tile";

}  // namespace tilesim::checkers

#endif  // TILESIM_TESTS_AGREE_LIMIT_PROGRAMS_H_
