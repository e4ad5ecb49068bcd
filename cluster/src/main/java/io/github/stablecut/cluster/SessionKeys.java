package io.github.stablecut.cluster;

import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.cluster.internal.secret.SigningKey;
import io.github.stablecut.cluster.internal.service.SessionIds;

/** By which key a server recognizes the sessions of its clients. */
final class SessionKeys {
  private SessionKeys() {}

  /**
   * The sessions of a server: with the key that the nodes of its cluster share, or one in the
   * directory of its store. The store is closed if there is no such key.
   */
  static SessionIds of(ServerSettings settings, ServedStore store) {
    try {
      return new SessionIds(
          settings
              .cluster()
              .map(how -> how.secret().orElseGet(ClusterSecret::userFile))
              .map(file -> SigningKey.of(ClusterSecret.of(file)))
              .orElseGet(() -> ofDirectory(settings, store)));
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  private static SigningKey ofDirectory(ServerSettings settings, ServedStore store) {
    SigningKey key = SigningKey.in(settings.data());
    // A store that joins other data centres begins with an empty directory.
    store.andAfterExchanges(() -> key.keepIn(settings.data()));
    return key;
  }
}
