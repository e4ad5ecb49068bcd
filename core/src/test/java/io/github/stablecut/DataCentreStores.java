package io.github.stablecut;

import io.github.stablecut.key.Query;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.replication.Replication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** Stores in sibling directories, as data centres on free ports. */
record DataCentreStores(Path directory) {
  private static final String ANY_PORT = "127.0.0.1:0";

  /** The first data centre of a group. */
  Store first(String name) {
    return first(name, UnaryOperator.identity());
  }

  Store first(String name, UnaryOperator<Replication> with) {
    return open(name, with.apply(Replication.tcp(ANY_PORT)));
  }

  /** A data centre that joins through another one, if it is new. */
  Store joined(String name, Store by) {
    return joined(name, by, UnaryOperator.identity());
  }

  Store joined(String name, Store by, UnaryOperator<Replication> with) {
    return open(name, with.apply(Replication.tcp(ANY_PORT).join(address(by))));
  }

  static String address(Store store) {
    return "127.0.0.1:" + store.dataCentres().port().orElseThrow();
  }

  /** Keeps nothing for readers of the past. */
  Store open(String name, Replication replication) {
    return Stablecut.open(
        directory.resolve(name),
        StoreOptions.defaults()
            .withCheckpoints(CheckpointPolicy.defaults().withRetention(Duration.ZERO))
            .withReplication(replication));
  }

  /** Waits until a store has a token's transactions, and reads. */
  static <V> V readAfter(Store store, CausalToken token, Query<V> query) {
    try (Transaction transaction = store.begin(TransactionOptions.defaults().after(token))) {
      return transaction.read(query);
    }
  }
}
