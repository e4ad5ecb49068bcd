package io.github.stablecut.cluster.internal.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.internal.service.TestService;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.handler.timeout.IdleStateEvent;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A connection is closed when its client takes nothing, and not because computing an answer took
 * long.
 */
class ConnectionTest {
  private static final Duration STALL = Duration.ofSeconds(10);

  @TempDir private Path directory;
  private final AtomicLong nanos = new AtomicLong();
  private final Deque<ChannelPromise> untaken = new ArrayDeque<>();
  private final EmbeddedChannel channel = new EmbeddedChannel(new Slow());
  private Store store;
  private Connection connection;

  /** A client that takes answers when the test lets it. */
  private final class Slow extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext context, Object answer, ChannelPromise taken) {
      untaken.add(taken);
    }
  }

  @BeforeEach
  void connect() {
    store = Stablecut.open(directory.resolve("data"));
    connection = connection(channel);
    channel.pipeline().addLast(connection);
  }

  private Connection connection(Channel of) {
    return new Connection(
        TestService.of(store, Runnable::run, nanos::get),
        of,
        new ListenerOptions(1, STALL, STALL, STALL, 1 << 20, 1 << 20, 1 << 20),
        new MemoryBudget(1 << 20),
        new AnswerBudget(1 << 20, Duration.ofDays(1)));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void offer() {
    assertThat(connection.send(0, () -> List.of(ByteBuffer.wrap(new byte[100])))).isTrue();
  }

  private void writeIdle() {
    channel.pipeline().fireUserEventTriggered(IdleStateEvent.WRITER_IDLE_STATE_EVENT);
  }

  @Test
  void anAnswerThatTookLongToComputeIsNotAStall() {
    nanos.addAndGet(STALL.toNanos());
    offer();

    writeIdle();

    assertThat(channel.isOpen()).isTrue();
    untaken.remove().setSuccess();
    nanos.addAndGet(2 * STALL.toNanos());
    offer();
    writeIdle();
    assertThat(channel.isOpen()).isTrue();
  }

  /** The test's thread is the connection's event loop. */
  @Test
  @Timeout(60)
  void theEventLoopNeverWaitsForMemory() {
    assertThat(connection.send(0, () -> List.of(ByteBuffer.wrap(new byte[1_000_000])))).isTrue();

    assertThat(connection.send(0, () -> List.of(ByteBuffer.wrap(new byte[100_000])))).isFalse();
    assertThat(connection.send(100_000, List::of)).isFalse();
    offer();
  }

  @Test
  void aClientThatTakesNothingIsDisconnected() {
    offer();
    nanos.addAndGet(STALL.toNanos() - 1);
    offer();
    writeIdle();
    assertThat(channel.isOpen()).isTrue();

    nanos.incrementAndGet();
    writeIdle();

    assertThat(channel.isOpen()).isFalse();
  }

  private boolean send() {
    return connection.send(3, () -> List.of(ByteBuffer.wrap(new byte[3])));
  }

  /** Answers are written in order, however slowly the client takes them. */
  @Test
  void theEventLoopsAnswersKeepTheirOrder() {
    assertThat(send()).isTrue();

    assertThat(untaken).hasSize(1);
    assertThat(connection.mayReaderSend()).isTrue();
  }

  @Test
  @Timeout(60)
  void theEventLoopsAnswersFollowThoseOfOtherThreads() throws Exception {
    EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, LocalIoHandler.newFactory());
    try {
      Channel other = new LocalChannel();
      connection = connection(other);
      other.pipeline().addLast(new Slow(), connection);
      loops.register(other).sync();
      CountDownLatch goesOn = new CountDownLatch(1);
      var blocked =
          other
              .eventLoop()
              .submit(
                  () -> {
                    goesOn.await();
                    return connection.mayReaderSend();
                  });

      assertThat(send()).isTrue();

      assertThat(connection.mayReaderSend()).isFalse();
      assertThat(untaken).isEmpty();
      goesOn.countDown();
      assertThat(blocked.get()).isFalse();
      assertThat(other.eventLoop().submit(connection::mayReaderSend).get()).isTrue();
      assertThat(untaken).hasSize(1);
    } finally {
      loops.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }
  }
}
