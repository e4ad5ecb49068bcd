package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.TypeMismatchException;
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
import io.github.stablecut.object.WrongDataCentreException;
import io.github.stablecut.object.collection.SharedList;
import io.github.stablecut.object.collection.SharedMap;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Objects of a store connected to a server: where and when their operations execute. */
final class RemoteObjectsTest {
  private static final AtomicInteger NAMES = new AtomicInteger();
  private static final Codec<Long> NUMBER = Codec.int64();

  private static final Mutator<Long, Long> ADD =
      Operation.mutator("add", NUMBER, (sum, more) -> sum + more);
  private static final MutatorAccessor<Long, Long, Long> TAKE =
      Operation.mutatorAccessor("take", NUMBER, NUMBER, RemoteObjectsTest::take);
  private static final Accessor<Long, Long, Boolean> HAS =
      Operation.accessor("has", NUMBER, Codec.bool(), (sum, minimum) -> sum >= minimum);
  private static final Accessor<Long, None, String> WHERE =
      Operation.accessor("where", Codec.string(), sum -> Thread.currentThread().getName());
  private static final Mutator<Long, Long> MULTIPLY =
      Operation.mutator("multiply", NUMBER, (sum, factor) -> sum * factor);

  /** The server has the code of this type, and not that of the other. */
  private static final ObjectType<Long> KNOWN =
      ObjectType.of("known", NUMBER, 0L).with(ADD, TAKE, HAS, WHERE);

  private static final ObjectType<Long> UNKNOWN =
      ObjectType.of("unknown", NUMBER, 0L).with(ADD, TAKE, HAS, WHERE);

  private static final Codec<Long> UNREADABLE =
      NUMBER.map(number -> number, RemoteObjectsTest::failing);
  private static final Codec<Long> UNWRITABLE =
      NUMBER.map(RemoteObjectsTest::failing, number -> number);

  /** The server's types, which differ partly from the client's. */
  private static final ObjectTypes OF_SERVER =
      ObjectTypes.of(
          KNOWN,
          ObjectType.of("versions", NUMBER, 0L).withVersion(2).with(ADD, TAKE),
          ObjectType.of("kinds", NUMBER, 0L)
              .with(Operation.accessor("take", NUMBER, NUMBER, (sum, less) -> sum - less)),
          ObjectType.of("arguments", NUMBER, 0L)
              .with(Operation.accessor("has", UNREADABLE, Codec.bool(), (sum, minimum) -> true)),
          ObjectType.of("results", NUMBER, 0L)
              .with(Operation.accessor("has", NUMBER, UNWRITABLE, (sum, minimum) -> sum)),
          ObjectType.of("other results", NUMBER, 0L)
              .with(Operation.accessor("has", NUMBER, NUMBER, (sum, minimum) -> 300L)),
          ObjectType.of("states", UNREADABLE, 0L).with(ADD, HAS));

  @TempDir private static Path directory;
  private static Server server;
  private CallProxy proxy;
  private Store store;
  private ObjectSpace space;

  private static long failing(long number) {
    throw new IllegalStateException("a codec that fails");
  }

  private static Outcome<Long, Long> take(long sum, long less) {
    if (less > sum) {
      throw new IllegalArgumentException("only " + sum);
    }
    return new Outcome<>(sum - less, sum - less);
  }

  @BeforeAll
  static void start() {
    server =
        Server.start(
            Settings.of(directory).withStore(StoreOptions.defaults().withObjectTypes(OF_SERVER)));
  }

  @BeforeEach
  void connect() throws Exception {
    proxy = new CallProxy(server.address());
    store = Stablecut.connect(proxy.uri());
    space = ObjectSpace.of(store);
  }

  @AfterEach
  void disconnect() {
    store.close();
    proxy.close();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private <S> SharedObject<S> open(ObjectType<S> type, View view) {
    return space.open("objects", "object " + NAMES.incrementAndGet(), type, view);
  }

  /** An object whose type its handle has learned, through a client that has a session. */
  private SharedObject<Long> usedObject(ObjectType<Long> type, View view) {
    SharedObject<Long> object = open(type, view);
    object.call(ADD, 5L);
    assertThat(object.get(HAS, 5L)).isTrue();
    object.call(ADD, 1L);
    proxy.takeCalls();
    return object;
  }

  @Test
  void theServerExecutesTypesOnItsClassPathAndTheClientAllOthers() {
    String here = Thread.currentThread().getName();

    assertThat(open(KNOWN, View.REMOTE).get(WHERE)).isNotEqualTo(here);
    assertThat(open(UNKNOWN, View.REMOTE).get(WHERE)).isEqualTo(here);
    assertThat(open(KNOWN, View.LOCAL).get(WHERE)).isEqualTo(here);
    for (ObjectType<Long> type : List.of(KNOWN, UNKNOWN)) {
      SharedObject<Long> object = open(type, View.REMOTE);
      assertThat(space.<String>transact(tx -> object.in(tx).get(WHERE)).equals(here))
          .isEqualTo(type == UNKNOWN);
      assertThat(space.<String>snapshot(then -> object.in(then).get(WHERE)).equals(here))
          .isEqualTo(type == UNKNOWN);
    }
  }

  @Test
  void aCallTakesAsManyRequestsWhereverItExecutes() {
    for (ObjectType<Long> type : List.of(KNOWN, UNKNOWN)) {
      SharedObject<Long> object = usedObject(type, View.REMOTE);

      assertThat(object.get(HAS, 6L)).isNotNull();
      assertThat(proxy.takeCalls()).containsExactly("Read");
      assertThat(object.position()).isPositive();
      assertThat(proxy.takeCalls()).containsExactly("Read");
      assertThat(object.call(TAKE, 1L)).isEqualTo(5);
      proxy.takeCalls();
      assertThat(requestsOfLeast(() -> object.call(TAKE, 0L))).containsExactly("Read", "WriteOnce");
      assertThat(requestsOfLeast(() -> space.run(tx -> object.in(tx).call(TAKE, 0L))))
          .containsExactly("Begin", "ReadIn", "WriteIn", "End");
      assertThat(requestsOfLeast(() -> space.run(tx -> object.in(tx).call(ADD, 0L))))
          .containsExactly("Begin", "WriteIn", "End");
      assertThat(object.state()).isEqualTo(5);
    }
  }

  /**
   * The requests of a call. Some calls, at random, also check whether to summarize the log; the
   * minimum excludes them.
   */
  private List<String> requestsOfLeast(Runnable call) {
    List<String> least = List.of();
    for (int i = 0; i < 20; i++) {
      call.run();
      List<String> made = proxy.takeCalls();
      least = least.isEmpty() || made.size() < least.size() ? made : least;
    }
    return least;
  }

  @Test
  void aBlindCallTakesOneRequestOnceTheTypeIsKnown() {
    SharedObject<Long> object = usedObject(UNKNOWN, View.REMOTE);

    assertThat(requestsOfLeast(() -> object.call(ADD, 1L))).containsExactly("WriteOnce");
  }

  @Test
  void aViewInTheHandleReceivesOnlyNewCalls() {
    SharedObject<Long> object = usedObject(UNKNOWN, View.LOCAL);

    assertThat(object.get(HAS, 6L)).isTrue();
    assertThat(proxy.takeCalls()).containsExactly("Read");
    assertThat(requestsOfLeast(() -> object.call(TAKE, 0L))).containsExactly("Read", "WriteOnce");
    SharedObject<Long> elsewhere = object.in(ObjectSpace.of(server.store()));
    elsewhere.call(ADD, 10L);
    assertThat(object.call(TAKE, 1L)).isEqualTo(15);
    assertThat(object.state()).isEqualTo(15).isEqualTo(elsewhere.state());
  }

  @Test
  void collectionsExecuteAtTheServer() {
    SharedMap<String, String> map =
        SharedMap.open(space, "maps", "m", Codec.string(), Codec.string());
    SharedList<String> list = SharedList.open(space, "lists", "l", Codec.string());
    map.fastPut("a", "1");
    list.add("x");
    proxy.takeCalls();

    assertThat(map.put("a", "2")).isEqualTo("1");
    proxy.takeCalls();
    assertThat(requestsOfLeast(() -> map.put("a", "2"))).containsExactly("Read", "WriteOnce");
    assertThat(map.get("a")).isEqualTo("2");
    assertThat(proxy.takeCalls()).containsExactly("Read");
    assertThat(map.remove("b")).isNull();
    assertThat(proxy.takeCalls()).containsExactly("Read");
    assertThat(list).hasSize(1);
    assertThat(proxy.takeCalls()).containsExactly("Read");
    assertThatThrownBy(() -> list.get(1)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void aCallWithALostAnswerExecutesOnce() {
    SharedObject<Long> object = usedObject(UNKNOWN, View.REMOTE);
    SharedObject<Long> kept = object.in(ObjectSpace.of(store));

    proxy.loseAnswers(2);
    object.call(ADD, 10L);
    assertThat(proxy.remainingLosses()).isZero();
    proxy.loseAnswers(2);
    assertThat(kept.call(TAKE, 1L)).isEqualTo(15);
    assertThat(proxy.remainingLosses()).isZero();

    assertThat(object.state()).isEqualTo(15);
    assertThat(object.position()).isEqualTo(4);
  }

  @Test
  void refusesAnotherVersionOfAType() {
    ObjectType<Long> ours = ObjectType.of("versions", NUMBER, 0L).with(ADD, TAKE);

    assertThatThrownBy(() -> open(ours, View.REMOTE).call(TAKE, 1L))
        .isInstanceOf(TypeMismatchException.class)
        .hasMessage(
            "the caller of versions.take has version 1 of type versions, and the node or server of the"
                + " object has version 2: use the same classes on both sides");
  }

  @Test
  void refusesAnOperationOfAnotherKind() {
    ObjectType<Long> ours = ObjectType.of("kinds", NUMBER, 0L).with(ADD, TAKE);

    assertThatThrownBy(() -> open(ours, View.REMOTE).call(TAKE, 0L))
        .isInstanceOf(TypeMismatchException.class)
        .hasMessageContaining("the caller has kinds.take as a mutator with a result, and ");
  }

  private static ObjectType<Long> type(String name) {
    return ObjectType.of(name, NUMBER, 0L).with(ADD, HAS);
  }

  @Test
  void namesACodecThatFailsOnOneSide() {
    assertThatThrownBy(() -> open(type("arguments"), View.REMOTE).get(HAS, 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the node or server of the object can't read the argument of an operation of type arguments"
                + " (java.lang.IllegalStateException: a codec that fails): use the same classes on"
                + " both sides");
    assertThatThrownBy(() -> open(type("results"), View.REMOTE).get(HAS, 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "the node or server of the object can't write the result of an operation"
                + " (java.lang.IllegalStateException: a codec that fails): correct its codec");
    assertThatThrownBy(() -> open(type("other results"), View.REMOTE).get(HAS, 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the result of an operation can't be read here (");
  }

  /** Returns the number of calls, each of which adds one, until the log was summarized. */
  private long callUntilSummarized(SharedObject<Long> object) {
    long calls = 0;
    while (store.read(object.log().first()) == 0) {
      assertThat(calls).isLessThan(10_000);
      object.call(ADD, 1L);
      calls++;
    }
    return calls;
  }

  @Test
  void namesAStateThatTheServerCannotRead() {
    SharedObject<Long> object = open(type("states"), View.REMOTE);
    long calls = callUntilSummarized(object);

    assertThatThrownBy(() -> object.get(HAS, 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("an object of type states can't be read at its node or server (");
    assertThat(object.state()).isEqualTo(calls);
  }

  @Test
  void operationsThatOnlyTheClientHasExecuteThere() {
    ObjectType<Long> more = KNOWN.with(MULTIPLY);
    SharedObject<Long> object = open(more, View.REMOTE);
    object.call(ADD, 3L);
    object.call(MULTIPLY, 4L);

    assertThat(object.get(WHERE)).isEqualTo(Thread.currentThread().getName());
    assertThat(object.call(TAKE, 1L)).isEqualTo(11);
    SharedObject<Long> without =
        space.open("objects", object.log().key().toUtf8(), KNOWN, View.REMOTE);
    assertThatThrownBy(() -> without.get(HAS, 1L))
        .isInstanceOf(TypeMismatchException.class)
        .hasMessageContaining("multiply");
  }

  @Test
  void summarizesLogsRemotely() {
    for (View view : View.values()) {
      SharedObject<Long> object = open(UNKNOWN, view);
      long calls = callUntilSummarized(object);
      assertThat(object.call(TAKE, 1L)).isEqualTo(calls - 1);
      assertThat(object.state()).isEqualTo(calls - 1);
    }
  }

  @Test
  void objectsHaveHomes() {
    ObjectSpace here = ObjectSpace.of(store, 0);
    ObjectSpace elsewhere = ObjectSpace.of(store, 3);

    here.open("homes", "here", UNKNOWN).call(ADD, 1L);
    assertThatThrownBy(() -> elsewhere.open("homes", "elsewhere", UNKNOWN).call(ADD, 1L))
        .isInstanceOf(WrongDataCentreException.class);
    assertThat(store.dataCentres().all()).hasSize(1);
  }

  @Test
  void returnsExceptionsOfOperations() {
    assertThatThrownBy(() -> open(KNOWN, View.REMOTE).call(TAKE, 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("only 0");
    assertThatThrownBy(() -> open(UNKNOWN, View.REMOTE).call(TAKE, 1L))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("only 0");
  }
}
