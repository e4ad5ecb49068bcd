package io.github.stablecut.cluster.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Store;
import io.github.stablecut.cluster.JoinRefusedException;
import io.github.stablecut.cluster.internal.membership.NodeSettings;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.LimitExceededException;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.error.ReadTimeoutException;
import io.github.stablecut.object.CallFailedException;
import io.github.stablecut.object.ObjectSpace;
import io.github.stablecut.object.ObjectType;
import io.github.stablecut.object.ObjectTypes;
import io.github.stablecut.object.Operation;
import io.github.stablecut.object.Operation.Accessor;
import io.github.stablecut.object.Operation.Mutator;
import io.github.stablecut.object.Operation.MutatorAccessor;
import io.github.stablecut.object.Operation.None;
import io.github.stablecut.object.Operation.Outcome;
import io.github.stablecut.object.SharedObject;
import io.github.stablecut.object.View;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.object.collection.SharedMap;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.Timeouts;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operations execute on the node that has the object, for types with which all nodes were started.
 */
class RemoteViewTest {
  private static final Duration READ_TIMEOUT = Duration.ofSeconds(5);
  private static final int VALUE_BYTES = 1 << 20;
  private static final Codec<String> TEXT = Codec.string();
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  /** An exception class that other processes need not have. */
  private static final class NoMoneyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoMoneyException(String message) {
      super(message);
    }
  }

  private static final Mutator<Long, Long> ADD =
      Operation.mutator("add", Codec.int64(), (sum, more) -> sum + more);

  private static final MutatorAccessor<Long, Long, Long> TAKE =
      Operation.mutatorAccessor(
          "take", Codec.int64(), Codec.int64(), (sum, less) -> take(sum, less));

  private static final Accessor<Long, None, Long> SUM =
      Operation.accessor("sum", Codec.int64(), sum -> sum);

  private static final Accessor<Long, Long, Boolean> HAS =
      Operation.accessor("has", Codec.int64(), Codec.bool(), (sum, minimum) -> sum >= minimum);

  private static final Accessor<Long, None, String> WHERE =
      Operation.accessor("where", Codec.string(), sum -> Thread.currentThread().getName());

  private static final Accessor<Long, None, Long> HANG =
      Operation.accessor("hang", Codec.int64(), RemoteViewTest::hanging);

  private static final Accessor<Long, None, Bytes> LARGE =
      Operation.accessor("large", Codec.bytes(), sum -> Bytes.wrap(new byte[VALUE_BYTES + 1]));

  private static final Accessor<Long, None, Long> FAIL =
      Operation.accessor("fail", Codec.int64(), sum -> failing());

  private static final List<Throwable> THROWN =
      List.of(
          new IOException("checked"),
          new AssertionError("a rule"),
          new NoClassDefFoundError("some/Class"),
          new StackOverflowError());

  private static final Accessor<Long, Long, Long> THROW =
      Operation.accessor(
          "throw",
          Codec.int64(),
          Codec.int64(),
          (sum, which) -> RemoteViewTest.<RuntimeException>thrown(THROWN.get((int) (long) which)));

  private static final ObjectType<Long> ACCOUNT =
      ObjectType.of("account", Codec.int64(), 0L)
          .with(ADD, TAKE, SUM, HAS, WHERE, HANG, LARGE, FAIL, THROW);

  private static final ObjectType<Long> UNKNOWN =
      ObjectType.of("unknown", Codec.int64(), 0L).with(ADD, TAKE, SUM, WHERE);

  @TempDir static Path directory;

  private static final List<NodeRuntime> NODES = new ArrayList<>();
  private static final List<String> SEEDS = new ArrayList<>();
  private static Store one;
  private static Store other;

  private static Outcome<Long, Long> take(long sum, long less) {
    if (less > sum) {
      throw new NoMoneyException("only " + sum);
    }
    return new Outcome<>(sum - less, sum - less);
  }

  private static long hanging(long sum) {
    try {
      NEVER.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return sum;
  }

  private static long failing() {
    throw new IllegalStateException("as the server reported");
  }

  @BeforeAll
  static void start() throws IOException {
    List<Integer> ports = Ports.free(2);
    ports.forEach(port -> SEEDS.add("127.0.0.1:" + port));
    for (int i = 0; i < ports.size(); i++) {
      NODES.add(NodeRuntime.start(settings("n" + i, ports.get(i), ObjectTypes.of(ACCOUNT))));
    }
    one = NODES.get(0).await();
    other = NODES.get(1).await();
  }

  private static NodeSettings settings(String name, int port, ObjectTypes types) {
    StoreOptions options = StoreOptions.defaults();
    return new NodeSettings(
        name,
        directory.resolve(name),
        options
            .withPartitions(4)
            .withLimits(options.limits().withValueBytes(VALUE_BYTES))
            .withTimeouts(Timeouts.defaults().withRead(READ_TIMEOUT))
            .withObjectTypes(types),
        new NodeSettings.Endpoint("127.0.0.1", port, Optional.empty()),
        new NodeSettings.Formation(SEEDS, 2),
        NodeSettings.MoveLimits.DEFAULT);
  }

  @AfterAll
  static void stop() {
    NEVER.countDown();
    NODES.forEach(NodeRuntime::close);
  }

  /** An object of the first node, accessed from the other node. */
  private static <S> SharedObject<S> remote(String name, ObjectType<S> type) {
    for (int i = 0; ; i++) {
      SharedObject<S> object = ObjectSpace.of(other).open("objects", name + i, type);
      if (isRemote(object)) {
        return object;
      }
    }
  }

  private static boolean isRemote(SharedObject<?> object) {
    return NODES.get(0).partitions().get(other.partitionOf(object.log())).node().equals("n0");
  }

  @Test
  void theOwnerExecutesAccessors() {
    SharedObject<Long> object = remote("read", ACCOUNT);
    object.call(ADD, 5L);

    assertThat(object.get(SUM)).isEqualTo(5);
    assertThat(object.get(HAS, 5L)).isTrue();
    assertThat(object.get(HAS, 6L)).isFalse();
    assertThat(object.get(WHERE)).startsWith("cluster-object-");
    assertThat(object.in(ObjectSpace.of(one)).get(WHERE))
        .isEqualTo(Thread.currentThread().getName());
  }

  @Test
  void returnsTheLogForATypeThatNoNodeExecutes() {
    SharedObject<Long> object = remote("log", UNKNOWN);
    object.call(ADD, 5L);

    assertThat(object.call(TAKE, 2L)).isEqualTo(3);
    assertThat(object.get(SUM)).isEqualTo(3);
    assertThat(object.get(WHERE)).isEqualTo(Thread.currentThread().getName());
  }

  @Test
  void returnsTheLogForAnotherVersionOfAType() {
    SharedObject<Long> object = remote("version", ACCOUNT.withVersion(2));

    assertThat(object.get(WHERE)).isEqualTo(Thread.currentThread().getName());
  }

  @Test
  void snapshotsAndTransactionsExecuteOnTheOwnerToo() {
    SharedObject<Long> object = remote("transaction", ACCOUNT);
    object.call(ADD, 5L);
    ObjectSpace space = ObjectSpace.of(other);

    String snapshot = space.snapshot(then -> object.in(then).get(WHERE));
    long left =
        space.transact(
            tx -> {
              assertThat(object.in(tx).get(WHERE)).startsWith("cluster-object-");
              long take = object.in(tx).call(TAKE, 1L);
              assertThat(object.in(tx).get(SUM)).isEqualTo(take);
              return object.in(tx).call(TAKE, 1L);
            });

    assertThat(snapshot).startsWith("cluster-object-");
    assertThat(left).isEqualTo(3);
    assertThat(object.in(ObjectSpace.of(one)).get(SUM)).isEqualTo(3);
  }

  @Test
  void linearizesCallsOfManyClients() throws Exception {
    SharedObject<Long> far = remote("hot", ACCOUNT);
    SharedObject<Long> near = far.in(ObjectSpace.of(one));
    far.call(ADD, 60L);
    ExecutorService clients = Executors.newFixedThreadPool(4);
    List<Future<List<Long>>> all = new ArrayList<>();
    for (int client = 0; client < 4; client++) {
      SharedObject<Long> object = client % 2 == 0 ? far : near;
      all.add(
          clients.submit(
              () -> {
                List<Long> left = new ArrayList<>();
                for (int i = 0; i < 15; i++) {
                  left.add(object.call(TAKE, 1L));
                }
                return left;
              }));
    }

    List<Long> left = new ArrayList<>();
    for (Future<List<Long>> client : all) {
      left.addAll(client.get());
    }
    clients.shutdown();

    assertThat(left).doesNotHaveDuplicates().hasSize(60);
    assertThat(far.get(SUM)).isZero();
    assertThat(far.position()).isEqualTo(61);
  }

  @Test
  void aNodeReadsAcknowledgedCommitsOfAnother() {
    SharedObject<Long> far = remote("acknowledged", ACCOUNT);
    SharedObject<Long> kept =
        ObjectSpace.of(other).open("lists", "acknowledged", ACCOUNT, View.LOCAL);
    SharedObject<Long> near = far.in(ObjectSpace.of(one));
    SharedObject<Long> nearOfKept = kept.in(ObjectSpace.of(one));
    for (long sum = 1; sum <= 100; sum++) {
      near.call(ADD, 1L);
      assertThat(far.get(SUM)).isEqualTo(sum);

      far.call(ADD, 0L);
      assertThat(near.position()).isEqualTo(2 * sum);

      nearOfKept.call(ADD, 1L);
      assertThat(kept.state()).isEqualTo(sum);
    }
  }

  @Test
  void exceptionsReturnByName() {
    SharedObject<Long> object = remote("exceptions", ACCOUNT);

    assertThatThrownBy(() -> object.call(TAKE, 1L))
        .isInstanceOf(CallFailedException.class)
        .hasMessageContaining(NoMoneyException.class.getName() + ": only 0");
    assertThatThrownBy(() -> object.get(FAIL))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("as the server reported");
    assertThat(object.position()).isZero();
  }

  @SuppressWarnings("unchecked") // the cast is never executed
  private static <T extends Throwable> Long thrown(Throwable what) throws T {
    throw (T) what;
  }

  @Test
  void checkedExceptionsAndErrorsReturnToo() {
    SharedObject<Long> object = remote("errors", ACCOUNT);

    for (int which = 0; which < THROWN.size(); which++) {
      long number = which;
      assertThatThrownBy(() -> object.get(THROW, number))
          .isInstanceOf(CallFailedException.class)
          .hasMessageContaining(THROWN.get(which).getClass().getName());
    }
    assertThat(object.get(SUM)).isZero();
  }

  @Test
  void refusesResultsLargerThanAValue() {
    assertThatThrownBy(() -> remote("large", ACCOUNT).get(LARGE))
        .isInstanceOf(LimitExceededException.class)
        .hasMessageContaining("account.large");
  }

  @Test
  void summarizesLogsRemotely() {
    SharedObject<Long> object = remote("summed up", ACCOUNT);
    for (int i = 0; i < 1_000; i++) {
      object.call(ADD, 2L);
      if (i % 20 == 0) {
        object.call(TAKE, 1L);
      }
    }

    assertThat(object.get(SUM)).isEqualTo(1_950);
    assertThat(other.read(object.log().first())).isPositive();
  }

  @Test
  void aCallThatDoesNotReturnDisturbsNothingElse() throws Exception {
    SharedObject<Long> object = remote("hanging", ACCOUNT);
    object.call(ADD, 5L);
    List<CompletableFuture<Throwable>> hanging = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      hanging.add(failure);
      new Thread(() -> failure.complete(failureOf(object))).start();
    }
    AtomicBoolean isOver = new AtomicBoolean();
    long others = 0;
    CompletableFuture<Void> all =
        CompletableFuture.allOf(hanging.toArray(CompletableFuture[]::new))
            .thenRun(() -> isOver.set(true));
    while (!isOver.get()) {
      assertThat(object.get(SUM)).isEqualTo(5);
      others++;
    }
    all.join();

    assertThat(others).isPositive();
    for (CompletableFuture<Throwable> failure : hanging) {
      assertThat(failure.get())
          .isInstanceOfAny(ReadTimeoutException.class, PartitionUnavailableException.class)
          .hasMessageContaining("account.hang");
    }
    assertThat(failureOf(object))
        .isInstanceOf(PartitionUnavailableException.class)
        .hasMessageContaining("an earlier call of it has not returned");
    assertThat(object.get(SUM)).isEqualTo(5);
  }

  private static Throwable failureOf(SharedObject<Long> object) {
    try {
      return new AssertionError("returned " + object.get(HANG));
    } catch (RuntimeException e) {
      return e;
    }
  }

  @Test
  void collectionsNeedNoTypes() {
    ObjectSpace far = ObjectSpace.of(other);
    SharedMap<String, String> map = SharedMap.open(far, "maps", "map", TEXT, TEXT);
    SharedList<String> list = SharedList.open(far, "lists", "list", TEXT);
    for (int i = 0; !isRemote(list.object()); i++) {
      list = SharedList.open(far, "lists", "list " + i, TEXT);
    }

    assertThat(map.put("a", "1")).isNull();
    assertThat(map.put("a", "2")).isEqualTo("1");
    assertThat(map.get("a")).isEqualTo("2");
    assertThat(map).hasSize(1);
    list.addAll(List.of("x", "y", "z"));
    assertThat(list.asStack().pop()).isEqualTo("z");
    assertThat(list.asQueue().peek()).isEqualTo("x");
    assertThat(list.indexOf("y")).isEqualTo(1);
    assertThat(list.indexOf("z")).isEqualTo(-1);
    // It comes without the stack trace of the node that has the list.
    SharedList<String> there = list;
    assertThatThrownBy(() -> there.get(2))
        .isInstanceOf(IndexOutOfBoundsException.class)
        .satisfies(
            thrown ->
                assertThat(thrown.getStackTrace())
                    .noneMatch(frame -> frame.getClassName().endsWith("object.collection.Tree")));
  }

  @Test
  void nodesWithOtherTypesDoNotJoin() throws IOException {
    try (NodeRuntime stranger =
        NodeRuntime.start(
            settings("n9", Ports.free(1).get(0), ObjectTypes.of(ACCOUNT.withVersion(2))))) {
      assertThatThrownBy(stranger::await)
          .isInstanceOf(JoinRefusedException.class)
          .hasMessageContaining("node n9 executes the object types [account 2 [")
          .hasMessageContaining(" [account 1 [add, fail, ");
    }
  }
}
