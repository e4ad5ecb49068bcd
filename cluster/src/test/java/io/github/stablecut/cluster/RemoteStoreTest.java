package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.Watch;
import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.client.RequestRefusedException;
import io.github.stablecut.client.ServerBusyException;
import io.github.stablecut.client.ServerUnavailableException;
import io.github.stablecut.cluster.ServerSettings.Transactions;
import io.github.stablecut.error.ConflictException;
import io.github.stablecut.error.NoConnectorException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.option.WatchOptions;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract of a store on a server. */
final class RemoteStoreTest extends OwnStoreContract {
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");

  @TempDir private Path directory;
  private Server server;
  private Store store;

  private ServerSettings settings() {
    ServerSettings settings = Settings.of(directory.resolve("data"));
    return settings.withStore(
        settings.store().withLimits(settings.store().limits().withValueBytes(1 << 20)));
  }

  @BeforeEach
  void connect() {
    server = Server.start(settings());
    store = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
  }

  @AfterEach
  void close() {
    store.close();
    server.close();
  }

  @Override
  Store store() {
    return store;
  }

  @Test
  void refusesOperationsOnTheServersMachine() {
    for (ThrowingCallable call :
        List.<ThrowingCallable>of(
            () -> store.backup(Path.of("nowhere")), () -> store.dataCentres().detach(1))) {
      assertThatThrownBy(call)
          .isInstanceOf(NotInProtocolException.class)
          .hasMessageContaining("open the store in its own process");
    }
  }

  /** Another server answers, long before the call's own timeout. */
  @Test
  void anotherServerAnswersForAFrozenOne() throws Exception {
    InetAddress here = InetAddress.getLoopbackAddress();
    try (ServerSocket frozen = new ServerSocket(0, 50, here);
        Store both =
            Stablecut.connect(
                "stablecut://127.0.0.1:%d,127.0.0.1:%d?timeout=9999"
                    .formatted(frozen.getLocalPort(), server.address().getPort()))) {
      assertThat(both.read(LIKES)).isZero();
    }
  }

  @Test
  void theServersProcessSeesItsWritesAndViceVersa() {
    store.update(LIKES.increment());
    server.store().update(LIKES.increment());

    assertThat(store.read(LIKES)).isEqualTo(2);
    assertThat(server.store().read(LIKES)).isEqualTo(2);
  }

  @Test
  void continuesAfterARestartOfTheServer() {
    store.update(LIKES.increment());
    int port = server.address().getPort();
    server.close();
    // A server that closes takes longer than a client reuses a connection untested.
    assertThatThrownBy(() -> store.update(LIKES.increment()))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessageContaining("no server answers");
    server = Server.start(settings().withProtocol(Endpoint.loopback(port)));

    assertThat(store.read(LIKES)).isEqualTo(1);
    store.update(LIKES.increment());
    assertThat(store.read(LIKES)).isEqualTo(2);
  }

  /** A server permits 100 watches, and 1,000 transactions per connection. */
  @Test
  void closedStoresLeaveNothingAtTheServer() {
    for (int i = 0; i < 110; i++) {
      try (Store other = Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort())) {
        assertThat(other.watch("posts", "", WatchOptions.fromNow())).isNotNull();
        other.begin().update(LIKES.increment());
      }
    }
    try (Watch watch = store.watch("posts", "", WatchOptions.fromNow())) {
      assertThat(watch.position()).isNotNull();
    }
    assertThat(store.read(LIKES)).isZero();
  }

  @Test
  void throwsConflictsLikeAnEmbeddedStore() {
    BoundedCounterKey stock = Key.boundedCounter("shop", "stock");
    store.update(stock.increment(1));
    try (Transaction first = store.begin();
        Transaction second = store.begin()) {
      first.update(stock.decrement(1));
      second.update(stock.decrement(1));
      first.commit();
      assertThatThrownBy(second::commit).isInstanceOf(ConflictException.class);
    }
  }

  private Store reopen(Transactions limits) {
    server.close();
    server = Server.start(Settings.transactions(settings(), limits));
    return Stablecut.connect("stablecut://127.0.0.1:" + server.address().getPort());
  }

  @Test
  void reportsTooManyTransactions() {
    try (Store remote = reopen(new Transactions(1, 1, Duration.ofHours(1)));
        Transaction transaction = remote.begin()) {
      assertThatThrownBy(remote::begin)
          .isInstanceOf(ServerBusyException.class)
          .hasMessageContaining("max-open");
      assertThat(transaction.read(LIKES)).isZero();
    }
  }

  @Test
  void reportsATransactionThatWasIdleForTooLong() throws Exception {
    try (Store remote = reopen(new Transactions(1, 1, Duration.ofMillis(100)));
        Transaction transaction = remote.begin()) {
      Eventually.holds("it is aborted", () -> server.openTransactions() == 0);
      assertThatThrownBy(() -> transaction.read(LIKES))
          .isInstanceOf(TransactionExpiredException.class);
    }
  }

  @Test
  void reportsInvalidAndUnreachableUris() {
    assertThatThrownBy(() -> Stablecut.connect("http://127.0.0.1"))
        .isInstanceOf(NoConnectorException.class)
        .hasMessageContaining("stablecut://HOST:PORT");
    assertThatThrownBy(() -> Stablecut.connect("no uri")).isInstanceOf(NoConnectorException.class);
    assertThatThrownBy(() -> Stablecut.connect("stablecut:///x"))
        .isInstanceOf(RequestRefusedException.class)
        .hasMessageContaining("no host");
    for (String more : List.of("h:8087/x", "h:8087#z", "me@h:8087", "h:65536")) {
      assertThatThrownBy(() -> Stablecut.connect("stablecut://" + more))
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining(more + " is not the address of a store");
    }
    for (String query : List.of("y=z", "timeout=0", "timeout=10000", "timeout=1&y=z", "")) {
      assertThatThrownBy(() -> Stablecut.connect("stablecut://127.0.0.1:1?" + query))
          .isInstanceOf(RequestRefusedException.class)
          .hasMessageContaining("the parameters of a store's address are timeout (seconds");
    }
    int port = server.address().getPort();
    server.close();
    assertThatThrownBy(() -> Stablecut.connect("stablecut://127.0.0.1:" + port))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessageContaining("no server answers");
  }

  @Test
  void timesOutOnASilentServer() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      for (String scheme : List.of("stablecut", "stablecut+tls")) {
        String uri = "%s://127.0.0.1:%d?timeout=1".formatted(scheme, silent.getLocalPort());
        assertThatThrownBy(() -> Stablecut.connect(uri))
            .isInstanceOf(ServerUnavailableException.class)
            .hasMessageContaining("has not answered for 1 second");
      }
    }
  }

  @Test
  void reportsAPortWithAnotherProtocol() {
    server.close();
    server = Server.start(settings().withOperations(Optional.of(Endpoint.loopback(0))));
    int operations = server.operationsAddress().orElseThrow().getPort();

    assertThatThrownBy(() -> Stablecut.connect("stablecut://127.0.0.1:" + operations))
        .isInstanceOf(ServerUnavailableException.class)
        .hasMessageContaining("is it a Stablecut server?");
  }
}
