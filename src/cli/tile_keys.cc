// The key files of `lento tile`.
#include <cstdlib>

#include "base/file.h"
#include "cli/tile.h"

namespace lento::cli {

std::string password_from(const std::string& variable) {
  if (variable.empty()) return "";
  const char* value = std::getenv(variable.c_str());
  if (!value || !*value) throw base::Error({}, "environment variable '" + variable + "' is not set");
  return value;
}

tile::SecretKey read_secret(const std::string& path, const std::string& password_variable) {
  const std::string text = base::read_file(path, 1 << 16), password = password_from(password_variable);
  if (password.empty() && tile::secret_key_is_encrypted(text, path))
    throw base::Error({path}, "the key is protected by a password", "--password-env VARIABLE names it");
  return tile::parse_secret_key(text, path, password);
}

tile::PublicKey read_public(const std::string& path) {
  return tile::parse_public_key(base::read_file(path, 1 << 16), path);
}

}  // namespace lento::cli
