#include "jobs/tile_store.h"

#include <filesystem>

#include "base/file.h"

namespace lento::jobs {
namespace {

tile::Trust remembered(const std::string& path) {
  std::error_code unreadable;
  if (path.empty() || !std::filesystem::exists(path, unreadable))
    return {};
  return tile::parse_trust(base::read_file(path, 1 << 20), path);
}

void remember(const std::string& path, const tile::Trust& trust) {
  if (!path.empty())
    base::write_file(path, tile::write_trust(trust));
}

void save(const std::string& path, const tile::Signed& file) {
  base::write_file(path, file.text);
  base::write_file(path + ".minisig", file.signature);
}

}  // namespace

uint64_t publish_tile(const TilePublishOptions& options) {
  tile::Submission submission;
  submission.image = read_tile_signed(options.image);
  if (!options.certificate.empty())
    submission.certificate = read_tile_signed(options.certificate);
  if (!options.approval.empty())
    submission.approval = read_tile_signed(options.approval);
  return tile::publish(
      options.folder,
      read_tile_secret(options.key, options.password),
      options.name,
      submission);
}

TileFetch fetch_tile(const TileFetchOptions& options) {
  const bool remote = options.store.compare(0, 7, "http://") == 0;
  const tile::Ask ask = remote ? tile::ask_http(options.store) : tile::ask_folder(options.store);
  tile::Trust trust = remembered(options.trust);
  TileFetch out;
  out.fetched = tile::fetch(ask, read_tile_public(options.store_key), trust, options.name);
  const std::string stem = options.folder + "/" + options.name;
  const tile::Submission& got = out.fetched.submission;
  out.image = stem + ".ypu";
  save(out.image, got.image);
  if (got.certificate)
    save(stem + ".cert", *got.certificate);
  if (got.approval)
    save(stem + ".approval", *got.approval);
  const tile::LogEntry& entry = out.fetched.entry;
  trust.head = out.fetched.head;
  trust.seen[options.name] = {out.fetched.index, entry.rollback, entry.developer};
  remember(options.trust, trust);
  return out;
}

tile::Audit audit_tile_store(const TileAuditOptions& options) {
  tile::Trust trust = remembered(options.trust);
  const tile::Audit out = tile::audit(options.folder, read_tile_public(options.store_key), trust.head);
  trust.head = out.head;
  if (out.problems.empty())
    remember(options.trust, trust);
  return out;
}

}  // namespace lento::jobs
