// Functions that CUDA, NVRTC and the C library declare as C functions, and what
// ends of names mean the same of another type: read from what NVRTC and nvcc
// 13.0 do not compile as a kernel's name.
#include "hwtests/emit/c_functions.h"

#include <algorithm>

namespace tilesim::hwtests {
namespace {

constexpr std::string_view kFunctions = R"(
a64l abort abs acos acosh aligned_alloc alloca arc4random arc4random_buf
arc4random_uniform asin asinh asprintf assert atan atan2 atanh atexit atof
atoi atol bsearch calloc canonicalize canonicalize_file_name cbrt ceil
clearenv clearerr clearerr_unlocked clock clock64 clock_gettime copysign cos
cosh cospi ctermid cyl_bessel_i0 cyl_bessel_i1 daddl ddivl dfmal div dmull
double2int dprintf drand48 drand48_r drem dsqrtl dsubl ecvt ecvt_r erand48
erand48_r erf erfc erfcinv erfcx erfinv exit exp exp10 exp2 expm1 fabs fadd
fclose fcloseall fcvt fcvt_r fdim fdiv fdivide fdopen feof feof_unlocked
ferror ferror_unlocked fflush fflush_unlocked ffma fgetc fgetc_unlocked
fgetpos fgetpos64 fgets fgets_unlocked fileno fileno_unlocked finite
flockfile floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num
fmaxmag fmemopen fmin fminimum fminimum_mag fminimum_mag_num fminimum_num
fminmag fmod fmul fopen fopen64 fopencookie fprintf fputc fputc_unlocked
fputs fputs_unlocked fread fread_unlocked free freopen freopen64 frexp
fromfp fromfpx fscanf fseek fseeko fseeko64 fsetpos fsetpos64 fsqrt fsub
ftell ftello ftello64 ftrylockfile funlockfile fwrite fwrite_unlocked gamma
gcvt getc getc_unlocked getchar getchar_unlocked getdelim getenv getline
getloadavg getpayload getpt getsubopt getw grantpt hypot ilogb initstate
initstate_r isinff isinfl isnanf isnanl j0 j1 jn jrand48 jrand48_r l64a labs
lcong48 lcong48_r ldexp ldiv lgamma lgamma_r lgammaf32_r lgammaf32x_r
lgammaf64_r lgammaf64x_r lgammaf_r lgammal_r llabs lldiv llmax llmin llogb
llrint llround log log10 log1p log2 logb lrand48 lrand48_r lrint lround
malloc mblen mbstowcs mbtowc memcpy memset mkdtemp mkostemp mkostemp64
mkostemps mkostemps64 mkstemp mkstemp64 mkstemps mkstemps64 mktemp modf
mrand48 mrand48_r nan nearbyint nextafter nextdown nexttoward nextup norm
norm3d norm4d normcdf normcdfinv nrand48 nrand48_r obstack_printf
obstack_vprintf on_exit open_memstream pclose perror popen posix_memalign
posix_openpt pow printf pselect ptsname ptsname_r putc putc_unlocked putchar
putchar_unlocked putenv puts putw qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort
qsort_r quick_exit rand rand_r random random_r rcbrt realloc reallocarray
realpath remainder remove remquo rename renameat renameat2 rewind rhypot
rint rnorm rnorm3d rnorm4d round roundeven rpmatch rsqrt scalb scalbln
scalbn scanf secure_getenv seed48 seed48_r select setbuf setbuffer setenv
setlinebuf setpayload setpayloadsig setstate setstate_r setvbuf significand
sin sincos sincospi sinh sinpi snprintf sprintf sqrt srand srand48 srand48_r
srandom srandom_r sscanf strfromd strfromf strfromf32 strfromf32x strfromf64
strfromf64x strfroml strlen strtod strtod_l strtof strtof32 strtof32_l
strtof32x strtof32x_l strtof64 strtof64_l strtof64x strtof64x_l strtof_l
strtol strtol_l strtold strtold_l strtoll_l strtoq strtoul strtoul_l
strtoull_l strtouq system tan tanh tempnam tgamma time tmpfile tmpfile64
tmpnam tmpnam_r totalorder totalordermag trunc ufromfp ufromfpx ullmax
ullmin umax umin ungetc unlockpt unsetenv va_arg va_copy va_end va_start
valloc vasprintf vdprintf vfprintf vfscanf vprintf vscanf vsnprintf vsprintf
vsscanf wcstombs wctomb y0 y1 yn
)";

constexpr std::string_view kTypes[] = {"f", "l", "f32", "f64", "f32x", "f64x"};

bool IsListed(std::string_view name) {
  constexpr std::string_view kBetween = " \n";
  for (size_t at = kFunctions.find(name); at != std::string_view::npos;
       at = kFunctions.find(name, at + 1)) {
    if (kBetween.find(kFunctions[at - 1]) != std::string_view::npos &&
        kBetween.find(kFunctions[at + name.size()]) != std::string_view::npos)
      return true;
  }
  return false;
}

}  // namespace

bool IsCFunction(std::string_view name) {
  if (IsListed(name)) return true;
  return std::any_of(std::begin(kTypes), std::end(kTypes), [&](auto type) {
    return name.size() > type.size() && name.ends_with(type) &&
           IsListed(name.substr(0, name.size() - type.size()));
  });
}

}  // namespace tilesim::hwtests
