package io.github.stablecut.internal.link;

import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.internal.thread.HeapShare;
import io.github.stablecut.internal.thread.Threads;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A connection with a node of another data centre after both have said who they are. Reads and
 * writes on a thread each, and ends when either fails. A message is a frame with the partition
 * before it, 4 bytes. Thread-safe.
 */
final class Link {
  /** Instead of the partition that a message is about. */
  static final int NO_PARTITION = -1;

  /** What may wait to be written; more is lost, and asked for again. */
  private static final long MAX_WAITING_BYTES = HeapShare.of(32L << 20);

  /** About what a message takes beside its bytes. */
  private static final long OVERHEAD_BYTES = 64;

  /** Each side says something more often than that. */
  private static final int SILENCE_MILLIS = 10_000;

  private static final long IDLE_MILLIS = 1_000;

  /** Says that the sender is there. */
  private static final Message NOTHING = new Message(NO_PARTITION, Bytes.EMPTY);

  private final SocketStreams wire;
  private final BlockingQueue<Message> waiting = new LinkedBlockingQueue<>();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread reader;
  private final Thread writer;

  /**
   * What it carries.
   *
   * @param partition that it is about; {@link #NO_PARTITION} if it is about none
   */
  private record Message(int partition, Bytes content) {}

  /** Takes what arrives. Returns at once. */
  @FunctionalInterface
  interface Taker {
    /**
     * Takes a message.
     *
     * @param partition that it is about; {@link #NO_PARTITION} if it is about none
     */
    void take(Link from, int partition, Bytes message);
  }

  /**
   * @param name for the threads
   * @param onEnd called once when it has ended, on one of its threads
   */
  Link(String name, SocketStreams wire, Taker taker, Consumer<Link> onEnd) {
    this.wire = wire;
    this.reader =
        Threads.daemon("replication-in-" + name, () -> untilEnd(() -> readAll(taker), onEnd));
    this.writer = Threads.daemon("replication-out-" + name, () -> untilEnd(this::writeAll, onEnd));
  }

  /** What of a link uses the network. */
  @FunctionalInterface
  private interface Work {
    void run() throws IOException, InterruptedException;
  }

  void start() throws IOException {
    wire.waitAtMost(SILENCE_MILLIS);
    reader.start();
    writer.start();
  }

  /** Sends a message, or loses it if too much waits already. Returns at once. */
  void send(int partition, Bytes message) {
    long size = message.length() + OVERHEAD_BYTES;
    long before = waitingBytes.getAndAdd(size);
    if (before > 0 && before + size > MAX_WAITING_BYTES) {
      var unused = waitingBytes.addAndGet(-size);
      return;
    }
    waiting.add(new Message(partition, message));
  }

  private void untilEnd(Work work, Consumer<Link> onEnd) {
    try {
      work.run();
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      // Whatever was lost is asked for again, over another connection.
    } finally {
      if (closed.compareAndSet(false, true)) {
        wire.close();
        onEnd.accept(this);
      }
      writer.interrupt();
    }
  }

  private void readAll(Taker taker) throws IOException {
    while (!closed.get()) {
      int partition = wire.in().readInt();
      Bytes message = Frames.read(wire.in(), Frames.MAX_BYTES);
      if (message.length() > 0) {
        taker.take(this, partition, message);
      }
    }
  }

  private void writeAll() throws IOException, InterruptedException {
    while (!closed.get()) {
      Message message = waiting.poll(IDLE_MILLIS, TimeUnit.MILLISECONDS);
      write(message == null ? NOTHING : message);
      for (Message next = waiting.poll(); next != null; next = waiting.poll()) {
        write(next);
      }
      wire.out().flush();
    }
  }

  private void write(Message message) throws IOException {
    Bytes content = message.content;
    if (content.length() > 0) {
      var unused = waitingBytes.addAndGet(-(content.length() + OVERHEAD_BYTES));
    }
    wire.out().writeInt(message.partition);
    Frames.write(content, wire.out());
  }

  /** Ends it; {@code onEnd} is not called. */
  void close() {
    closed.set(true);
    wire.close();
    writer.interrupt();
  }

  /** Waits for the end of its threads. */
  void join() {
    Threads.join(reader);
    Threads.join(writer);
  }
}
