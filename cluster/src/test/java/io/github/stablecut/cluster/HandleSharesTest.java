package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.cluster.ServerSettings.Shares;
import io.github.stablecut.cluster.ServerSettings.Transactions;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.ScanOptions;
import io.github.stablecut.option.TransactionOptions;
import io.github.stablecut.option.WatchOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that open as many watches, scans, pins and transactions as they can leave some for
 * others.
 */
final class HandleSharesTest {
  private static final int ALL = 40;
  private static final Duration HOUR = Duration.ofHours(1);
  private static final CounterKey COUNT = Key.counter("b", "count");

  @TempDir private Path directory;

  private Server server;
  private final List<RawCalls> open = new ArrayList<>();

  @BeforeEach
  void setUp() {
    start(new Shares(25, 50, 100, HOUR));
  }

  private void start(Shares shares) {
    ServerSettings settings = Settings.of(directory.resolve("data"));
    settings = Settings.transactions(settings, new Transactions(ALL / 4, ALL, HOUR));
    settings = Settings.shares(settings, shares);
    server =
        Server.start(
            settings.withStore(
                settings.store().withLimits(settings.store().limits().withOpenWatches(ALL))));
  }

  @AfterEach
  void tearDown() throws IOException {
    for (RawCalls one : open) {
      one.close();
    }
    server.close();
  }

  private RawCalls connect(String from) throws IOException {
    RawCalls connection = new RawCalls(server.address(), from);
    open.add(connection);
    return connection;
  }

  /** Repeats a call until it is refused; returns the number of successful calls. */
  private static int exhaust(RawCalls connection, Call call, String... refusal) throws IOException {
    int count = 0;
    Answer answer = connection.call(call);
    for (; answer instanceof Answer.OpenedHandle; answer = connection.call(call)) {
      count++;
    }
    assertThat(CallFailures.exception((Answer.Failed) answer))
        .isInstanceOf(RetryException.class)
        .hasMessageContainingAll(refusal);
    return count;
  }

  private static Call watch() {
    return new Call.OpenWatch(Bytes.utf8("b"), Bytes.EMPTY, WatchOptions.fromNow());
  }

  private static Call begin() {
    return new Call.Begin(TransactionOptions.defaults());
  }

  /** Opens as many handles of all kinds as one connection may have. */
  private int exhaustAll(RawCalls connection) throws IOException {
    var point = connection.point();
    String share = "handles.share-per-connection";
    assertThat(exhaust(connection, watch(), "watches", share, "store.max-watches"))
        .isEqualTo(ALL / 4);
    Call pin = new Call.OpenPoint(point, true);
    assertThat(exhaust(connection, pin, "pins", share, "transactions.max-open")).isEqualTo(ALL / 4);
    assertThat(exhaust(connection, begin(), "transactions.max-per-connection")).isEqualTo(ALL / 4);
    Call scan = new Call.OpenScan(Optional.empty(), Optional.of(point), Optional.empty());
    return exhaust(connection, scan, "scans", share, "-Xmx");
  }

  @Test
  void oneConnectionLeavesHandlesOfAllKindsToOthers() throws Exception {
    assertThat(exhaustAll(connect("127.0.0.1"))).isPositive();

    try (Store other = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
        Watch watch = other.watch("b");
        Transaction transaction = other.begin()) {
      transaction.update(COUNT.increment());
      transaction.commit();
      assertThat(watch.next().read(COUNT)).isEqualTo(1);
      other.pin(other.snapshot().token()).close();
      assertThat(other.snapshot().scan(ScanOptions.bucket("b")).hasNext()).isTrue();
    }
  }

  @Test
  void oneAddressLeavesHandlesToOthers() throws Exception {
    for (int i = 0; i < 2; i++) {
      assertThat(exhaust(connect("127.0.0.2"), watch(), "watches of this connection"))
          .isEqualTo(ALL / 4);
    }
    assertThat(exhaust(connect("127.0.0.2"), watch(), "address", "handles.share-per-address"))
        .isZero();

    assertThat(exhaust(connect("127.0.0.1"), watch(), "watches of this connection"))
        .isEqualTo(ALL / 4);
  }

  @Test
  void releasesTheHandlesOfAClosedConnectionSoon() throws Exception {
    server.close();
    start(new Shares(100, 100, 100, Duration.ofMillis(200)));
    RawCalls gone = connect("127.0.0.1");
    for (int i = 0; i < ALL / 4; i++) {
      assertThat(gone.call(begin())).isInstanceOf(Answer.OpenedHandle.class);
    }
    assertThat(exhaust(gone, watch(), "watches")).isEqualTo(ALL);
    gone.close();

    Eventually.holds("transactions are aborted", () -> server.openTransactions() == 0);
    RawCalls elsewhere = connect("127.0.0.2");
    Eventually.holds(
        "watches are closed", () -> elsewhere.call(watch()) instanceof Answer.OpenedHandle);
  }
}
