package io.github.stablecut.cluster;

import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import io.github.stablecut.cluster.internal.secret.SigningKey;
import io.github.stablecut.cluster.internal.service.SessionIds;

/** Chooses the key that authenticates the session ids of a server's clients. */
final class SessionKeys {
  private SessionKeys() {}

  /**
   * The session ids of a server, signed with the key that the nodes of its cluster share, or with
   * one in its store's directory. Closes the store if the key can't be read or created.
   */
  static SessionIds of(ServerSettings settings, ServedStore store) {
    try {
      return new SessionIds(
          settings
              .cluster()
              .map(cluster -> cluster.secret().orElseGet(ClusterSecret::userFile))
              .map(file -> SigningKey.of(ClusterSecret.of(file)))
              .orElseGet(() -> ofDirectory(settings, store)));
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  private static SigningKey ofDirectory(ServerSettings settings, ServedStore store) {
    SigningKey key = SigningKey.in(settings.data());
    // A store that joins other data centres restarts with an empty directory.
    store.andAfterExchanges(() -> key.keepIn(settings.data()));
    return key;
  }
}
