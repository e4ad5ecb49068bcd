package io.github.stablecut.journal.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.journal.segment.SegmentBytes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reading a file with system calls yields the same as the file's bytes in memory. */
final class ReadSegmentTest {
  private static final int READS = 20_000;

  @TempDir Path directory;

  private Path file(byte[] content) throws IOException {
    return Files.write(directory.resolve("segment"), content);
  }

  private static byte[] random(long seed, int length) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }

  private static void assertSame(SegmentBytes read, SegmentBytes expected, int at, int count) {
    assertThat(read.copy(at, count)).isEqualTo(expected.copy(at, count));
    assertThat(read.crc(at, count)).isEqualTo(expected.crc(at, count));
    if (count >= Long.BYTES) {
      assertThat(read.getLong(at)).isEqualTo(expected.getLong(at));
      assertThat(read.getInt(at + 4)).isEqualTo(expected.getInt(at + 4));
    }
    if (count > 0) {
      assertThat(read.get(at + count - 1)).isEqualTo(expected.get(at + count - 1));
    }
  }

  @Test
  void readsInAnyOrderYieldTheBytesOfTheFile() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    byte[] content = random(seed, 1_000_003);
    SegmentBytes expected = SegmentBytes.of(ByteBuffer.wrap(content));

    try (ReadSegment segment = ReadSegment.open(file(content))) {
      SegmentBytes read = segment.bytes();
      assertThat(read.length()).isEqualTo(content.length);
      int at = 0;
      for (int i = 0; i < READS; i++) {
        // Mostly onwards as a scan, at times backwards as the search for the end, at times a jump.
        int way = random.nextInt(20);
        int step = random.nextInt(300);
        at = way == 0 ? random.nextInt(content.length) : way < 4 ? at - step : at + step;
        at = Math.max(0, Math.min(at, content.length));
        int count = Math.min(content.length - at, random.nextInt(way == 5 ? 400_000 : 40));
        assertSame(read, expected, at, count);
      }
    }
  }

  @Test
  void readsBeyondTheEndAreRefused() throws IOException {
    try (ReadSegment segment = ReadSegment.open(file(new byte[100]))) {
      assertThat(segment.bytes().getLong(92)).isZero();
      assertThatThrownBy(() -> segment.bytes().getLong(93))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> segment.bytes().get(-1))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void aFileThatBecameShorterIsAnErrorOfInput() throws IOException {
    byte[] content = random(1, 100_000);
    Path file = file(content);

    try (ReadSegment segment = ReadSegment.open(file)) {
      Files.write(file, Arrays.copyOf(content, 50_000));

      assertThat(segment.bytes().get(0)).isEqualTo(content[0]);
      assertThatThrownBy(() -> segment.bytes().copy(0, 100_000))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("became shorter");
    }
  }
}
