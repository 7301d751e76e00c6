// Compiled code that is not taken by the letter: warps of a warpgroup may come
// to setmaxnreg on lines of their own.
#ifndef TILESIM_SIM_MACHINE_REGISTERS_APART_H_
#define TILESIM_SIM_MACHINE_REGISTERS_APART_H_

namespace tilesim::machine {

class RegistersApart {
 public:
  virtual ~RegistersApart() = default;
  virtual bool MaySetRegistersApart() const = 0;
};

}  // namespace tilesim::machine

#endif  // TILESIM_SIM_MACHINE_REGISTERS_APART_H_
