package io.github.stablecut.examples.advertising;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.StreamKey;

/** The keys of the stored objects: per page a stream, with an entry per view. */
final class PageViews {
  private static final String BUCKET = "views";

  private PageViews() {}

  static StreamKey<Bytes> ofPage(int page) {
    return Key.stream(BUCKET, "page %05d".formatted(page), Codec.bytes());
  }
}
