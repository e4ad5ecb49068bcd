package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Change;
import io.github.stablecut.Scan;
import io.github.stablecut.Session;
import io.github.stablecut.Snapshot;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.StoredObject;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.internal.node.Ports;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.StablecutException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.WatchOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store on a server that is killed and restarted. */
final class RemoteKillTest {
  private static final CounterKey COUNT = Key.counter("b", "count");

  @TempDir private Path directory;

  private static Store connect(ServerProcess server) {
    return Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
  }

  @Test
  void sessionsScansAndWatchesContinueWhenTheServerIsBack() throws Exception {
    // A port outside the ephemeral range, which connections do not get while the server is down.
    int port = Ports.free(1).get(0);
    ServerProcess server = ServerProcess.start(directory, port);
    try (Store store = connect(server)) {
      CausalToken first = store.update(COUNT.increment());
      Session session = store.openSession();
      CausalToken last = session.update(1, COUNT.increment());
      for (int i = 0; i < 40; i++) {
        RegisterKey<String> large = Key.register("scan", "k%02d".formatted(i), Codec.string());
        store.update(large.assign("v".repeat(30_000)));
      }
      Snapshot snapshot = store.snapshot();
      Transaction transaction = store.begin();
      transaction.update(COUNT.increment(100));
      try (Watch watch = store.watch("b", "", WatchOptions.after(first));
          Scan scan = snapshot.scan(ScanOptions.bucket("scan"));
          Scan all = snapshot.scan()) {
        Change change = watch.next();
        assertThat(change.read(COUNT)).isEqualTo(2);
        List<String> found = new ArrayList<>(List.of(name(scan.next())));
        assertThat(all.hasNext()).isTrue();

        server.kill();
        CompletableFuture<CausalToken> repeated =
            CompletableFuture.supplyAsync(() -> session.update(1, COUNT.increment()));
        server = ServerProcess.start(directory, port);

        assertThat(repeated.join().vector()).isEqualTo(last.vector());
        assertThat(session.update(2, COUNT.increment())).isNotEqualTo(last);
        assertThat(watch.next().read(COUNT)).isEqualTo(3);
        assertThat(watch.poll(Duration.ZERO)).isEqualTo(Optional.empty());
        scan.forEachRemaining(object -> found.add(name(object)));
        assertThat(found).hasSize(40).isSorted().doesNotHaveDuplicates();
        assertThatThrownBy(() -> all.forEachRemaining(object -> {}))
            .isInstanceOf(StablecutException.class)
            .hasMessageContaining("begin another");
        assertThatThrownBy(transaction::commit).isInstanceOf(TransactionEndedException.class);
        assertThat(store.read(COUNT)).isEqualTo(3);
      }
    } finally {
      server.close();
    }
  }

  private static String name(StoredObject object) {
    return object.key().toUtf8();
  }

  @Test
  void usesAnotherServerWhenOneIsDown() throws Exception {
    try (ServerProcess first = ServerProcess.start(directory.resolve("one"), 0);
        Server second = Server.start(Settings.of(directory.resolve("two")))) {
      String uri =
          "stablecut://127.0.0.1:%d,127.0.0.1:%d"
              .formatted(first.address().getPort(), second.address().getPort());
      second.store().update(COUNT.increment(7));
      try (Store store = Stablecut.connect(uri)) {
        assertThat(store.read(COUNT)).isZero();
        first.kill();

        assertThat(store.read(COUNT)).isEqualTo(7);
        store.update(COUNT.increment());
        assertThat(second.store().read(COUNT)).isEqualTo(8);
      }
    }
  }
}
