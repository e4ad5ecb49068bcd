package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.internal.antidote.MessageCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts what comes into frames. A small frame becomes one array; a large one a chain of chunks, made
 * as its bytes come, so that a length alone costs nothing, and begun only when the budget of large
 * frames has room for it. Confined to its connection's event loop.
 */
final class FrameDecoder extends ByteToMessageDecoder {
  private static final Logger LOG = LoggerFactory.getLogger(FrameDecoder.class);

  /** Up to this size a frame is one array, and needs no room in the budget. */
  static final int SMALL_BYTES = 64 << 10;

  /**
   * A frame without its length, or what is wrong with it.
   *
   * @param claimed what it has taken from the budget
   * @param error why it was not read; empty if it was
   */
  record Frame(Deque<byte[]> chunks, long claimed, String error) {}

  private final long maxBytes;
  private final MemoryBudget budget;
  private final Duration timeout;

  /** How many frames there have been. */
  private int framed;

  /** The bytes of the large frame that are to come; 0 if none is being read. */
  private long missing;

  private Deque<byte[]> chunks = new ArrayDeque<>();
  private long claimed;
  private boolean waiting;
  private boolean broken;
  private boolean gone;

  /** Closes the connection if a request that has begun isn't whole in time; null if none has. */
  private @Nullable Future<?> deadline;

  /**
   * @param timeout how long the bytes of a request may take to come
   */
  FrameDecoder(long maxBytes, MemoryBudget budget, Duration timeout) {
    this.maxBytes = maxBytes;
    this.budget = budget;
    this.timeout = timeout;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
    int before = framed;
    super.channelRead(context, bytes);
    boolean isPartial = !broken && !waiting && (missing > 0 || actualReadableBytes() > 0);
    if (deadline != null && (!isPartial || framed > before)) {
      boolean unused = deadline.cancel(false);
      deadline = null;
    }
    if (isPartial && deadline == null) {
      deadline =
          context
              .executor()
              .schedule(() -> expired(context), timeout.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void expired(ChannelHandlerContext context) {
    LOG.debug("{} took longer than {} for a request and is closed", context.channel(), timeout);
    var unused = context.close();
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (broken) {
      in.skipBytes(in.readableBytes());
    } else if (missing > 0) {
      readLarge(in, out);
    } else if (!waiting && in.readableBytes() >= MessageCode.LENGTH_BYTES) {
      begin(context, in, out);
    }
  }

  private void begin(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    long length = in.getUnsignedInt(in.readerIndex());
    if (length > maxBytes) {
      broken = true;
      in.skipBytes(in.readableBytes());
      out.add(
          new Frame(
              new ArrayDeque<>(),
              0,
              "a request of %,d bytes is announced, at most %,d are allowed: send it in parts, or raise max-request-bytes"
                  .formatted(length, maxBytes)));
    } else if (length > SMALL_BYTES) {
      in.skipBytes(MessageCode.LENGTH_BYTES);
      beginLarge(context, length);
    } else if (in.readableBytes() >= MessageCode.LENGTH_BYTES + length) {
      in.skipBytes(MessageCode.LENGTH_BYTES);
      Deque<byte[]> frame = new ArrayDeque<>(1);
      frame.add(bytes(in, (int) length));
      framed++;
      out.add(new Frame(frame, 0, ""));
    }
  }

  private void beginLarge(ChannelHandlerContext context, long length) {
    if (budget.take(length, () -> context.executor().execute(() -> granted(context, length)))) {
      claimed = length;
      missing = length;
    } else {
      waiting = true;
      context.channel().config().setAutoRead(false);
    }
  }

  private void granted(ChannelHandlerContext context, long length) {
    if (gone) {
      budget.giveBack(length);
      return;
    }
    waiting = false;
    claimed = length;
    missing = length;
    context.channel().config().setAutoRead(true);
    context.pipeline().fireChannelRead(Unpooled.EMPTY_BUFFER);
  }

  /** Takes whole chunks only, so that bytes that come one by one don't cost an array each. */
  private void readLarge(ByteBuf in, List<Object> out) {
    while (missing > 0 && in.readableBytes() >= Math.min(missing, SMALL_BYTES)) {
      int part = (int) Math.min(missing, in.readableBytes());
      chunks.add(bytes(in, part));
      missing -= part;
    }
    if (missing == 0) {
      framed++;
      out.add(new Frame(chunks, claimed, ""));
      chunks = new ArrayDeque<>();
      claimed = 0;
    }
  }

  private static byte[] bytes(ByteBuf in, int length) {
    byte[] bytes = new byte[length];
    in.readBytes(bytes);
    return bytes;
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext context) {
    gone = true;
    if (deadline != null) {
      boolean unused = deadline.cancel(false);
    }
    chunks = new ArrayDeque<>();
    missing = 0;
    budget.giveBack(claimed);
    claimed = 0;
  }

  /** Whether it waits for room in the budget, and must not be told to read on. */
  boolean isWaiting() {
    return waiting;
  }
}
