package io.github.stablecut.checkpoint.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.checkpoint.IdRange;
import io.github.stablecut.checkpoint.RunEntry;
import io.github.stablecut.checkpoint.testing.LossyDirectory;
import io.github.stablecut.crdt.Bytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The reads of cursors over entries of different sizes. */
class RunCursorTest {
  private static final int LARGE_BYTES = 1 << 20;
  private static final int SMALL_BYTES = 1 << 10;
  private static final int ENTRIES = 3_000;

  /** The bytes read ahead, plus the tables of a run. */
  private static final int MARGIN = 256 << 10;

  private final CountedReads reads = new CountedReads(false);

  @Test
  void aLargeEntryIsReadOnceWithoutReadingFarBeyondIt() throws IOException {
    SortedMap<Bytes, byte[]> states = new TreeMap<>();
    for (int i = 0; i < ENTRIES; i++) {
      byte[] state = new byte[i % 1_000 == 0 ? LARGE_BYTES : SMALL_BYTES];
      state[0] = (byte) i;
      states.put(id(i), state);
    }
    RunFile run = Runs.write(reads.in(new LossyDirectory()), SipHash.ofSeed(42), states);
    RunCursor cursor = new RunCursor(run, IdRange.from(id(1)));
    reads.reset();

    for (int i = 1; i < ENTRIES; i++) {
      assertThat(cursor.advance()).isTrue();
      RunEntry entry = RunEntry.ofEncoded(cursor.entry());
      assertThat(entry.id()).isEqualTo(id(i));
      assertThat(entry.state()).isEqualTo(states.get(id(i)));
      if (i == 1) {
        assertThat(reads.bytes()).isLessThan(LARGE_BYTES + MARGIN);
      } else if (i == 1_001) {
        assertThat(reads.bytes()).isLessThan(2 * LARGE_BYTES + 1_000 * SMALL_BYTES + MARGIN);
      }
    }
    assertThat(cursor.advance()).isFalse();
  }

  /** A merge has a cursor for each run. */
  @Test
  void aMergeHoldsOnlyTheIdsOfLargeEntries() throws IOException {
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
}
