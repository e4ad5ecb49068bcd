package io.github.stablecut.cluster.internal.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.RequestCodec;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.error.RetryException;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The requests of a connection: how many may wait, and failures to answer. */
class SessionTest {
  @TempDir private Path directory;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final OtherEnd other = new OtherEnd();
  private Store store;

  @BeforeEach
  void open() {
    store = Stablecut.open(directory.resolve("data"));
  }

  private Session connect() {
    return TestService.of(store, tasks::add, System::nanoTime).connect(other);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static Deque<byte[]> tiny() {
    return new ArrayDeque<>(List.of(new byte[0]));
  }

  @Test
  void readingStopsAtAMaximumOfWaitingRequestsUntilHalfAreAnswered() {
    Session session = connect();
    int taken = 0;
    while (session.isTaking() && taken < 10_000) {
      session.received(tiny(), () -> {});
      taken++;
    }

    assertThat(taken).isEqualTo(128);
    assertThat(other.isRead).isFalse();
    tasks.remove().run();
    assertThat(other.answers).as("one batch").hasSize(32);
    assertThat(session.isTaking()).isFalse();
    tasks.remove().run();
    assertThat(session.isTaking()).isTrue();
    assertThat(other.isRead).isTrue();
  }

  private static Deque<byte[]> frame(Call call) {
    return Frames.received(CallFrame.write(CallFrame.CALL, CallCodec.encode(call)));
  }

  private List<Integer> codes() {
    return other.answers.stream().map(answer -> Frames.received(answer).peek()[0] & 0xff).toList();
  }

  @Test
  void keepAlivesAreSentDuringACall() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    Store slow =
        (Store)
            Proxy.newProxyInstance(
                Store.class.getClassLoader(),
                new Class<?>[] {Store.class},
                (proxy, method, arguments) -> {
                  begun.countDown();
                  mayEnd.await();
                  return method.invoke(store, arguments);
                });
    Session session = TestService.of(slow, tasks::add, System::nanoTime).connect(other);
    session.received(frame(Call.Plain.STATUS), () -> {});
    Thread worker = new Thread(tasks.remove());
    worker.start();
    begun.await();

    session.sayAlive(0);
    session.sayAlive(Long.MAX_VALUE);

    assertThat(codes()).containsExactly(CallFrame.ALIVE);
    mayEnd.countDown();
    worker.join();
    session.sayAlive(0);
    assertThat(codes()).containsExactly(CallFrame.ALIVE, CallFrame.ANSWER);
  }

  @Test
  void keepAlivesAreSentWhileTheAnswerWaitsForMemory() {
    Session session = connect();
    other.meanwhile = () -> session.sayAlive(0);
    session.received(frame(Call.Plain.STATUS), () -> {});

    tasks.remove().run();

    assertThat(codes()).containsExactly(CallFrame.ALIVE, CallFrame.ANSWER);
    session.sayAlive(0);
    assertThat(other.answers).hasSize(2);
  }

  @Test
  void antidotesClientsGetNoKeepAlives() {
    Session session = connect();
    BoundObject object =
        new BoundObject(Bytes.utf8("not in memory"), WireType.COUNTER, Bytes.utf8("b"));
    Request read = new Request.StaticRead(Optional.empty(), List.of(object));
    session.received(Frames.received(RequestCodec.write(read, 1 << 20)), () -> {});

    session.sayAlive(0);

    assertThat(other.answers).isEmpty();
    tasks.remove().run();
    assertThat(codes()).hasSize(1).doesNotContain(CallFrame.ALIVE);
  }

  @Test
  void anErrorWhileAnsweringClosesTheConnectionAndReleasesTheMemory() {
    Session session = connect();
    int[] released = {0};
    other.fails = true;
    session.received(tiny(), () -> released[0]++);
    session.received(tiny(), () -> released[0]++);

    tasks.remove().run();

    assertThat(other.isClosed).isTrue();
    assertThat(released[0]).isEqualTo(2);
    assertThat(tasks).isEmpty();
  }

  @Test
  void anAnswerWithoutMemoryIsReplacedByAnError() {
    Session session = connect();
    other.isFull = true;
    session.received(tiny(), () -> {});

    tasks.remove().run();

    assertThat(other.answers).hasSize(2);
    assertThat(other.isClosed).isFalse();
  }

  @Test
  void anAnswerBeyondTheMemoryIsNotEncoded() {
    RegisterKey<String> key = Key.register("b", "k", Codec.string());
    store.update(key.assign("x".repeat(100_000)));
    BoundObject object = new BoundObject(key.key(), WireType.LWWREG, key.bucket());
    other.availableBytes = 50_000;

    Request read = new Request.StaticRead(Optional.empty(), List.of(object));
    connect().received(Frames.received(RequestCodec.write(read, 1 << 20)), () -> {});
    tasks.remove().run();

    assertThat(other.answers).hasSize(1);
    assertThat(ResponseCodec.read(Frames.received(other.answers.get(0))))
        .isInstanceOfSatisfying(
            Response.Failed.class, failed -> assertThat(failed.code()).isEqualTo(ErrorCode.BUSY));
    assertThat(other.isClosed).isFalse();
  }

  /** A frame of two chunks that throws an error when read. */
  private static final class FailingFrame extends ArrayDeque<byte[]> {
    private static final long serialVersionUID = 1L;
    private final boolean isUnreadable;
    private int read;

    FailingFrame(boolean isUnreadable) {
      super(List.of(new byte[] {(byte) CallFrame.CALL}, new byte[] {CallFrame.VERSION}));
      this.isUnreadable = isUnreadable;
    }

    @Override
    public Iterator<byte[]> iterator() {
      if (read++ > 0) {
        throw new OutOfMemoryError("injected");
      }
      return super.iterator();
    }

    @Override
    public byte[] peek() {
      if (isUnreadable) {
        throw new OutOfMemoryError("injected");
      }
      return super.peek();
    }
  }

  @Test
  void aCallWithoutMemoryIsAnsweredWithAnErrorAndReleasesItsOwn() {
    int[] released = {0};
    Session session = connect();
    session.received(new FailingFrame(false), () -> released[0]++);

    tasks.remove().run();

    assertThat(AnswerCodec.decodeFrame(Bytes.wrap(frame(other.answers.get(0)))))
        .isInstanceOfSatisfying(
            Answer.Failed.class,
            failed ->
                assertThat(CallFailures.exception(failed)).isInstanceOf(RetryException.class));
    assertThat(released[0]).isOne();
    assertThat(other.isClosed).isFalse();
  }

  private static byte[] frame(List<ByteBuffer> answer) {
    return Frames.received(answer).remove();
  }

  @Test
  void anUnreadableRequestReleasesItsMemoryBeforeTheConnectionCloses() {
    int[] released = {0};
    connect().received(new FailingFrame(true), () -> released[0]++);
    Session queued = connect();
    queued.received(tiny(), () -> released[0]++);
    queued.received(new FailingFrame(true), () -> released[0]++);

    tasks.remove().run();

    assertThat(released[0]).isEqualTo(3);
    assertThat(other.isClosed).isTrue();
  }

  @Test
  void aRequestThatTheExecutorRejectsClosesTheConnection() {
    Session session =
        TestService.of(
                store,
                task -> {
                  throw new OutOfMemoryError("injected");
                },
                System::nanoTime)
            .connect(other);
    int[] released = {0};

    session.received(tiny(), () -> released[0]++);

    assertThat(other.isClosed).isTrue();
    assertThat(released[0]).isOne();
  }
}
