// Random programs on our interpreter and on qemu-riscv32: registers and memory must be equal at the end.
// LENTO_RISCV_DIFFERENTIAL=N runs N programs of 10,000 instructions (default 10).
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/rng.h"
#include "riscv/machine.h"

namespace lento::riscv {
namespace {

constexpr uint32_t kCode = 0x10000;
constexpr uint32_t kDataBytes = 4096;
// registers the generator keeps for itself
constexpr uint8_t kBase = 31;
constexpr uint8_t kPointer = 30;

// Assembles one straight program with forward branches that ends by writing its memory to standard output.
class Generator {
 public:
  explicit Generator(uint64_t seed)
      : rng_(seed, "riscv.differential") {
  }

  std::string program(int length) {
    const size_t base_at = words_.size();
    words_.resize(base_at + 2);  // li kBase, data: patched below
    for (uint8_t r = 1; r < kPointer; ++r)
      load_constant(r, uint32_t(rng_.next()));
    for (int i = 0; i < length; ++i)
      one();
    for (int i = 0; i < 4; ++i)
      emit({Op::Addi});  // landing place of the last branches
    for (uint8_t r = 1; r < kPointer; ++r)
      emit({Op::Sw, 0, kBase, r, 4 * r - 128});
    finish();
    const uint32_t data = kCode + 84 + 4 * uint32_t(words_.size()) + 2048;
    const uint32_t high = (data + 0x800) & 0xfffff000;
    words_[base_at] = encode({Op::Lui, kBase, 0, 0, int32_t(high)});
    words_[base_at + 1] = encode({Op::Addi, kBase, kBase, 0, int32_t(data - high)});
    return std::string(reinterpret_cast<const char*>(words_.data()), 4 * words_.size());
  }

 private:
  void emit(const Instruction& n) {
    words_.push_back(encode(n));
  }
  uint8_t any() {
    return uint8_t(rng_.below(kPointer));
  }
  Op pick(Op first, Op last) {
    return static_cast<Op>(int(first) + rng_.below(int(last) - int(first) + 1));
  }

  void load_constant(uint8_t r, uint32_t value) {
    if (rng_.below(4) == 0)
      value = rng_.below(2) ? 0x80000000u : uint32_t(rng_.below(5)) - 2;  // corners
    emit({Op::Lui, r, 0, 0, int32_t((value + 0x800) & 0xfffff000)});
    emit({Op::Addi, r, r, 0, int32_t(value << 20) >> 20});
  }

  // kPointer = data + a random multiple of `align` below 1,024.
  void point(int align) {
    emit({Op::Andi, kPointer, any(), 0, 1023 & -align});
    emit({Op::Add, kPointer, kPointer, kBase, 0});
  }

  void one() {
    switch (rng_.below(10)) {
      case 0:
      case 1:
      case 2:
        emit({pick(Op::Add, Op::Remu), any(), any(), any(), 0});
        break;
      case 3:
      case 4:
        immediate();
        break;
      case 5:
        point(1);
        emit({pick(Op::Lb, Op::Lhu), any(), kPointer, 0, int32_t(rng_.below(1024)) - 512});
        break;
      case 6:
        point(1);
        emit({pick(Op::Sb, Op::Sw), 0, kPointer, any(), int32_t(rng_.below(1024)) - 512});
        break;
      case 7:
        over({pick(Op::Beq, Op::Bgeu), 0, any(), any(), 0}, 4);
        break;
      case 8:
        upper();
        break;
      default:
        atomic();
        break;
    }
  }

  // A jump over 0 to 3 harmless instructions, so that no sequence below is entered in its middle.
  void over(Instruction jump, int32_t distance) {
    const int skipped = int(rng_.below(4));
    jump.imm = distance + 4 * skipped;
    emit(jump);
    for (int i = 0; i < skipped; ++i)
      immediate();
  }

  void immediate() {
    const Op op = pick(Op::Addi, Op::Srai);
    const bool shift = op >= Op::Slli;
    emit({op, any(), any(), 0, shift ? int32_t(rng_.below(32)) : int32_t(rng_.below(4096)) - 2048});
  }

  void upper() {
    const int32_t value = int32_t(rng_.next() & 0xfffff000u);
    switch (rng_.below(4)) {
      case 0:
        emit({Op::Lui, any(), 0, 0, value});
        break;
      case 1:
        emit({Op::Auipc, any(), 0, 0, value});
        break;
      case 2:
        over({Op::Jal, any()}, 4);
        break;
      default:
        emit({Op::Auipc, kPointer, 0, 0, 0});
        over({Op::Jalr, any(), kPointer}, 8);
    }
  }

  void atomic() {
    point(4);
    if (rng_.below(3) == 0) {
      emit({Op::LrW, any(), kPointer, 0, 0});
      emit({Op::ScW, any(), kPointer, any(), 0});
    } else {
      emit({pick(Op::AmoswapW, Op::AmomaxuW), any(), kPointer, any(), 0});
    }
  }

  void finish() {  // write(1, data - 1024, 4096); exit(0)
    emit({Op::Addi, 10, 0, 0, 1});
    emit({Op::Addi, 11, kBase, 0, -1024});
    emit({Op::Lui, 12, 0, 0, kDataBytes});
    emit({Op::Addi, 17, 0, 0, 64});
    emit({Op::Ecall});
    emit({Op::Addi, 10, 0, 0, 0});
    emit({Op::Addi, 17, 0, 0, 93});
    emit({Op::Ecall});
  }

  base::Rng rng_;
  std::vector<uint32_t> words_;
};

void put(std::string& out, size_t at, uint32_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    out[at + i] = char(value >> (8 * i));
}

// The smallest ELF file: one segment that holds the header, the code and room for the data.
std::string elf_of(const std::string& code) {
  std::string out(84, '\0');
  out.replace(0, 7, "\177ELF\1\1\1");
  put(out, 16, 2, 2), put(out, 18, 243, 2), put(out, 20, 1, 4);
  put(out, 24, kCode + 84, 4), put(out, 28, 52, 4), put(out, 40, 52, 2), put(out, 42, 32, 2),
      put(out, 44, 1, 2);
  put(out, 52, 1, 4), put(out, 60, kCode, 4), put(out, 64, kCode, 4);
  put(out, 68, uint32_t(84 + code.size()), 4);
  put(out, 72, uint32_t(84 + code.size() + 4096 + kDataBytes), 4);
  put(out, 76, 7, 4), put(out, 80, 4096, 4);
  return out + code;
}

std::string run_ours(const std::string& elf) {
  Machine machine;
  machine.load(parse_elf(elf, "random.elf"));
  std::string out;
  bool done = false;
  machine.on_ecall = [&](Hart& hart) {
    if (hart.x[17] == 93)
      done = true;
    if (hart.x[17] != 64)
      return true;
    for (uint32_t i = 0, value = 0; i < hart.x[12] && machine.memory().read(hart.x[11] + i, 1, value); ++i) {
      out += char(value);
    }
    return true;
  };
  for (int i = 0; i < 1000 && !done; ++i)
    machine.run(100);
  return out;
}

TEST(Differential, RandomProgramsAgreeWithQemu) {
  if (std::system("qemu-riscv32 --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "qemu-riscv32 (qemu-user) is not installed";
  const char* wanted = std::getenv("LENTO_RISCV_DIFFERENTIAL");
  const int programs = wanted ? std::atoi(wanted) : 10;
  const std::string path =
      std::filesystem::temp_directory_path() / ("lento_random_" + std::to_string(getpid()) + ".elf");
  for (int seed = 1; seed <= programs; ++seed) {
    const std::string elf = elf_of(Generator(seed).program(10000));
    base::write_file(path, elf);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    const std::string result = path + ".out";
    ASSERT_EQ(std::system(("qemu-riscv32 " + path + " > " + result).c_str()), 0) << "seed " << seed;
    const std::string theirs = base::read_file(result);
    ASSERT_EQ(theirs.size(), kDataBytes);
    ASSERT_EQ(run_ours(elf), theirs) << "seed " << seed;
    std::filesystem::remove(result);
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace lento::riscv
