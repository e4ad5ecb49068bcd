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
 * Cuts what comes into frames, as long as they are taken. A small frame becomes one array; a large
 * one a chain of chunks, each made once its bytes are there and the budget of large frames has room
 * for it, so that a length alone costs nothing and keeps nobody waiting. Confined to its
 * connection's event loop.
 */
final class FrameDecoder extends ByteToMessageDecoder {
  private static final Logger LOG = Log.of(FrameDecoder.class);

  /** Up to this size a frame is one array, and needs no room in the budget. */
  static final int SMALL_BYTES = 64 << 10;

  /** A frame without its length, or what is wrong with it. */
  sealed interface Frame {}

  /**
   * A whole frame.
   *
   * @param release gives back what it has taken from the budget
   */
  record Whole(Deque<byte[]> chunks, Runnable release) implements Frame {}

  /** What is answered instead of reading on. */
  record Refused(ErrorCode code, String why) implements Frame {}

  /**
   * How long things may take.
   *
   * @param request the bytes of a request
   * @param chunk each 64 KiB of a large one, and the wait for room for them
   */
  record Times(Duration request, Duration chunk) {}

  private final long maxBytes;
  private final MemoryBudget budget;
  private final Times times;
  private final BooleanSupplier isTaking;

  /** How many frames there have been. */
  private int framed;

  /** The bytes of the large frame that are to come; 0 if none is being read. */
  private long missing;

  private Deque<byte[]> chunks = new ArrayDeque<>();

  /** That of the large frame; null if none is being read. */
  private MemoryBudget.@Nullable Claim claim;

  /** How much of the next chunk there is room for. */
  private long granted;

  /** Null until it is in a pipeline. */
  private @Nullable ChannelHandlerContext here;

  private boolean waiting;
  private boolean broken;

  /** Closes the connection if a request that has begun isn't whole in time; null if none has. */
  private @Nullable Future<?> deadline;

  /** Ends a large request if its next chunk isn't there in time; null if there is none. */
  private @Nullable Future<?> chunkDeadline;

  /**
   * @param isTaking whether frames are wanted; if not, {@link #resume} is called once they are
   */
  FrameDecoder(long maxBytes, MemoryBudget budget, Times times, BooleanSupplier isTaking) {
    this.maxBytes = maxBytes;
    this.budget = budget;
    this.times = times;
    this.isTaking = isTaking;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object bytes) throws Exception {
    int before = framed;
    super.channelRead(context, bytes);
    boolean isPartial =
        !broken
            && !waiting
            && isTaking.getAsBoolean()
            && (missing > 0 || actualReadableBytes() > 0);
    if (!isPartial || framed > before) {
      deadline = cancel(deadline);
    }
    if (isPartial && deadline == null) {
      deadline = after(context, times.request, () -> expired(context, times.request));
    }
  }

  private static @Nullable Future<?> cancel(@Nullable Future<?> future) {
    if (future != null) {
      boolean unused = future.cancel(false);
    }
    return null;
  }

  private static Future<?> after(ChannelHandlerContext context, Duration time, Runnable task) {
    return context.executor().schedule(task, time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void expired(ChannelHandlerContext context, Duration time) {
    LOG.debug("{} took longer than {} for a request and is closed", context.channel(), time);
    var unused = context.close();
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (broken) {
      in.skipBytes(in.readableBytes());
    } else if (missing > 0) {
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
              "a request of %,d bytes is announced, at most %,d are allowed: send it in parts, or raise max-request-bytes, and -Xmx to eight times as much"
                  .formatted(length, maxBytes)));
    } else if (length > SMALL_BYTES) {
      in.skipBytes(MessageCode.LENGTH_BYTES);
      missing = length;
      claim = budget.begin();
      watchChunk(context);
    } else if (in.readableBytes() >= MessageCode.LENGTH_BYTES + length) {
      in.skipBytes(MessageCode.LENGTH_BYTES);
      Deque<byte[]> frame = new ArrayDeque<>(1);
      frame.add(bytes(in, (int) length));
      framed++;
      out.add(new Whole(frame, () -> {}));
    }
  }

  /** Takes whole chunks only, so that bytes that come one by one don't cost an array each. */
  private void readLarge(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    while (missing > 0 && !waiting && in.readableBytes() >= Math.min(missing, SMALL_BYTES)) {
      int part = (int) Math.min(missing, SMALL_BYTES);
      if (!hasRoom(context, part)) {
        return;
      }
      granted = 0;
      chunks.add(bytes(in, part));
      missing -= part;
      watchChunk(context);
    }
    if (missing == 0) {
      chunkDeadline = cancel(chunkDeadline);
      framed++;
      MemoryBudget.Claim whole = claim;
      Deque<byte[]> next = new ArrayDeque<>();
      out.add(new Whole(chunks, () -> release(whole)));
      // From here on whoever executes the request gives it back; before, this decoder does.
      chunks = next;
      claim = null;
    }
  }

  private void release(MemoryBudget.@Nullable Claim ended) {
    if (ended != null) {
      budget.end(ended);
    }
  }

  private boolean hasRoom(ChannelHandlerContext context, long part) {
    MemoryBudget.Claim growing = claim;
    if (growing == null || granted == part) {
      return true;
    }
    Runnable later = () -> context.executor().execute(() -> granted(context, growing, part));
    if (budget.grow(growing, part, later)) {
      return true;
    }
    waiting = true;
    context.channel().config().setAutoRead(false);
    return false;
  }

  private void granted(ChannelHandlerContext context, MemoryBudget.Claim growing, long part) {
    if (claim == growing && waiting) {
      waiting = false;
      granted = part;
      context.channel().config().setAutoRead(true);
      watchChunk(context);
      resume();
    }
  }

  /** From now on the time of the next chunk runs. */
  private void watchChunk(ChannelHandlerContext context) {
    chunkDeadline = cancel(chunkDeadline);
    chunkDeadline = after(context, times.chunk, () -> chunkIsLate(context));
  }

  private void chunkIsLate(ChannelHandlerContext context) {
    if (!waiting) {
      expired(context, times.chunk);
      return;
    }
    Refused refused =
        refuse(
            ErrorCode.BUSY,
            "large requests take all the memory that the server allows them: try again, or raise"
                + " large-request-memory, and -Xmx to four times as much");
    context.channel().config().setAutoRead(true);
    context.fireChannelRead(refused);
    resume();
  }

  /** From now on what comes is skipped. */
  private Refused refuse(ErrorCode code, String why) {
    broken = true;
    forget();
    return new Refused(code, why);
  }

  private void forget() {
    deadline = cancel(deadline);
    chunkDeadline = cancel(chunkDeadline);
    chunks = new ArrayDeque<>();
    missing = 0;
    waiting = false;
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
    here = context;
  }

  /**
   * Goes on with what has come already. Begins here and not at the head of the pipeline, because
   * encryption would swallow a read of nothing.
   */
  void resume() {
    ChannelHandlerContext context = here;
    if (context == null || context.isRemoved()) {
      return;
    }
    try {
      channelRead(context, Unpooled.EMPTY_BUFFER);
    } catch (Exception e) {
      var unused = context.fireExceptionCaught(e);
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext context) {
    forget();
  }

  /** Whether it waits for room in the budget, and must not be told to read on. */
  boolean isWaiting() {
    return waiting;
  }
}
