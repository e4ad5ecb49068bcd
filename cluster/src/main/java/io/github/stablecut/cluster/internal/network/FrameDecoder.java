package io.github.stablecut.cluster.internal.network;

import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.MessageCode;
import io.github.stablecut.log.Log;
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
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Decodes frames, while the session accepts them. A small frame becomes one array; a large one
 * becomes a chain of chunks. A chunk is allocated once its bytes have arrived and the memory budget
 * grants it, so that announcing a length reserves nothing. Confined to its connection's event loop.
 */
final class FrameDecoder extends ByteToMessageDecoder {
  private static final Logger LOG = Log.of(FrameDecoder.class);

  /** Frames up to this size are one array and don't count towards the budget. */
  static final int SMALL_BYTES = 64 << 10;

  /** A frame without its length, or an error. */
  sealed interface Frame {}

  /**
   * A complete frame.
   *
   * @param release returns its memory to the budget
   */
  record CompleteFrame(Deque<byte[]> chunks, Runnable release) implements Frame {}

  /** An error, which is answered and ends the decoding. */
  record Refused(ErrorCode code, String why) implements Frame {}

  /**
   * Timeouts.
   *
   * @param request for a complete request
   * @param chunk for each chunk of a large request, and for its memory
   */
  record Timeouts(Duration request, Duration chunk) {}

  private final long maxBytes;
  private final MemoryBudget budget;
  private final Timeouts times;
  private final BooleanSupplier isTaking;

  /** The number of complete frames so far. */
  private int frames;

  /** The outstanding bytes of the large frame; 0 if none is being read. */
  private long missingBytes;

  private Deque<byte[]> chunks = new ArrayDeque<>();

  /** The claim of the large frame; null if none is being read. */
  private MemoryBudget.@Nullable Claim claim;

  /** The bytes of the next chunk that the budget has granted. */
  private long grantedBytes;

  /** Null until the decoder is in a pipeline. */
  private @Nullable ChannelHandlerContext handlerContext;

  /** Whether the large frame waits for memory. */
  private boolean isWaiting;

  /** Whether an error was found: the rest is skipped. */
  private boolean isBroken;

  /** Closes the connection unless the partial request is complete in time; null if none is. */
  private @Nullable Future<?> deadline;

  /** Refuses the large request unless its next chunk arrives in time; null if none is read. */
  private @Nullable Future<?> chunkDeadline;

  /**
   * @param isTaking whether the session accepts frames; if not, {@link #resume} is called once it
   *     does
   */
  FrameDecoder(long maxBytes, MemoryBudget budget, Timeouts times, BooleanSupplier isTaking) {
    this.maxBytes = maxBytes;
    this.budget = budget;
    this.times = times;
    this.isTaking = isTaking;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
    int framesBefore = frames;
    super.channelRead(context, bytes);
    boolean isPartial =
        !isBroken
            && !isWaiting
            && isTaking.getAsBoolean()
            && (missingBytes > 0 || actualReadableBytes() > 0);
    if (!isPartial || frames > framesBefore) {
      deadline = cancel(deadline);
    }
    if (isPartial && deadline == null) {
      deadline = after(context, times.request, () -> expired(context, times.request));
    }
  }

  private static @Nullable Future<?> cancel(@Nullable Future<?> future) {
    if (future != null) {
      future.cancel(false);
    }
    return null;
  }

  private static Future<?> after(ChannelHandlerContext context, Duration time, Runnable task) {
    return context.executor().schedule(task, time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void expired(ChannelHandlerContext context, Duration time) {
    LOG.debug("closed {}: a request took longer than {}", context.channel(), time);
    Channels.close(context);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (isBroken) {
      in.skipBytes(in.readableBytes());
    } else if (missingBytes > 0) {
      readLarge(context, in, out);
    } else if (isTaking.getAsBoolean() && in.readableBytes() >= MessageCode.LENGTH_BYTES) {
      begin(context, in, out);
    }
  }

  private void begin(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    long length = in.getUnsignedInt(in.readerIndex());
    if (length > maxBytes) {
      in.skipBytes(in.readableBytes());
      out.add(
          refuse(
              ErrorCode.LIMIT_EXCEEDED,
              "the request has %,d bytes, and at most %,d are allowed: send it in parts, or raise max-request-bytes, and -Xmx to eight times as much"
                  .formatted(length, maxBytes)));
    } else if (length > SMALL_BYTES) {
      in.skipBytes(MessageCode.LENGTH_BYTES);
      missingBytes = length;
      claim = budget.begin();
      startChunkTimeout(context);
    } else if (in.readableBytes() >= MessageCode.LENGTH_BYTES + length) {
      in.skipBytes(MessageCode.LENGTH_BYTES);
      Deque<byte[]> frame = new ArrayDeque<>(1);
      frame.add(bytes(in, (int) length));
      frames++;
      out.add(new CompleteFrame(frame, () -> {}));
    }
  }

  /** Reads complete chunks only, so that bytes that arrive singly don't each need an array. */
  private void readLarge(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    while (missingBytes > 0
        && !isWaiting
        && in.readableBytes() >= Math.min(missingBytes, SMALL_BYTES)) {
      int part = (int) Math.min(missingBytes, SMALL_BYTES);
      if (!tryReserve(context, part)) {
        return;
      }
      grantedBytes = 0;
      chunks.add(bytes(in, part));
      missingBytes -= part;
      startChunkTimeout(context);
    }
    if (missingBytes == 0) {
      chunkDeadline = cancel(chunkDeadline);
      frames++;
      MemoryBudget.Claim complete = claim;
      Deque<byte[]> next = new ArrayDeque<>();
      out.add(new CompleteFrame(chunks, () -> release(complete)));
      // From here on, the executor of the request releases the claim, no longer the decoder.
      chunks = next;
      claim = null;
    }
  }

  private void release(MemoryBudget.@Nullable Claim ended) {
    if (ended != null) {
      budget.end(ended);
    }
  }

  private boolean tryReserve(ChannelHandlerContext context, long part) {
    MemoryBudget.Claim growing = claim;
    if (growing == null || grantedBytes == part) {
      return true;
    }
    Runnable later = () -> context.executor().execute(() -> granted(context, growing, part));
    if (budget.grow(growing, part, later)) {
      return true;
    }
    isWaiting = true;
    context.channel().config().setAutoRead(false);
    return false;
  }

  private void granted(ChannelHandlerContext context, MemoryBudget.Claim growing, long part) {
    if (claim == growing && isWaiting) {
      isWaiting = false;
      grantedBytes = part;
      context.channel().config().setAutoRead(true);
      startChunkTimeout(context);
      resume();
    }
  }

  /** Starts the timeout of the next chunk. */
  private void startChunkTimeout(ChannelHandlerContext context) {
    chunkDeadline = cancel(chunkDeadline);
    chunkDeadline = after(context, times.chunk, () -> chunkTimedOut(context));
  }

  private void chunkTimedOut(ChannelHandlerContext context) {
    if (!isWaiting) {
      expired(context, times.chunk);
      return;
    }
    Refused refused =
        refuse(
            ErrorCode.BUSY,
            "large requests occupy all the memory that the server allows them: try again, or raise"
                + " large-request-memory, and -Xmx to four times as much");
    context.channel().config().setAutoRead(true);
    context.fireChannelRead(refused);
    resume();
  }

  /** Skips all further bytes. */
  private Refused refuse(ErrorCode code, String why) {
    isBroken = true;
    reset();
    return new Refused(code, why);
  }

  private void reset() {
    deadline = cancel(deadline);
    chunkDeadline = cancel(chunkDeadline);
    chunks = new ArrayDeque<>();
    missingBytes = 0;
    isWaiting = false;
    release(claim);
    claim = null;
  }

  private static byte[] bytes(ByteBuf in, int length) {
    byte[] bytes = new byte[length];
    in.readBytes(bytes);
    return bytes;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    handlerContext = context;
  }

  /**
   * Resumes decoding of the buffered bytes. Calls this handler, not the head of the pipeline,
   * because the TLS handler would swallow an empty read.
   */
  void resume() {
    ChannelHandlerContext context = handlerContext;
    if (context == null || context.isRemoved()) {
      return;
    }
    try {
      channelRead(context, Unpooled.EMPTY_BUFFER);
    } catch (Exception e) {
      context.fireExceptionCaught(e);
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext context) {
    reset();
  }

  /** Returns whether it waits for memory, and reading must not be resumed. */
  boolean isWaiting() {
    return isWaiting;
  }
}
