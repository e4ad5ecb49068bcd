package io.github.stablecut.journal.segment;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.journal.JournalDirectory;
import io.github.stablecut.journal.OpenJournal;
import io.github.stablecut.journal.segment.RecordFormat.Head;
import io.github.stablecut.journal.segment.RecordFormat.SegmentHeader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes of version 2, as {@link RecordFormat} defines them. */
final class RecordFormatTest {
  @TempDir Path directory;

  private static byte[] golden(String name) throws IOException {
    try (InputStream in = RecordFormatTest.class.getResourceAsStream("/format/" + name)) {
      return Objects.requireNonNull(in, name).readAllBytes();
    }
  }

  /** A segment header, a record, and a record of one fragment that isn't the last. */
  private static byte[] frames() {
    byte[] bytes = new byte[256];
    byte[] header = new SegmentHeader(3, 7, 5, 4_711, 0).toBytes();
    byte[] body = "hello".getBytes(UTF_8);
    int at =
        RecordFormat.write(
            bytes, 0, new Head(RecordFormat.HEADER, 3, header.length, 41, 40), header, 0);
    at = RecordFormat.write(bytes, at, new Head((byte) 9, 3, 5, 42, 41), body, 0);
    at = RecordFormat.write(bytes, at, new Head((byte) 9, 1, 3, 43, 41), body, 2);
    return Arrays.copyOf(bytes, at);
  }

  @Test
  void framesMatchTheGoldenFile() throws IOException {
    assertThat(HexFormat.of().formatHex(frames()))
        .isEqualTo(new String(golden("frames-v2.hex"), UTF_8).replaceAll("\\s", ""));
  }

  @Test
  void framesAreReadAsTheyWereWritten() {
    SegmentBytes bytes = SegmentBytes.of(ByteBuffer.wrap(frames()));
    SegmentCursor cursor = new SegmentCursor(7, bytes, 0, 41);

    assertThat(cursor.advance()).isTrue();
    assertThat(RecordFormat.kind(bytes, cursor.at())).isEqualTo(RecordFormat.HEADER);
    assertThat(SegmentHeader.read(bytes, cursor.at()))
        .isEqualTo(new SegmentHeader(3, 7, 5, 4_711, 0));
    assertThat(cursor.advance()).isTrue();
    assertThat(RecordFormat.kind(bytes, cursor.at())).isEqualTo((byte) 9);
    assertThat(RecordFormat.durableUpTo(bytes, cursor.at())).isEqualTo(41);
    assertThat(RecordFormat.body(bytes, cursor.at())).asString(UTF_8).isEqualTo("hello");
    assertThat(RecordFormat.isFirst(bytes, cursor.at())).isTrue();
    assertThat(RecordFormat.isLast(bytes, cursor.at())).isTrue();
    assertThat(cursor.advance()).isTrue();
    assertThat(RecordFormat.isLast(bytes, cursor.at())).isFalse();
    assertThat(cursor.advance()).isFalse();
    assertThat(cursor.end()).isEqualTo(bytes.length());
  }

  @Test
  void aHeaderOfVersion1IsReadWithoutANumber() throws IOException {
    String hex = new String(golden("frames-v1.hex"), UTF_8).replaceAll("\\s", "");
    SegmentBytes bytes = SegmentBytes.of(ByteBuffer.wrap(HexFormat.of().parseHex(hex)));
    SegmentCursor cursor = new SegmentCursor(7, bytes, 0, 41);

    assertThat(cursor.advance()).isTrue();
    assertThat(SegmentHeader.read(bytes, cursor.at()))
        .isEqualTo(new SegmentHeader(3, 7, 5, SegmentHeader.UNKNOWN, 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFileOfEachVersionIsRead(int version) throws IOException {
    Path file = directory.resolve("sealed").resolve("19700102S.cq4");
    Files.createDirectories(directory.resolve("sealed"));
    try (InputStream packed = new GZIPInputStream(resource("19700102S.cq4.v" + version + ".gz"))) {
      Files.copy(packed, file);
    }

    for (int opening = 2; opening < 4; opening++) {
      try (OpenJournal journal =
          new OpenJournal(JournalDirectory.open(directory, OpenJournal.OPTIONS))) {
        assertThat(journal.recoveredBodies())
            .startsWith("one", "two", "three")
            .hasSize(opening + 1);
        assertThat(journal.recovered).extracting(StoredRecord::sequence).startsWith(2L, 3L, 4L);
        assertThat(journal.journal.firstRecord()).isEqualTo(1);
        assertThat(journal.journal.nextRecord()).isEqualTo(opening + 2);
        assertThat(journal.journal.status().epoch()).isEqualTo(opening);
        journal.commit("in opening " + opening);
      }
    }
  }

  private static InputStream resource(String name) {
    return Objects.requireNonNull(
        RecordFormatTest.class.getResourceAsStream("/format/" + name), name);
  }
}
