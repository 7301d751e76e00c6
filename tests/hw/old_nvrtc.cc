// A libnvrtc.so.13 that has none of the functions we need.
extern "C" int nvrtcVersion(int* major, int* minor) {
  return *major = *minor = 0, 0;
}
