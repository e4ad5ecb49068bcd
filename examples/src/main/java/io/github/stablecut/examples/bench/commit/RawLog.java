package io.github.stablecut.examples.bench.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The baseline: the minimum that a log with group commit does. Threads copy their record into a
 * buffer under a lock; one thread swaps the two buffers, writes one and syncs the file. No
 * checksum, no segments, no recovery. Optionally the file is prefilled with zeros ahead of the
 * writes. A sync then finds its blocks allocated, and needs no commit of the file system's journal.
 */
public final class RawLog implements CommitTarget {
  private static final int FRAME_BYTES = 28;
  private static final int BUFFER_BYTES = 4 << 20;

  /** A buffer and the threads that wait for it. */
  private static final class LogBuffer {
    final ByteBuffer bytes = ByteBuffer.allocateDirect(BUFFER_BYTES);
    final List<WakeChain> waiters = new ArrayList<>();
  }

  private final Object lock = new Object();

  @GuardedBy("lock")
  private LogBuffer filling = new LogBuffer();

  private LogBuffer syncing = new LogBuffer();
  private final FileChannel channel;
  private final ByteBuffer zeros;
  private long end;
  private long zeroEnd;
  private final AtomicLong syncs = new AtomicLong();
  private final Thread syncer = new Thread(this::run, "raw-sync");
  private volatile boolean idle;
  private volatile boolean closing;

  public RawLog(Path file, int zerosAheadBytes) throws IOException {
    zeros = ByteBuffer.allocateDirect(zerosAheadBytes);
    channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    syncer.start();
  }

  @Override
  public void commit(byte[] body) {
    WakeChain waiter = new WakeChain();
    synchronized (lock) {
      filling.bytes.putInt(body.length);
      filling.bytes.position(filling.bytes.position() + FRAME_BYTES - Integer.BYTES);
      filling.bytes.put(body);
      filling.waiters.add(waiter);
    }
    if (idle) {
      LockSupport.unpark(syncer);
    }
    waiter.await();
  }

  private void run() {
    try {
      while (!closing) {
        if (!swap()) {
          idle = true;
          if (isEmpty()) {
            LockSupport.park(this);
          }
          idle = false;
          continue;
        }
        write();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isEmpty() {
    synchronized (lock) {
      return filling.waiters.isEmpty();
    }
  }

  private boolean swap() {
    synchronized (lock) {
      if (filling.waiters.isEmpty()) {
        return false;
      }
      LogBuffer full = filling;
      filling = syncing;
      syncing = full;
      return true;
    }
  }

  private void write() throws IOException {
    syncing.bytes.flip();
    if (zeros.capacity() > 0 && end + syncing.bytes.limit() > zeroEnd) {
      zeroEnd = end;
      while (zeroEnd < end + syncing.bytes.limit()) {
        writeAt(zeros.clear(), zeroEnd);
        zeroEnd += zeros.capacity();
      }
    }
    writeAt(syncing.bytes, end);
    end += syncing.bytes.limit();
    channel.force(false);
    syncs.incrementAndGet();
    syncing.bytes.clear();
    Groups.release(syncing.waiters);
    syncing.waiters.clear();
  }

  private void writeAt(ByteBuffer source, long at) throws IOException {
    while (source.hasRemaining()) {
      int written = channel.write(source, at + source.position());
      if (written == 0) {
        throw new IOException("nothing was written");
      }
    }
  }

  @Override
  public long syncs() {
    return syncs.get();
  }

  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(syncer);
    try {
      syncer.join();
      channel.close();
    } catch (InterruptedException | IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
