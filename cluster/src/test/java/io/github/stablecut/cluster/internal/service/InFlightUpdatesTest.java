package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.option.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which updates of a connection are in flight at the same time. */
class InFlightUpdatesTest {
  private static final long MAX_BYTES = 1 << 20;
  private static final int PARTITIONS = 2;

  @TempDir private Path directory;
  private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final OtherEnd other = new OtherEnd();
  private Store store;
  private Session session;

  /** Counters of one partition. */
  private List<CounterKey> counters;

  private CounterKey elsewhere;
  private int released;

  @BeforeEach
  void connect() {
    store =
        Stablecut.open(
            directory.resolve("data"), StoreOptions.defaults().withPartitions(PARTITIONS));
    session = TestService.of(store, tasks::add, System::nanoTime).connect(other);
    List<CounterKey> all =
        IntStream.range(0, 4 * InFlightCommits.MAX)
            .mapToObj(i -> Key.counter("posts", "likes " + i))
            .toList();
    // Loads them into memory.
    store.update(all.stream().map(key -> key.increment(0)).toArray(Update[]::new));
    all.forEach(key -> assertThat(store.read(key)).isZero());
    int first = store.partitionOf(all.get(0));
    counters = all.stream().filter(key -> store.partitionOf(key) == first).toList();
    elsewhere = all.stream().filter(key -> store.partitionOf(key) != first).findAny().orElseThrow();
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void receive(Request request) {
    session.received(Frames.received(RequestCodec.write(request, MAX_BYTES)), () -> released++);
  }

  private static BoundObject object(CounterKey key) {
    return new BoundObject(key.key(), WireType.COUNTER, key.bucket());
  }

  private void increment(CounterKey key) {
    receive(
        new Request.StaticUpdate(
            Optional.empty(), List.of(new ObjectUpdate(object(key), new WireOperation.Count(1)))));
  }

  private void read(CounterKey key) {
    receive(new Request.StaticRead(Optional.empty(), List.of(object(key))));
  }

  private List<Response> answers() {
    return other.answers.stream().map(frame -> ResponseCodec.read(Frames.received(frame))).toList();
  }

  /** Runs the tasks of other threads until a number of answers has arrived. */
  private void untilAnswered(int count) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (other.answers.size() < count) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Runnable task = tasks.poll();
      Runnable next = task == null ? other.toRead.poll(1, TimeUnit.MILLISECONDS) : task;
      if (next != null) {
        next.run();
      }
    }
  }

  /** Waits until a number of commits is durable and unanswered. */
  private void untilCommitted(int count) throws InterruptedException {
    long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (other.toRead.size() < count) {
      assertThat(System.nanoTime()).isLessThan(deadlineNanos);
      Thread.onSpinWait();
    }
  }

  @Test
  void updatesOfDifferentObjectsWaitForNoSync() throws InterruptedException {
    counters.subList(0, 8).forEach(this::increment);

    untilCommitted(8);
    assertThat(other.answers).isEmpty();
    assertThat(tasks).isEmpty();
    assertThat(session.isIdle()).isFalse();
    untilAnswered(8);
    assertThat(answers()).allMatch(Response.Committed.class::isInstance);
    assertThat(session.isIdle()).isTrue();
    assertThat(released).isEqualTo(8);
  }

  @Test
  void anUpdateOfTheSameObjectWaitsAndSoDoLaterOnes() throws InterruptedException {
    CounterKey same = counters.get(0);
    increment(same);
    increment(same);
    increment(counters.get(1));

    untilCommitted(1);
    assertThat(store.read(same)).isOne();
    Objects.requireNonNull(other.toRead.poll()).run();
    // The reading thread executes the other two, too.
    assertThat(tasks).isEmpty();
    untilCommitted(2);
    untilAnswered(3);
    assertThat(store.read(same)).isEqualTo(2);
  }

  @Test
  void anUpdateOfAnotherPartitionWaits() throws InterruptedException {
    increment(counters.get(0));
    increment(elsewhere);

    untilCommitted(1);
    assertThat(store.read(elsewhere)).isZero();
    untilAnswered(2);
    assertThat(store.read(elsewhere)).isOne();
  }

  @Test
  void aReadWaitsForEarlierUpdates() throws InterruptedException {
    counters.subList(0, 3).forEach(this::increment);
    read(counters.get(2));
    assertThat(other.answers).isEmpty();

    untilAnswered(4);

    assertThat(answers().get(3))
        .isInstanceOfSatisfying(
            Response.StaticValues.class,
            read -> assertThat(read.values()).singleElement().isEqualTo(new WireValue.Count(1)));
  }

  @Test
  void theirNumberIsLimited() throws InterruptedException {
    for (CounterKey key : counters) {
      session.rested();
      increment(key);
    }

    untilCommitted(InFlightCommits.MAX);
    assertThat(other.toRead).hasSize(InFlightCommits.MAX);
    untilAnswered(counters.size());
    assertThat(released).isEqualTo(counters.size());
  }

  /** Answers of other threads are sent first. */
  @Test
  void noAnswerOvertakesOneInTransit() throws InterruptedException {
    increment(counters.get(0));
    untilCommitted(1);
    other.isSending = true;

    Objects.requireNonNull(other.toRead.poll()).run();

    assertThat(other.answers).isEmpty();
    assertThat(tasks).hasSize(1);
    untilAnswered(1);
  }

  @Test
  void allAreAnsweredInOrderIfTheStoreIsClosed() throws InterruptedException {
    counters.subList(0, 5).forEach(this::increment);
    store.close();

    untilAnswered(5);

    assertThat(answers()).hasSize(5);
    assertThat(released).isEqualTo(5);
  }

  @Test
  void noAnswerFollowsAFailedOne() throws InterruptedException {
    counters.subList(0, 3).forEach(this::increment);
    untilCommitted(3);
    other.fails = true;
    Objects.requireNonNull(other.toRead.poll()).run();
    other.fails = false;

    while (!other.toRead.isEmpty()) {
      other.toRead.remove().run();
    }

    assertThat(other.isClosed).isTrue();
    assertThat(other.answers).isEmpty();
    assertThat(released).isEqualTo(3);
  }

  /** All requests are answered in order, and a read sees all updates before it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
  void asIfExecutedOneAfterTheOther(int seed) throws InterruptedException {
    Random random = new Random(seed);
    List<CounterKey> keys = new ArrayList<>(counters.subList(0, 6));
    keys.add(elsewhere);
    long[] counts = new long[keys.size()];
    List<Optional<Long>> expected = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      int chosen = random.nextInt(keys.size());
      if (random.nextInt(4) > 0) {
        increment(keys.get(chosen));
        counts[chosen]++;
        expected.add(Optional.empty());
      } else {
        read(keys.get(chosen));
        expected.add(Optional.of(counts[chosen]));
      }
      if (random.nextInt(5) == 0) {
        session.rested();
      }
      if (random.nextInt(10) == 0) {
        untilAnswered(Math.max(0, expected.size() - random.nextInt(50)));
      }
    }

    untilAnswered(expected.size());

    assertThat(answers().stream().map(InFlightUpdatesTest::value)).isEqualTo(expected);
    assertThat(released).isEqualTo(expected.size());
  }

  private static Optional<Long> value(Response answer) {
    if (answer instanceof Response.StaticValues read) {
      return Optional.of(((WireValue.Count) read.values().get(0)).value());
    }
    assertThat(answer).isInstanceOf(Response.Committed.class);
    return Optional.empty();
  }
}
