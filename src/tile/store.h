// The app store of tile programs on files: publish, fetch, audit (tile/seal/store.h holds the rules).
#pragma once

#include "tile/keys.h"
#include "tile/seal/store.h"

namespace lento::tile {

struct TilePublishOptions {
  std::string folder;
  std::string key;
  std::string password;
  std::string name;
  std::string image;
  std::string certificate;
  std::string approval;
};
uint64_t publish_tile(const TilePublishOptions& options);  // the entry's index

struct TileFetchOptions {
  std::string store;      // folder or http://host:port
  std::string store_key;  // public key file
  std::string trust;      // file that stores the last accepted head and releases; "": none
  std::string name;
  std::string folder = ".";
};
struct TileFetch {
  std::string image;  // path
  Fetched fetched;
};
TileFetch fetch_tile(const TileFetchOptions& options);

struct TileAuditOptions {
  std::string folder;
  std::string store_key;
  std::string trust;
};
Audit audit_tile_store(const TileAuditOptions& options);

}  // namespace lento::tile
