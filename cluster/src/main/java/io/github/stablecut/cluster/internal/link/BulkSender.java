package io.github.stablecut.cluster.internal.link;

import io.github.stablecut.crdt.Bytes;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * Sends the large messages of a link in chunks. The messages take turns, chunk by chunk. A chunk is
 * written only while the channel takes it, so the receiver's pace, as TCP reports it, is the
 * sender's. Thread-safe; messages are written on the channel's event loop.
 */
final class BulkSender {
  /** The most messages of several chunks that take turns; the receiver relies on it. */
  static final int MAX_BEGUN = 64;

  private static final class Outgoing {
    private final long number;
    private final LinkFrame.Content content;
    private final Consumer<Boolean> done;

    /** Identifies the message on the link once it has begun. */
    private int id;

    private int sent;

    Outgoing(long number, LinkFrame.Content content, Consumer<Boolean> done) {
      this.number = number;
      this.content = content;
      this.done = done;
    }

    int length() {
      return content.bytes().length();
    }

    int nextBytes() {
      return Math.min(LinkFrame.CHUNK_BYTES, length() - sent);
    }

    boolean isSingleChunk() {
      return length() <= LinkFrame.CHUNK_BYTES;
    }
  }

  private final Channel channel;

  /** The numbers of the messages that are not completely written. */
  private final Set<Long> numbers = ConcurrentHashMap.newKeySet();

  /** The messages that have no turn yet, in order. Confined to the event loop, as is the rest. */
  private final Deque<Outgoing> waiting = new ArrayDeque<>();

  /** The messages that send chunks, in the order of their turns. */
  private final Deque<Outgoing> turns = new ArrayDeque<>();

  /** The number of messages of several chunks among those that have turns. */
  private int begun;

  private int lastId;
  private boolean isClosed;

  BulkSender(Channel channel) {
    this.channel = channel;
  }

  /**
   * Sends a message.
   *
   * @param number identifies the message for {@link #forget}
   * @param done called once, with whether the last chunk is written; false if the message was
   *     dropped before
   */
  void send(long number, LinkFrame.Content content, Consumer<Boolean> done) {
    Outgoing message = new Outgoing(number, content, done);
    numbers.add(number);
    execute(
        () -> {
          if (isClosed) {
            end(message, false);
          } else {
            waiting.add(message);
            admit();
            pump();
          }
        },
        () -> end(message, false));
  }

  /** Drops the rest of a message. */
  void forget(long number) {
    if (numbers.contains(number)) {
      execute(() -> drop(number), () -> {});
    }
  }

  private void execute(Runnable task, Runnable rejected) {
    try {
      channel.eventLoop().execute(task);
    } catch (RejectedExecutionException e) {
      rejected.run();
    }
  }

  private void drop(long number) {
    for (Deque<Outgoing> all : List.of(waiting, turns)) {
      for (Outgoing message : all) {
        if (message.number == number) {
          all.remove(message);
          leave(message, all == turns);
          pump();
          return;
        }
      }
    }
  }

  /** Drops a message that is not completely written. */
  private void leave(Outgoing message, boolean hadTurn) {
    if (message.sent > 0) {
      try {
        write(LinkFrame.encode(channel.alloc(), new LinkFrame.Abort(message.id)));
        channel.flush();
      } catch (OutOfMemoryError e) {
        // The receiver must not wait for the rest.
        closeChannel();
      }
    }
    if (hadTurn) {
      endTurn(message);
    }
    end(message, false);
  }

  private void end(Outgoing message, boolean isSent) {
    numbers.remove(message.number);
    message.done.accept(isSent);
  }

  /** Gives turns to waiting messages. */
  private void admit() {
    while (!waiting.isEmpty() && (begun < MAX_BEGUN || waiting.peek().isSingleChunk())) {
      Outgoing next = waiting.remove();
      begun += next.isSingleChunk() ? 0 : 1;
      turns.add(next);
    }
  }

  private void endTurn(Outgoing message) {
    begun -= message.isSingleChunk() ? 0 : 1;
    admit();
  }

  /** Writes chunks of each message in turn, as long as the channel takes them. */
  void pump() {
    boolean isWritten = false;
    while (channel.isWritable() && !turns.isEmpty()) {
      writeChunk(turns.remove());
      isWritten = true;
    }
    if (isWritten) {
      channel.flush();
    }
  }

  private void writeChunk(Outgoing message) {
    ByteBuf chunk;
    try {
      chunk = message.sent == 0 ? first(message) : next(message);
    } catch (OutOfMemoryError e) {
      // Of direct memory: the other messages may find some.
      leave(message, true);
      return;
    }
    message.sent += message.nextBytes();
    write(chunk);
    if (message.sent == message.length()) {
      endTurn(message);
      end(message, true);
    } else {
      turns.add(message);
    }
  }

  private ByteBuf first(Outgoing message) {
    message.id = ++lastId;
    return LinkFrame.first(
        channel.alloc(), message.id, message.length(), message.content, message.nextBytes());
  }

  private ByteBuf next(Outgoing message) {
    Bytes all = message.content.bytes();
    return LinkFrame.next(channel.alloc(), message.id, all, message.sent, message.nextBytes());
  }

  /** Writes a frame; a failure reaches the handler as an exception, which closes the channel. */
  @SuppressWarnings("FutureReturnValueIgnored") // the void promise
  private void write(ByteBuf frame) {
    channel.write(frame, channel.voidPromise());
  }

  @SuppressWarnings("FutureReturnValueIgnored") // the end of the connection is handled anyway
  private void closeChannel() {
    channel.close();
  }

  /** The channel is closed: drops all messages. On the event loop. */
  void close() {
    isClosed = true;
    List<Outgoing> dropped = new ArrayList<>(turns);
    dropped.addAll(waiting);
    turns.clear();
    waiting.clear();
    dropped.forEach(message -> end(message, false));
  }
}
