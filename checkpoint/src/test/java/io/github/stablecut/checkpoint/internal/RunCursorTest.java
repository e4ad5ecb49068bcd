package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.Directory;
import io.github.stablecut.checkpoint.FileView;
import io.github.stablecut.checkpoint.FirstTouch;
import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is read by who goes over entries of different sizes. */
class RunCursorTest {
  private static final int LARGE_BYTES = 1 << 20;
  private static final int SMALL_BYTES = 1 << 10;
  private static final int ENTRIES = 3_000;
  private static final int PIECE_SHIFT = 30;

  /** What is read ahead, and the tables of a run. */
  private static final int MARGIN = 256 << 10;

  private long read;

  @Test
  void aLargeEntryIsReadOnceAndNothingLikeItBehindIt() throws IOException {
    SortedMap<Bytes, byte[]> states = new TreeMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      byte[] state = new byte[i % 1_000 == 0 ? LARGE_BYTES : SMALL_BYTES];
      state[0] = (byte) i;
      states.put(id(i), state);
    }
    RunFile run = Runs.write(counting(new LossyDirectory()), SipHash.ofSeed(42), states);
    RunCursor cursor = new RunCursor(run, IdRange.from(id(1)));
    read = 0;

    for (int i = 1; i < ENTRIES; i++) {
      assertThat(cursor.advance()).isTrue();
      RunEntry entry = RunEntry.ofEncoded(cursor.entry());
      assertThat(entry.id()).isEqualTo(id(i));
      assertThat(entry.state()).isEqualTo(states.get(id(i)));
      if (i == 1) {
        assertThat(read).isLessThan(LARGE_BYTES + MARGIN);
      } else if (i == 1_001) {
        assertThat(read).isLessThan(2 * LARGE_BYTES + 1_000 * SMALL_BYTES + MARGIN);
      }
    }
    assertThat(cursor.advance()).isFalse();
  }

  /** A merge has a cursor for each run. */
  @Test
  void aMergeHoldsNoMoreOfLargeEntriesThanTheirIds() throws IOException {
    List<RunFile> newestFirst = new ArrayList<>();
    for (int run = 0; run < 3; run++) {
      SortedMap<Bytes, byte[]> states = new TreeMap<>();
      for (int i = run; i < 6; i++) {
        byte[] state = new byte[2 * LARGE_BYTES];
        state[state.length - 1] = (byte) run;
        states.put(id(i), state);
      }
      newestFirst.add(0, Runs.write(new LossyDirectory(), SipHash.ofSeed(42), states));
    }
    RunCursor cursor = new RunCursor(newestFirst.get(0), IdRange.all());
    assertThat(cursor.advance()).isTrue();
    assertThat(cursor.head()).hasSizeLessThan(100);

    MergeCursor merged = new MergeCursor(newestFirst, IdRange.all(), false);

    for (int i = 0; i < 6; i++) {
      assertThat(merged.advance()).isTrue();
      RunEntry entry = RunEntry.ofEncoded(merged.entry());
      assertThat(entry.id()).isEqualTo(id(i));
      assertThat(entry.state()[2 * LARGE_BYTES - 1]).isEqualTo((byte) Math.min(i, 2));
    }
    assertThat(merged.advance()).isFalse();
  }

  private static Bytes id(int i) {
    return Bytes.utf8("id-%05d".formatted(i));
  }

  /** A directory that counts the bytes that are read of its files. */
  private Directory counting(LossyDirectory directory) {
    return (Directory)
        Proxy.newProxyInstance(
            Directory.class.getClassLoader(),
            new Class<?>[] {Directory.class},
            (proxy, method, arguments) -> {
              try {
                Object answer = method.invoke(directory, arguments);
                return answer instanceof FileView file ? counting(file) : answer;
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private FileView counting(FileView file) {
    int length = (int) file.length();
    byte[] bytes = file.get(0, length);
    FirstTouch.Source source =
        new FirstTouch.Source() {
          @Override
          public int read(ByteBuffer target, long at) {
            int count = target.remaining();
            target.put(bytes, (int) at, count);
            read += count;
            return count;
          }

          @Override
          public boolean keepsWhatWasRead() {
            return false;
          }

          @Override
          public void close() {}
        };
    ByteBuffer[] pieces = {ByteBuffer.wrap(bytes)};
    return new FileView(pieces, PIECE_SHIFT, length, new FirstTouch("run", source, length));
  }
}
