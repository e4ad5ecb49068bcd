package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.CausalToken;
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
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which requests the reading thread answers itself, and which it leaves to others. */
class AnsweredAtOnceTest {
  private static final CounterKey LIKES = Key.counter("posts", "likes");
  private static final BoundObject OBJECT =
      new BoundObject(LIKES.key(), WireType.COUNTER, LIKES.bucket());
  private static final long MAX_BYTES = 1 << 20;

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
  void aReadOfWhatIsInMemory() {
    CausalToken token = store.update(LIKES.increment(3));
    assertThat(store.read(LIKES)).isEqualTo(3);

    receiveRead(Optional.empty());
    receiveRead(Optional.of(Clocks.of(token)));

    assertThat(tasks).isEmpty();
    assertThat(values()).containsExactly(3L, 3L);
    assertThat(session.isIdle()).isTrue();
  }

  @Test
  void notAReadThatMayHaveToWait() {
    receiveRead(Optional.empty());

    assertThat(other.answers).isEmpty();
    runTasks();
    assertThat(values()).containsExactly(0L);
  }

  @Test
  void notAReadWithTheClockOfAnotherStore() {
    var unused = store.update(LIKES.increment(3));
    assertThat(store.read(LIKES)).isEqualTo(3);
    CausalToken here = store.snapshot().token();
    CausalToken foreign = new CausalToken(here.storeId() + 1, here.vector());

    receiveRead(Optional.of(Clocks.of(foreign)));

    assertThat(other.answers).isEmpty();
    runTasks();
    assertThat(answers()).hasSize(1).allMatch(Response.Failed.class::isInstance);
  }

  @Test
  void nothingBeforeWhatCameEarlier() throws InterruptedException {
    var unused = store.update(LIKES.increment(3));
    assertThat(store.read(LIKES)).isEqualTo(3);

    receive(
        new Request.StaticUpdate(
            Optional.empty(), List.of(new ObjectUpdate(OBJECT, new WireOperation.Count(4)))));
    receiveRead(Optional.empty());

    assertThat(other.answers).isEmpty();
    while (other.answers.size() < 2) {
      // The commit is answered by whoever makes it durable, who may leave the rest to a task.
      Runnable next = tasks.poll(1, TimeUnit.MILLISECONDS);
      if (next != null) {
        next.run();
      }
    }
    assertThat(answers().get(0)).isInstanceOf(Response.Committed.class);
    assertThat(values()).containsExactly(7L);
  }

  @Test
  void notMoreThanOthersCanWaitFor() {
    var unused = store.update(LIKES.increment(3));
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
}
