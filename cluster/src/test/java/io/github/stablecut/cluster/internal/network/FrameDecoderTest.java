package io.github.stablecut.cluster.internal.network;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Bytes that arrive faster, or slower, than they are taken. */
class FrameDecoderTest {
  private static final int CHUNK = FrameDecoder.SMALL_BYTES;
  private static final FrameDecoder.Timeouts TIMES =
      new FrameDecoder.Timeouts(Duration.ofMinutes(5), Duration.ofSeconds(10));

  private final MemoryBudget budget = new MemoryBudget(2L * CHUNK);
  private final AtomicInteger wanted = new AtomicInteger(Integer.MAX_VALUE);
  private final EmbeddedChannel channel = connect();

  private EmbeddedChannel connect() {
    EmbeddedChannel connected =
        new EmbeddedChannel(
            new ChannelInboundHandlerAdapter() {
              /** Swallows empty reads, as the TLS handler does. */
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                if (((ByteBuf) message).isReadable()) {
                  context.fireChannelRead(message);
                }
              }
            },
            new FrameDecoder(10L * CHUNK, budget, TIMES, () -> wanted.get() > 0),
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRead(ChannelHandlerContext context, Object message) {
                wanted.decrementAndGet();
                context.fireChannelRead(message);
              }
            });
    connected.freezeTime();
    return connected;
  }

  private static ByteBuf announced(int bytes, int there) {
    return Unpooled.buffer().writeInt(bytes).writeZero(there);
  }

  private static List<Object> frames(EmbeddedChannel from) {
    List<Object> frames = new ArrayList<>();
    for (Object frame = from.readInbound(); frame != null; frame = from.readInbound()) {
      frames.add(frame);
    }
    return frames;
  }

  @Test
  void tinyFramesAreNotDecodedBeforeTheSessionAcceptsThem() {
    wanted.set(3);

    channel.writeInbound(Unpooled.buffer().writeZero(4 * 10_000));
    assertThat(frames(channel)).hasSize(3);

    wanted.set(9_000);
    channel.pipeline().get(FrameDecoder.class).resume();
    assertThat(frames(channel)).hasSize(9_000);
  }

  @Test
  void theTimeoutOfARequestStopsWhileReadingIsPaused() {
    wanted.set(1);
    channel.writeInbound(Unpooled.buffer().writeZero(4 * 10));

    channel.advanceTimeBy(6, TimeUnit.MINUTES);
    channel.runScheduledPendingTasks();

    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void announcedLengthsReserveNoMemory() {
    EmbeddedChannel other = connect();
    channel.writeInbound(announced(10 * CHUNK, 0));
    other.writeInbound(announced(10 * CHUNK, CHUNK - 1));

    EmbeddedChannel third = connect();
    third.writeInbound(announced(2 * CHUNK, 2 * CHUNK));

    assertThat(frames(third)).hasSize(1);
  }

  @Test
  void aStalledLargeRequestIsDropped() {
    channel.writeInbound(announced(10 * CHUNK, CHUNK));

    channel.advanceTimeBy(11, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();

    assertThat(channel.isOpen()).isFalse();
    EmbeddedChannel other = connect();
    other.writeInbound(announced(2 * CHUNK, 2 * CHUNK));
    assertThat(frames(other)).as("its memory is free").hasSize(1);
  }

  @Test
  void aRequestThatGetsNoMemoryInTimeIsRefused() {
    MemoryBudget.Claim taken = budget.begin();
    assertThat(budget.grow(taken, 2L * CHUNK, () -> {})).isTrue();

    channel.writeInbound(announced(2 * CHUNK, 2 * CHUNK));
    assertThat(frames(channel)).isEmpty();
    channel.advanceTimeBy(11, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();

    assertThat(frames(channel))
        .singleElement()
        .isInstanceOfSatisfying(
            FrameDecoder.Refused.class,
            refused -> {
              assertThat(refused.code()).isEqualTo(ErrorCode.BUSY);
              assertThat(refused.why()).contains("large-request-memory");
            });
  }

  @Test
  void aRequestThatGetsMemoryInTimeProceeds() {
    MemoryBudget.Claim taken = budget.begin();
    assertThat(budget.grow(taken, 2L * CHUNK, () -> {})).isTrue();
    channel.writeInbound(announced(2 * CHUNK, 2 * CHUNK));

    budget.end(taken);
    channel.runPendingTasks();

    assertThat(frames(channel))
        .singleElement()
        .isInstanceOfSatisfying(
            FrameDecoder.CompleteFrame.class, whole -> assertThat(whole.chunks()).hasSize(2));
  }
}
