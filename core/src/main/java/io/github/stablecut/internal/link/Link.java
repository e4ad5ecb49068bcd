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
 * A connection with a node of another data centre, after the handshake. It has one thread for
 * reading and one for writing, and ends when either fails. A message is the partition (4 bytes)
 * followed by a frame. Thread-safe.
 */
final class Link {
  /** Replaces a partition in messages that concern none. */
  static final int NO_PARTITION = -1;

  /** The bytes that may wait to be written; further messages are dropped and requested again. */
  private static final long MAX_WAITING_BYTES = HeapShare.of(32L << 20);

  /** The approximate memory of a message in addition to its bytes. */
  private static final long OVERHEAD_BYTES = 64;

  /** The timeout without messages; each side sends more often. */
  private static final int SILENCE_MILLIS = 10_000;

  private static final long IDLE_MILLIS = 1_000;

  /** A keepalive. */
  private static final Message KEEPALIVE = new Message(NO_PARTITION, Bytes.EMPTY);

  private final SocketStreams connection;
  private final BlockingQueue<Message> waiting = new LinkedBlockingQueue<>();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final Thread reader;
  private final Thread writer;

  /**
   * A message to send.
   *
   * @param partition the partition that it concerns, or {@link #NO_PARTITION}
   */
  private record Message(int partition, Bytes content) {}

  /** Receives messages. Must not block. */
  @FunctionalInterface
  interface MessageHandler {
    /**
     * Receives a message.
     *
     * @param partition the partition that it concerns, or {@link #NO_PARTITION}
     */
    void take(Link from, int partition, Bytes message);
  }

  /**
   * @param name the suffix of the threads' names
   * @param onEnd called once when the link has ended, on one of its threads
   */
  Link(String name, SocketStreams connection, MessageHandler handler, Consumer<Link> onEnd) {
    this.connection = connection;
    this.reader =
        Threads.daemon("replication-in-" + name, () -> untilEnd(() -> readAll(handler), onEnd));
    this.writer = Threads.daemon("replication-out-" + name, () -> untilEnd(this::writeAll, onEnd));
  }

  /** A loop that uses the network. */
  @FunctionalInterface
  private interface Loop {
    void run() throws IOException, InterruptedException;
  }

  void start() throws IOException {
    connection.setReadTimeout(SILENCE_MILLIS);
    reader.start();
    writer.start();
  }

  /** Queues a message, or drops it if the queue is full. Does not block. */
  void send(int partition, Bytes message) {
    long size = message.length() + OVERHEAD_BYTES;
    long before = waitingBytes.getAndAdd(size);
    if (before > 0 && before + size > MAX_WAITING_BYTES) {
      waitingBytes.addAndGet(-size);
      return;
    }
    waiting.add(new Message(partition, message));
  }

  private void untilEnd(Loop loop, Consumer<Link> onEnd) {
    try {
      loop.run();
    } catch (IOException | InterruptedException | RuntimeException | Error e) {
      // Lost messages are requested again over another connection.
    } finally {
      if (closed.compareAndSet(false, true)) {
        connection.close();
        onEnd.accept(this);
      }
      writer.interrupt();
    }
  }

  private void readAll(MessageHandler handler) throws IOException {
    while (!closed.get()) {
      int partition = connection.in().readInt();
      Bytes message = Frames.read(connection.in(), Frames.MAX_BYTES);
      if (message.length() > 0) {
        handler.take(this, partition, message);
      }
    }
  }

  private void writeAll() throws IOException, InterruptedException {
    while (!closed.get()) {
      Message message = waiting.poll(IDLE_MILLIS, TimeUnit.MILLISECONDS);
      write(message == null ? KEEPALIVE : message);
      for (Message next = waiting.poll(); next != null; next = waiting.poll()) {
        write(next);
      }
      connection.out().flush();
    }
  }

  private void write(Message message) throws IOException {
    Bytes content = message.content;
    if (content.length() > 0) {
      waitingBytes.addAndGet(-(content.length() + OVERHEAD_BYTES));
    }
    connection.out().writeInt(message.partition);
    Frames.write(content, connection.out());
  }

  /** Closes the link without calling {@code onEnd}. */
  void close() {
    closed.set(true);
    connection.close();
    writer.interrupt();
  }

  /** Waits for the end of the link's threads. */
  void join() {
    Threads.join(reader);
    Threads.join(writer);
  }
}
