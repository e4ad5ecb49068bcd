package io.github.stablecut.checkpoint.testing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileAppender;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.checkpoint.FirstTouchReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntPredicate;

/**
 * A directory in memory that loses on request what a real disk may lose, for tests and simulations.
 * Thread-safe.
 *
 * <p>Creating, appending, forcing a file, renaming, deleting and forcing the directory are
 * <em>operations</em>, counted from 1. A test can end a run after any operation ({@link
 * #cutAfter}), or make one fail ({@link #failAt}). A crash returns a new directory and leaves this
 * one unchanged, so that one run can be tried with many losses.
 */
public final class LossyDirectory implements Directory {
  /**
   * The unit of loss, and the size of a view's pieces, so that files have several pieces in tests,
   * too.
   */
  public static final int PAGE_BYTES = LossyFile.PAGE_BYTES;

  private static final int PAGE_SHIFT = 12;

  /** An unforced change of names. A rename is atomic; a deletion is not. */
  private sealed interface NameChange {
    record Link(String name, LossyFile file) implements NameChange {}

    record Rename(String from, String to, LossyFile file) implements NameChange {}

    record Truncation(String name, LossyFile file) implements NameChange {}

    record Unlink(String name) implements NameChange {}
  }

  @GuardedBy("this")
  private final TreeMap<String, LossyFile> files = new TreeMap<>();

  @GuardedBy("this")
  private final TreeMap<String, LossyFile> forced = new TreeMap<>();

  @GuardedBy("this")
  private final List<NameChange> unforced = new ArrayList<>();

  @GuardedBy("this")
  private long capacityBytes = Long.MAX_VALUE;

  @GuardedBy("this")
  private int operations;

  @GuardedBy("this")
  private int failing;

  @GuardedBy("this")
  private boolean isFailingWithError;

  @GuardedBy("this")
  private int readsUntilFault;

  @GuardedBy("this")
  private int last = Integer.MAX_VALUE;

  /** An empty directory on a disk without a limit. */
  public LossyDirectory() {}

  /** The number of operations so far, including failed ones. */
  public synchronized int operations() {
    return operations;
  }

  /** Makes one operation fail; an append that fails writes half of its bytes. */
  public synchronized void failAt(int operation) {
    failing = operation;
  }

  /** Like {@link #failAt}, with an error unrelated to the disk. */
  public synchronized void failWithErrorAt(int operation) {
    failing = operation;
    isFailingWithError = true;
  }

  /**
   * Makes the n-th read from now fail; the next one is 1, and 0 means none. A read opens a file, or
   * reads bytes from it.
   */
  public synchronized void failReadOnce(int n) {
    readsUntilFault = n;
  }

  /** Makes every operation after this one throw without an effect. */
  public synchronized void cutAfter(int operation) {
    last = operation;
  }

  /** Sets the size of the disk. */
  public synchronized void setCapacity(long bytes) {
    capacityBytes = bytes;
  }

  /** Overwrites a byte of a file durably, as damage does. */
  public synchronized void overwrite(String name, long offset, int value) throws IOException {
    find(name).overwrite((int) offset, (byte) value);
  }

  /** The number of unforced changes, each of which may survive a power failure or not. */
  public synchronized int unforcedItems() {
    return unforced.size() + unforcedFiles().stream().mapToInt(LossyFile::unforcedItems).sum();
  }

  /** The directory that the next process finds after this one is killed, with every change. */
  public LossyDirectory afterKill() {
    return afterPowerCut(item -> true);
  }

  /**
   * The directory after a power failure: everything forced, and the surviving changes of the rest.
   *
   * @param survives asked for each number below {@link #unforcedItems}
   */
  public synchronized LossyDirectory afterPowerCut(IntPredicate survives) {
    int item = 0;
    IdentityHashMap<LossyFile, LossyFile> survivors = new IdentityHashMap<>();
    for (LossyFile file : unforcedFiles()) {
      int first = item;
      survivors.put(file, file.afterPowerCut(i -> survives.test(first + i)));
      item += file.unforcedItems();
    }
    LossyDirectory next = new LossyDirectory();
    next.replay(forced, survivors);
    for (NameChange change : unforced) {
      if (survives.test(item++)) {
        next.apply(change, survivors);
      }
    }
    next.settle(capacityBytes);
    return next;
  }

  /** Every file that the next boot could find, in a fixed order. */
  @GuardedBy("this")
  private List<LossyFile> unforcedFiles() {
    IdentityHashMap<LossyFile, Boolean> known = new IdentityHashMap<>();
    List<LossyFile> found = new ArrayList<>();
    List<LossyFile> candidates = new ArrayList<>(forced.values());
    for (NameChange change : unforced) {
      if (change instanceof NameChange.Link link) {
        candidates.add(link.file);
      }
    }
    for (LossyFile file : candidates) {
      if (known.put(file, true) == null) {
        found.add(file);
      }
    }
    return found;
  }

  private synchronized void replay(
      Map<String, LossyFile> names, IdentityHashMap<LossyFile, LossyFile> survivors) {
    names.forEach((name, file) -> files.put(name, survivor(survivors, file)));
  }

  private synchronized void apply(
      NameChange change, IdentityHashMap<LossyFile, LossyFile> survivors) {
    if (change instanceof NameChange.Link link) {
      files.put(link.name, survivor(survivors, link.file));
    } else if (change instanceof NameChange.Rename rename) {
      files.remove(rename.from);
      files.put(rename.to, survivor(survivors, rename.file));
    } else if (change instanceof NameChange.Truncation truncation) {
      survivor(survivors, truncation.file).empty();
    } else if (change instanceof NameChange.Unlink unlink) {
      files.remove(unlink.name);
    }
  }

  private static LossyFile survivor(
      IdentityHashMap<LossyFile, LossyFile> survivors, LossyFile file) {
    return Objects.requireNonNull(survivors.get(file));
  }

  private synchronized void settle(long capacity) {
    forced.putAll(files);
    capacityBytes = capacity;
  }

  @GuardedBy("this")
  private void count(String operation) throws IOException {
    if (operations >= last) {
      throw new IOException("the power is cut: no " + operation);
    }
    operations++;
    if (operations == failing && isFailingWithError) {
      throw new OutOfMemoryError("injected error in " + operation);
    }
    if (operations == failing) {
      throw new IOException("injected fault in " + operation);
    }
  }

  private synchronized void countRead(String read) throws IOException {
    if (readsUntilFault > 0 && --readsUntilFault == 0) {
      throw new IOException("injected fault in " + read);
    }
  }

  @GuardedBy("this")
  private LossyFile find(String name) throws IOException {
    LossyFile file = files.get(name);
    if (file == null) {
      throw new NoSuchFileException(name);
    }
    return file;
  }

  @Override
  public synchronized List<String> list() {
    return List.copyOf(files.keySet());
  }

  @Override
  public String pathOf(String name) {
    return name;
  }

  @Override
  public synchronized FileAppender create(String name) throws IOException {
    if (files.containsKey(name)) {
      throw new FileAlreadyExistsException(name);
    }
    count("create " + name);
    LossyFile file = new LossyFile();
    files.put(name, file);
    unforced.add(new NameChange.Link(name, file));
    return new Appender(name, file);
  }

  private final class Appender implements FileAppender {
    private final String name;
    private final LossyFile file;

    Appender(String name, LossyFile file) {
      this.name = name;
      this.file = file;
    }

    @Override
    public void append(byte[] source, int from, int length) throws IOException {
      synchronized (LossyDirectory.this) {
        int operation = operations;
        try {
          count("append to " + name);
        } catch (IOException e) {
          file.append(source, from, operations > operation ? length / 2 : 0);
          throw e;
        }
        if (length > usableBytes()) {
          file.append(source, from, (int) usableBytes());
          throw new IOException("no space left on the disk of " + name);
        }
        file.append(source, from, length);
      }
    }

    @Override
    public void force() throws IOException {
      synchronized (LossyDirectory.this) {
        count("force " + name);
        file.force();
      }
    }

    @Override
    public void close() {}
  }

  @Override
  public synchronized FileView view(String name) throws IOException {
    LossyFile file = find(name);
    countRead("opening " + name);
    int pages = (file.length() + PAGE_BYTES - 1) / PAGE_BYTES;
    ByteBuffer[] pieces = new ByteBuffer[pages];
    for (int i = 0; i < pages; i++) {
      int start = i * PAGE_BYTES;
      pieces[i] =
          ByteBuffer.wrap(file.bytes())
              .slice(start, Math.min(PAGE_BYTES, file.length() - start))
              .asReadOnlyBuffer();
    }
    FirstTouchReader firstTouch =
        new FirstTouchReader(name, new FailingSource(name, file), file.length());
    return new FileView(pieces, PAGE_SHIFT, file.length(), firstTouch);
  }

  /** The bytes of a file, with injected read faults. */
  private final class FailingSource implements FirstTouchReader.Source {
    private final String name;
    private final byte[] bytes;

    FailingSource(String name, LossyFile file) {
      this.name = name;
      this.bytes = file.bytes();
    }

    @Override
    public int read(ByteBuffer target, long at) throws IOException {
      countRead("reading " + name);
      int count = Math.min(target.remaining(), bytes.length - (int) at);
      target.put(bytes, (int) at, count);
      return count;
    }

    @Override
    public boolean staysInMemory() {
      return false;
    }

    @Override
    public void close() {}
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    LossyFile file = find(from);
    count("rename " + from + " to " + to);
    files.remove(from);
    files.put(to, file);
    unforced.add(new NameChange.Rename(from, to, file));
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    LossyFile file = find(name);
    count("delete " + name);
    files.remove(name);
    unforced.add(new NameChange.Truncation(name, file));
    unforced.add(new NameChange.Unlink(name));
    file.wipe();
  }

  @Override
  public synchronized void force() throws IOException {
    count("force the directory");
    forced.clear();
    forced.putAll(files);
    unforced.clear();
  }

  @Override
  public synchronized long usableBytes() {
    long used = 0;
    for (LossyFile file : files.values()) {
      used += file.length();
    }
    return Math.max(0, capacityBytes - used);
  }
}
