// A fixture of tests that write files: each test has a folder of its own, which is removed afterwards.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/file.h"

namespace lento::base::test {

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FolderTest() override {
    std::filesystem::remove_all(folder_);
  }
  std::string at(const std::string& name) const {
    return folder_ + "/" + name;
  }
  // Writes a file and returns its path.
  std::string file(const std::string& name, const std::string& content) const {
    write_file(at(name), content);
    return at(name);
  }

  const std::string folder_ =
      (std::filesystem::temp_directory_path() / ("lento_test_" + std::to_string(getpid()))).string();
};

}  // namespace lento::base::test
