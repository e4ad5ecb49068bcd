package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.causality.VectorClock;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.cluster.internal.service.handle.Clocks;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.CrdtCodec;
import io.github.stablecut.crdt.counter.PnCounter;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Query;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.StreamKey;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which requests the reading thread answers itself, and which it leaves to workers. */
class AnsweredAtOnceTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final BoundObject OBJECT =
      new BoundObject(LIKES.key(), WireType.COUNTER, LIKES.bucket());
  private static final long MAX_BYTES = 1 << 20;
  private static final RecursiveMapKey MAP = Key.map("posts", "map");
  private static final AddWinsSetKey<String> TAGS = Key.addWinsSet("posts", "tags", Codec.string());

  /** A register with the counter's id. */
  private static final RegisterKey<String> NAME = Key.register("posts", "likes", Codec.string());

  private static final StreamKey<String> LOG = Key.stream("posts", "log", Codec.string());

  @TempDir private Path directory;
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final OtherEnd other = new OtherEnd();
  private Store store;
  private Session session;

  @BeforeEach
  void connect() {
    store = Stablecut.open(directory.resolve("data"));
    session = TestService.of(store, tasks::add, System::nanoTime).connect(other);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void receive(Request request) {
    session.received(Frames.received(RequestCodec.write(request, MAX_BYTES)), () -> {});
  }

  private void receiveRead(Optional<Bytes> clock) {
    receive(new Request.StaticRead(clock, List.of(OBJECT)));
  }

  private void call(Call call) {
    session.received(
        Frames.received(CallFrame.write(CallFrame.CALL, CallCodec.encode(call))), () -> {});
  }

  private static Call.Read readOf(Query<?>... queries) {
    return new Call.Read(Call.Freshness.NEWEST, Optional.empty(), List.of(queries));
  }

  private Answer.Values valuesOfCall(int number) {
    Answer answer =
        AnswerCodec.decodeFrame(CallFrame.join(Frames.received(other.answers.get(number))));
    assertThat(answer).isInstanceOf(Answer.Values.class);
    return (Answer.Values) answer;
  }

  private long counted(int number) {
    return CrdtCodec.decodeState(PnCounter.TYPE, valuesOfCall(number).answers().get(0).toArray())
        .longValue();
  }

  @Test
  void aCallThatReadsFromMemoryEvenAfterAReachedPoint() {
    CausalToken token = store.update(LIKES.increment(3), TAGS.add("a"));
    assertThat(store.read(LIKES) + store.read(TAGS).size()).isEqualTo(4);

    call(readOf(LIKES));
    call(new Call.AfterPoint(token, readOf(LIKES)));
    call(readOf(TAGS.contains("a")));

    assertThat(tasks).isEmpty();
    assertThat(List.of(counted(0), counted(1))).containsOnly(3L);
    assertThat(valuesOfCall(1).at()).isEqualTo(token);
    assertThat(valuesOfCall(2).answers()).hasSize(1);
    assertThat(session.isIdle()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("callsForWorkers")
  void notACallThatMayWaitOrTakeLong(Call call) {
    store.update(LIKES.increment(3), MAP.counter("in it").increment(), LOG.append("x"));
    assertThat(store.read(LIKES)).isEqualTo(3);
    assertThat(store.read(MAP)).isNotNull();
    assertThat(store.read(LOG.tail())).isOne();

    call(call);

    assertThat(other.answers).isEmpty();
    runTasks();
    assertThat(other.answers).hasSize(1);
  }

  static Stream<Call> callsForWorkers() {
    CausalToken past = new CausalToken(1, 1, VectorClock.ZERO);
    return Stream.of(
        readOf(Key.counter("posts", "not in memory")),
        readOf(MAP.counter("in it")),
        readOf(LOG.tail()),
        new Call.Read(Call.Freshness.LATEST, Optional.empty(), List.of(LIKES)),
        new Call.Read(Call.Freshness.NEWEST, Optional.of(past), List.of(LIKES)),
        new Call.AfterPoint(past, readOf(LIKES)),
        readOf(Collections.nCopies(9, LIKES).toArray(Query<?>[]::new)),
        Call.Plain.STATUS);
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  private List<Response> answers() {
    return other.answers.stream().map(frame -> ResponseCodec.read(Frames.received(frame))).toList();
  }

  private List<Long> values() {
    return answers().stream()
        .flatMap(
            answer ->
                answer instanceof Response.StaticValues read
                    ? read.values().stream()
                    : Stream.<WireValue>empty())
        .map(value -> ((WireValue.Count) value).value())
        .toList();
  }

  @Test
  void aReadFromMemory() {
    CausalToken token = store.update(LIKES.increment(3));
    assertThat(store.read(LIKES)).isEqualTo(3);

    receiveRead(Optional.empty());
    receiveRead(Optional.of(Clocks.of(token)));

    assertThat(tasks).isEmpty();
    assertThat(values()).containsExactly(3L, 3L);
    assertThat(session.isIdle()).isTrue();
  }

  @Test
  void notAReadThatMayWait() {
    receiveRead(Optional.empty());

    assertThat(other.answers).isEmpty();
    runTasks();
    assertThat(values()).containsExactly(0L);
  }

  @Test
  void notAReadWithTheClockOfAnotherStore() {
    store.update(LIKES.increment(3));
    assertThat(store.read(LIKES)).isEqualTo(3);
    CausalToken here = store.snapshot().token();
    CausalToken foreign = new CausalToken(here.storeId() + 1, here.vector());

    receiveRead(Optional.of(Clocks.of(foreign)));

    assertThat(other.answers).isEmpty();
    runTasks();
    assertThat(answers()).hasSize(1).allMatch(Response.Failed.class::isInstance);
  }

  @Test
  void nothingBeforeEarlierRequests() throws InterruptedException {
    store.update(LIKES.increment(3));
    assertThat(store.read(LIKES)).isEqualTo(3);

    receive(count(4));
    receiveRead(Optional.empty());

    assertThat(other.answers).isEmpty();
    runReader();
    assertThat(tasks).isEmpty();
    assertThat(answers().get(0)).isInstanceOf(Response.Committed.class);
    assertThat(values()).containsExactly(7L);
  }

  /** Another thread may have queued its answer for the reading thread. */
  @Test
  void nothingBeforeAnAnswerInTransit() {
    store.update(LIKES.increment(3));
    assertThat(store.read(LIKES)).isEqualTo(3);
    other.isSending = true;

    receiveRead(Optional.empty());
    receive(count(1));

    assertThat(other.answers).isEmpty();
    assertThat(other.toRead).isEmpty();
    assertThat(tasks).isNotEmpty();
  }

  @Test
  void notMoreThanABatch() {
    store.update(LIKES.increment(3));
    assertThat(store.read(LIKES)).isEqualTo(3);
    while (tasks.isEmpty()) {
      receiveRead(Optional.empty());
    }
    int atOnce = other.answers.size();
    assertThat(atOnce).isBetween(2, 100);
    runTasks();
    assertThat(values()).hasSize(atOnce + 1).containsOnly(3L);

    session.rested();
    receiveRead(Optional.empty());

    assertThat(tasks).isEmpty();
    assertThat(values()).hasSize(atOnce + 2);
  }

  private static Request.StaticUpdate count(int up) {
    return new Request.StaticUpdate(
        Optional.empty(), List.of(new ObjectUpdate(OBJECT, new WireOperation.Count(up))));
  }

  /** Runs the next task of the reading thread, on the test's thread, once a commit is durable. */
  private void runReader() throws InterruptedException {
    Objects.requireNonNull(other.toRead.poll(1, TimeUnit.MINUTES)).run();
  }

  @Test
  void theReadingThreadCommitsAndAnswersAnUpdateThatNeedsNoWait() throws Exception {
    store.update(LIKES.increment(3));

    receive(count(1));
    assertThat(other.answers).isEmpty();
    runReader();

    assertThat(answers()).singleElement().isInstanceOf(Response.Committed.class);
    assertThat(store.read(LIKES)).isEqualTo(4);

    call(new Call.Write(List.of(LIKES.increment(2))));
    runReader();

    Answer answer = AnswerCodec.decodeFrame(CallFrame.join(Frames.received(other.answers.get(1))));
    assertThat(answer).isInstanceOf(Answer.Point.class);
    assertThat(store.read(LIKES)).isEqualTo(6);
    assertThat(tasks).isEmpty();
    assertThat(session.isIdle()).isTrue();
  }

  @ParameterizedTest
  @MethodSource("writesForWorkers")
  void notAnUpdateThatMayWait(Call call) {
    store.update(LIKES.increment(3), TAGS.add("a"));

    call(call);

    assertThat(tasks).hasSize(1);
    assertThat(other.toRead).isEmpty();
    assertThat(store.read(LIKES)).isEqualTo(3);
  }

  static Stream<Call> writesForWorkers() {
    CausalToken past = new CausalToken(1, 1, VectorClock.ZERO);
    return Stream.of(
        new Call.Write(List.of(Key.counter("posts", "not there").increment())),
        new Call.Write(List.of(LIKES.increment(), TAGS.remove("a"))),
        new Call.Write(Collections.nCopies(9, LIKES.increment())),
        new Call.Write(List.of(LIKES.increment(), NAME.assign("also a register"))),
        new Call.AfterPoint(past, new Call.Write(List.of(LIKES.increment()))));
  }

  @Test
  void anUpdateOfAClosedStoreIsAnsweredOnce() {
    store.update(LIKES.increment(3));
    store.close();

    receive(count(1));

    assertThat(tasks).hasSize(1);
    runTasks();
    assertThat(answers()).singleElement().isInstanceOf(Response.Failed.class);
  }
}
