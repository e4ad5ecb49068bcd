package io.github.stablecut.cluster.internal.service;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Supplier;

/** The other end of a connection, which keeps what it is sent. Those are thread-safe. */
final class OtherEnd implements Peer {
  final List<List<ByteBuffer>> answers = new CopyOnWriteArrayList<>();

  /** What the reading thread is to do. */
  final BlockingQueue<Runnable> toRead = new LinkedBlockingQueue<>();

  boolean isFull;

  /** Whether an answer is still on its way to it. */
  boolean isSending;

  long room = Long.MAX_VALUE;
  boolean fails;
  boolean isClosed;
  boolean isRead = true;

  /** What happens while the next frame waits for room. */
  Runnable meanwhile = () -> {};

  @Override
  public boolean send(long atLeast, Supplier<List<ByteBuffer>> frame) {
    if (fails) {
      throw new OutOfMemoryError("injected");
    }
    if (atLeast > room) {
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
