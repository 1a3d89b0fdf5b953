// Runs the commands of the app store on files: publish, fetch and audit. Reads keys and images, calls
// tile/seal/store.h, and writes the results. The trust file of whoever fetches or audits keeps the log's last
// accepted head and the newest accepted release of each program (Trust).
#include "tile/store.h"

#include <filesystem>

#include "base/file.h"

namespace lento::tile {
namespace {

Trust remembered(const std::string& path) {
  std::error_code unreadable;
  if (path.empty() || !std::filesystem::exists(path, unreadable))
    return {};
  return parse_trust(base::read_file(path, 1 << 20), path);
}

void remember(const std::string& path, const Trust& trust) {
  if (!path.empty())
    base::write_file(path, write_trust(trust));
}

void save(const std::string& path, const Signed& file) {
  base::write_file(path, file.text);
  base::write_file(path + ".minisig", file.signature);
}

}  // namespace

uint64_t publish_tile(const TilePublishOptions& options) {
  Submission submission;
  submission.image = read_tile_signed(options.image);
  if (!options.certificate.empty())
    submission.certificate = read_tile_signed(options.certificate);
  if (!options.approval.empty())
    submission.approval = read_tile_signed(options.approval);
  return publish(options.folder, read_tile_secret(options.key, options.password), options.name, submission);
}

// Fetches a program from a store, by HTTP or from a folder, and checks it (fetch). Writes the image, its
// signature, its certificate and its approval to options.folder, and the log's head and the release to the
// trust file.
TileFetch fetch_tile(const TileFetchOptions& options) {
  const bool remote = options.store.compare(0, 7, "http://") == 0;
  const Ask ask = remote ? ask_http(options.store) : ask_folder(options.store);
  Trust trust = remembered(options.trust);
  TileFetch out;
  out.fetched = fetch(ask, read_tile_public(options.store_key), trust, options.name);
  const std::string stem = options.folder + "/" + options.name;
  const Submission& got = out.fetched.submission;
  out.image = stem + ".ypu";
  save(out.image, got.image);
  if (got.certificate)
    save(stem + ".cert", *got.certificate);
  if (got.approval)
    save(stem + ".approval", *got.approval);
  const LogEntry& entry = out.fetched.entry;
  trust.head = out.fetched.head;
  trust.seen[options.name] = {out.fetched.index, entry.rollback, entry.developer};
  remember(options.trust, trust);
  return out;
}

// Checks a whole store. When it has no problems, the log's head is written to the trust file, and the next
// audit requires the log to extend that head.
Audit audit_tile_store(const TileAuditOptions& options) {
  Trust trust = remembered(options.trust);
  const Audit out = audit(options.folder, read_tile_public(options.store_key), trust.head);
  trust.head = out.head;
  if (out.problems.empty())
    remember(options.trust, trust);
  return out;
}

}  // namespace lento::tile
