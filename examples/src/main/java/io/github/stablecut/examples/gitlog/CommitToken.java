package io.github.stablecut.examples.gitlog;

import io.github.stablecut.CausalToken;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;

/**
 * The point in the store's history right after a commit was imported. Immutable.
 *
 * @param hash of the commit
 * @param number of the commit, from 1
 * @param token the point
 */
record CommitToken(String hash, long number, CausalToken token) {
  /** As text, the hash first. */
  static final Codec<CommitToken> CODEC =
      new Codec<>() {
        @Override
        public Bytes encode(CommitToken value) {
          return Bytes.utf8(value.hash + " " + value.number + " " + value.token.toText());
        }

        @Override
        public CommitToken decode(Bytes bytes) {
          String[] words = bytes.toUtf8().split(" ", -1);
          return new CommitToken(words[0], Long.parseLong(words[1]), CausalToken.parse(words[2]));
        }
      };
}
