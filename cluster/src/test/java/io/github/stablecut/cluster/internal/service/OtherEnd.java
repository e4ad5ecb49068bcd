package io.github.stablecut.cluster.internal.service;

import io.github.stablecut.cluster.internal.service.handle.Origin;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/** The other end of a connection, which records the answers. The collections are thread-safe. */
final class OtherEnd implements Peer {
  final List<List<ByteBuffer>> answers = new CopyOnWriteArrayList<>();

  /** Tasks for the reading thread. */
  final BlockingQueue<Runnable> toRead = new LinkedBlockingQueue<>();

  boolean isFull;

  /** Whether an answer of another thread is still in transit to the reading thread. */
  boolean isSending;

  long availableBytes = Long.MAX_VALUE;
  boolean fails;
  boolean isClosed;
  boolean isRead = true;

  /** Runs while the next frame waits for memory. */
  Runnable meanwhile = () -> {};

  @Override
  public boolean send(long minBytes, Supplier<List<ByteBuffer>> frame) {
    if (fails) {
      throw new OutOfMemoryError("injected");
    }
    if (minBytes > availableBytes) {
      return false;
    }
    Runnable waiting = meanwhile;
    meanwhile = () -> {};
    waiting.run();
    answers.add(frame.get());
    return !isFull || answers.size() % 2 == 0;
  }

  @Override
  public boolean isWritable() {
    return true;
  }

  @Override
  public boolean mayReaderSend() {
    return !isSending;
  }

  @Override
  public void read(boolean reading) {
    isRead = reading;
  }

  @Override
  public Executor reader() {
    return toRead::add;
  }

  @Override
  public Origin origin() {
    return new Origin("127.0.0.1", Optional.empty());
  }

  @Override
  public void close() {
    isClosed = true;
  }
}
