package io.github.stablecut.journal;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.stablecut.journal.segment.StoredRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * The program that tests kill: its threads append numbered records and print each one when it is
 * acknowledged, as {@code ack thread number}. Threads with even numbers flush groups themselves
 * where they may.
 *
 * <p>Arguments: directory, number of threads, first record number, records per thread, and the
 * reserve in bytes or {@link #NO_SPACE_CHECK}.
 */
final class AppendingMain {
  /** The exit code when the disk is full. */
  static final int FULL = 3;

  /** The exit code when the journal fails. */
  static final int FAILED = 4;

  /** As the reserve: append without checking the disk space. */
  static final int NO_SPACE_CHECK = -1;

  private static final int SEGMENT_BYTES = 1 << 20;

  /** A record with a latch that opens when it is committed. */
  private static final class WaitingRecord extends PendingRecord {
    final CountDownLatch committed = new CountDownLatch(1);

    WaitingRecord(byte[] body) {
      super((byte) 1, body, body.length);
    }
  }

  private static final class LatchOpener implements GroupListener {
    @Override
    public void durable(List<PendingRecord> group) {
      group.forEach(pending -> ((WaitingRecord) pending).committed.countDown());
    }

    @Override
    public void failed(List<PendingRecord> group, JournalFailedException failure) {
      System.err.println(failure.getMessage());
      Runtime.getRuntime().halt(FAILED);
    }
  }

  private AppendingMain() {}

  private static JournalOptions options(long reserveBytes) {
    return JournalOptions.named("child")
        .withSegmentBytes(SEGMENT_BYTES)
        .withReserveBytes(Math.max(0, reserveBytes));
  }

  static Journal open(
      Path directory, long reserveBytes, GroupListener listener, List<StoredRecord> recovered)
      throws IOException {
    JournalOptions options = options(reserveBytes);
    return Journal.open(
        JournalDirectory.open(directory, options), options, listener, recovered::add);
  }

  public static void main(String[] args) throws Exception {
    Journal journal =
        open(Path.of(args[0]), Long.parseLong(args[4]), new LatchOpener(), new ArrayList<>());
    int first = Integer.parseInt(args[2]);
    int last = first + Integer.parseInt(args[3]);
    boolean checksSpace = Integer.parseInt(args[4]) != NO_SPACE_CHECK;
    System.out.println("ready");
    try (GroupCommitter committer = GroupCommitter.start(journal, new SyncPolicy.Batch())) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < Integer.parseInt(args[1]); t++) {
        int number = t;
        Thread thread = new Thread(() -> append(committer, number, first, last, checksSpace));
        threads.add(thread);
        thread.start();
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    System.out.println("done");
  }

  private static void append(
      GroupCommitter committer, int thread, int first, int last, boolean checksSpace) {
    Journal journal = committer.journal();
    boolean helps = thread % 2 == 0;
    try {
      for (int i = first; i < last; i++) {
        String text = thread + " " + i;
        byte[] body = (text + " " + "x".repeat(i % 500)).getBytes(UTF_8);
        WaitingRecord waiting = new WaitingRecord(body);
        if (checksSpace) {
          journal.ensureWritable(body.length);
        }
        if (helps) {
          waiting.promiseHelp();
        }
        journal.append(waiting);
        if (helps) {
          committer.help();
        }
        waiting.committed.await();
        System.out.println("ack " + text);
      }
    } catch (DiskFullException e) {
      Runtime.getRuntime().halt(FULL);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
