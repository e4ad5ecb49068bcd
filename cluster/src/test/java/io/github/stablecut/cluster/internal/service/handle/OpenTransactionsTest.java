package io.github.stablecut.cluster.internal.service.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.datacentre.ServedStore;
import io.github.stablecut.cluster.internal.secret.SigningKey;
import io.github.stablecut.cluster.internal.service.CallHandler;
import io.github.stablecut.cluster.internal.service.RequestMeter;
import io.github.stablecut.cluster.internal.service.SessionIds;
import io.github.stablecut.cluster.internal.service.TestService;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.error.TransactionEndedException;
import io.github.stablecut.error.TransactionExpiredException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.Update;
import io.github.stablecut.object.ObjectTypes;
import io.github.stablecut.option.Certification;
import io.github.stablecut.option.TransactionOptions;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Open transactions: their descriptors, limits and ends. */
class OpenTransactionsTest {
  private static final TransactionLimits LIMITS =
      new TransactionLimits(
          9, 9, 1 << 20, Duration.ofHours(1), TestService.SHARES, Certification.NONE);

  private static final RegisterKey<Bytes> VALUE = Key.register("b", "value", Codec.bytes());

  @TempDir private Path directory;

  private static OpenTransactions at(String node, Set<String> reached) {
    return new OpenTransactions(LIMITS, System::nanoTime, node, () -> reached);
  }

  @Test
  void theErrorForADescriptorOfAnotherNodeNamesThatNode() {
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      OpenTransactions first = at("n0", Set.of("n0"));
      Bytes begun = first.begin(TestService.client(), store::begin);

      assertThatThrownBy(() -> at("n1", Set.of("n0", "n1")).get(TestService.client(), begun))
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("was begun at node n0, and this is node n1");
      assertThatThrownBy(() -> at("n1", Set.of("n1")).get(TestService.client(), begun))
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("was begun at a node that node n1 can't reach now");
      assertThatThrownBy(() -> at("n0", Set.of("n1")).get(TestService.client(), begun))
          .isInstanceOf(TransactionEndedException.class)
          .hasMessageContaining("it was committed or aborted");
      first.abortAll();
    }
  }

  private static final int KIB = 1 << 10;

  private static void write(OpenTransactions all, Bytes descriptor, int kib) {
    OpenTransaction open = all.get(TestService.client(), descriptor);
    boolean isUpdated =
        open.use(
            all.clock(),
            transaction -> updated(transaction, VALUE.assign(Bytes.wrap(new byte[kib * KIB]))));
    assertThat(isUpdated).isTrue();
  }

  @Test
  void theirMemoryIsLimitedUntilTheyEnd() {
    AtomicLong now = new AtomicLong();
    OpenTransactions all = new OpenTransactions(LIMITS, now::get, "", Set::of);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      Bytes first = all.begin(TestService.client(), store::begin);
      Bytes second = all.begin(TestService.client(), store::begin);
      write(all, first, 300);
      write(all, first, 300);

      assertThatThrownBy(() -> write(all, second, 600))
          .isInstanceOf(BusyException.class)
          .hasMessageContaining("all open transactions would use 1,2")
          .hasMessageContaining("they may use 1,048,576");
      assertThatThrownBy(() -> write(all, first, 600))
          .isInstanceOf(LimitExceededException.class)
          .hasMessageContaining("commit in smaller transactions");

      assertThat(all.remove(first).use(all.clock(), Transaction::commit)).isNotNull();
      assertThat(all.bytes()).as("after a commit").isZero();
      write(all, second, 600);
      all.close(second);
      assertThat(all.bytes()).as("after an abort").isZero();
      Bytes third = all.begin(TestService.client(), store::begin);
      write(all, third, 600);
      now.set(Duration.ofHours(2).toNanos());
      all.abortIdle();
      assertThat(all.bytes()).as("after an abort for idleness").isZero();
      assertThat(store.read(VALUE)).map(Bytes::length).hasValue(300 * KIB);
    }
  }

  @Test
  void anAbortedNestedTransactionReleasesItsMemory() {
    OpenTransactions all = at("", Set.of());
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      Bytes begun = all.begin(TestService.client(), store::begin);
      all.get(TestService.client(), begun).nest(all.clock(), 0);
      Update half = VALUE.assign(Bytes.wrap(new byte[600 * KIB]));
      OpenTransaction transaction = all.get(TestService.client(), begun);

      boolean isUpdated = transaction.use(all.clock(), 1, nested -> updated(nested, half));
      assertThat(isUpdated).isTrue();
      assertThatThrownBy(
              () -> transaction.use(all.clock(), 1, nested -> updated(nested, half, half)))
          .isInstanceOf(LimitExceededException.class);
      assertThat(all.bytes()).isBetween(600L * KIB, 601L * KIB);
      transaction.end(all.clock(), 1, Transaction::abort);

      assertThat(all.bytes()).isZero();
      write(all, begun, 900);
      all.abortAll();
      assertThat(all.bytes()).isZero();
    }
  }

  private static boolean updated(Transaction transaction, Update... updates) {
    transaction.update(updates);
    return true;
  }

  @Test
  void aWriteInATransactionIsRefusedWhileOthersHoldTheMemory() {
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      OpenTransactions all = at("", Set.of());
      CallHandler handler =
          new CallHandler(
              new ServedStore(store),
              ObjectTypes.none(),
              () -> new Answer.PartitionOwners(0, 0, List.of(), List.of()),
              all,
              new ClientHandles(LIMITS, new ClientHandles.Limits(9, 9), all.clock()),
              new SessionIds(SigningKey.random()),
              RequestMeter.NONE,
              KIB);
      Client client = TestService.client();
      Call begin = new Call.Begin(TransactionOptions.defaults());
      var first = ((Answer.OpenedHandle) handler.handle(begin, client).join()).descriptor();
      var second = ((Answer.OpenedHandle) handler.handle(begin, client).join()).descriptor();
      List<Update> large = List.of(VALUE.assign(Bytes.wrap(new byte[600 * KIB])));

      Answer written =
          handler.handle(new Call.WriteIn(new Call.TransactionRef(first, 0), large), client).join();
      Answer refused =
          handler
              .handle(new Call.WriteIn(new Call.TransactionRef(second, 0), large), client)
              .join();

      assertThat(written).isInstanceOf(Answer.Done.class);
      assertThat(CallFailures.exception((Answer.Failed) refused))
          .isInstanceOf(RetryException.class)
          .hasMessageContaining("commit or abort some and retry");
      all.abortAll();
    }
  }

  @Test
  void onlyAbandonedTransactionsAreReclaimedTheLongestDisconnectedFirst() {
    AtomicLong now = new AtomicLong(1);
    HandleShares shares = new HandleShares(100, 100, 100, Duration.ofSeconds(60));
    OpenTransactions all =
        new OpenTransactions(
            new TransactionLimits(9, 3, 9, Duration.ofHours(1), shares, Certification.NONE),
            now::get,
            "",
            Set::of);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      Client gone = TestService.client();
      Client goneFirst = TestService.client();
      Client live = TestService.client();
      Bytes second = all.begin(gone, store::begin);
      Bytes first = all.begin(goneFirst, store::begin);
      Bytes used = all.begin(goneFirst, store::begin);
      goneFirst.gone(now.get());
      gone.gone(now.addAndGet(Duration.ofSeconds(1).toNanos()));
      now.addAndGet(Duration.ofSeconds(15).toNanos());
      assertThatThrownBy(() -> all.begin(live, store::begin)).isInstanceOf(BusyException.class);
      assertThat(all.renew(live, used)).isTrue();
      now.addAndGet(Duration.ofSeconds(3).toNanos());

      Bytes begun = all.begin(live, store::begin);

      assertThat(all.count()).isEqualTo(3);
      assertThatThrownBy(() -> all.get(live, first))
          .isInstanceOf(TransactionExpiredException.class);
      for (Bytes open : List.of(second, used, begun)) {
        assertThat(all.get(live, open)).isNotNull();
      }
      assertThatThrownBy(() -> all.begin(live, store::begin)).isInstanceOf(BusyException.class);
      all.abortAll();
    }
  }

  @Test
  void aTransactionThatCantBeRegisteredIsClosed() {
    AtomicInteger closed = new AtomicInteger();
    Transaction broken =
        (Transaction)
            Proxy.newProxyInstance(
                Transaction.class.getClassLoader(),
                new Class<?>[] {Transaction.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("close")) {
                    return closed.incrementAndGet();
                  }
                  throw new IllegalStateException("injected");
                });
    OpenTransactions all = at("", Set.of());

    assertThatThrownBy(() -> all.begin(TestService.client(), () -> broken)).hasMessage("injected");

    assertThat(closed).hasValue(1);
    assertThat(all.count()).isZero();
  }

  @Test
  void theTransactionsOfAClosedConnectionAreAbortedUnlessAnotherConnectionUsesThem() {
    AtomicLong now = new AtomicLong(1);
    HandleShares shares = new HandleShares(100, 100, 100, Duration.ofSeconds(20));
    OpenTransactions all =
        new OpenTransactions(
            new TransactionLimits(2, 9, 9, Duration.ofHours(1), shares, Certification.NONE),
            now::get,
            "",
            Set::of);
    try (Store store = Stablecut.open(directory.resolve("data"))) {
      Client gone = TestService.client();
      Client back = TestService.client();
      Bytes abandoned = all.begin(gone, store::begin);
      Bytes used = all.begin(gone, store::begin);
      gone.gone(now.get());
      now.addAndGet(Duration.ofSeconds(21).toNanos());
      assertThat(all.renew(back, used)).isTrue();

      all.abortIdle();

      assertThat(all.count()).isEqualTo(1);
      assertThatThrownBy(() -> all.get(back, abandoned))
          .isInstanceOf(TransactionExpiredException.class)
          .hasMessageContaining("no other used it for 20 s")
          .hasMessageContaining("handles.disconnected-timeout");
      assertThat(all.get(back, used)).isNotNull();
      all.abortAll();
    }
  }
}
