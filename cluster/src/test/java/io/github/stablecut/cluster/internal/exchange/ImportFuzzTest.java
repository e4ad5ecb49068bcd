package io.github.stablecut.cluster.internal.exchange;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.CrdtType;
import io.github.stablecut.crdt.CrdtTypes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.option.Durability;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.option.TransactionOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each line is imported, or refused with its line number. */
final class ImportFuzzTest {
  private static final int LINES = 1_500;
  private static final StoreOptions FAST =
      StoreOptions.defaults().withDurability(Durability.periodic(Duration.ofSeconds(1)));
  private static final Pattern TOKEN = Pattern.compile("\"[^\"]*\"|-?[0-9]+|true|[\\[\\]{}:,]");
  private static final List<String> TOKENS =
      Stream.concat(
              Stream.of(
                  "null",
                  "true",
                  "}",
                  "[",
                  "{",
                  ":",
                  "false",
                  "0",
                  "-1",
                  "9223372036854775807",
                  "1e400",
                  "\"\"",
                  "[]",
                  "{}",
                  "[[]]",
                  "{\"base64\":\"/w==\"}",
                  "{\"base64\":\"=\"}",
                  "\"\\ud834\"",
                  "\"\\u0000\"",
                  "\"1970-01-01T00:00:00Z\"",
                  "[\"a\",\"a\"]",
                  "[[\"a\",1]]",
                  ",",
                  "]",
                  "\"value\"",
                  "\"expires\""),
              CrdtTypes.all().stream().map(type -> '"' + type.name() + '"'))
          .toList();

  @TempDir private Path temporary;

  private static List<String> golden() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            ImportFuzzTest.class.getResourceAsStream("/format/export-1.jsonl"))) {
      return new String(in.readAllBytes(), UTF_8).lines().toList();
    }
  }

  private static InputStream stream(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  private static String export(Store store) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ExportWriter.write(store.snapshot(), out, objects -> {});
    return out.toString(UTF_8);
  }

  /** Replaces a token or some bytes of a line. */
  private static String mutate(String line, Random random) {
    if (random.nextInt(4) == 0) {
      byte[] bytes = line.getBytes(UTF_8);
      bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      return new String(bytes, ISO_8859_1).replace('\n', ' ');
    }
    List<MatchResult> tokens = TOKEN.matcher(line).results().toList();
    MatchResult token = tokens.get(random.nextInt(tokens.size()));
    boolean isAny = random.nextInt(4) == 0;
    List<String> others =
        TOKENS.stream().filter(other -> isAny || kind(other) == kind(token.group())).toList();
    return line.substring(0, token.start())
        + others.get(random.nextInt(others.size()))
        + line.substring(token.end());
  }

  /** A token's first character, which is the same for all tokens of a kind except numbers. */
  private static char kind(String token) {
    return Character.isDigit(token.charAt(0)) ? '-' : token.charAt(0);
  }

  @Test
  void theGoldenFileHasEveryType() throws IOException {
    String golden = String.join("\n", golden());
    for (CrdtType<?, ?, ?, ?> type : CrdtTypes.all()) {
      assertThat(golden).contains("{\"key\":\"k\",\"type\":\"" + type.name() + '"');
      assertThat(golden).containsPattern("\"all\",\"key\":\"[^\"]*\",\"type\":\"" + type.name());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void importsAnyLineOrRefusesItByNumber(long seed) throws IOException {
    List<String> golden = golden();
    Random random = new Random(seed);
    int imported = 0;
    String exported;
    try (Store store = Stablecut.open(temporary.resolve("one"), FAST)) {
      for (int i = 0; i < LINES; i++) {
        String line = golden.get(random.nextInt(golden.size()));
        line = line.substring(line.indexOf(",\"key\""));
        for (int changes = random.nextInt(3); changes >= 0; changes--) {
          line = mutate(line, random);
        }
        line = "{\"bucket\":\"%d\"%s".formatted(i, line);
        try {
          assertThat(ImportReader.read(stream(line), store, objects -> {})).isEqualTo(1);
          imported++;
        } catch (MalformedLineException e) {
          assertThat(e.getMessage()).as(line).startsWith("line 1: ");
        }
      }
      exported = export(store);
    }

    assertThat(imported).isBetween(LINES / 20, LINES * 19 / 20);
    try (Store store = Stablecut.open(temporary.resolve("other"), FAST)) {
      ImportReader.read(stream(exported), store, objects -> {});
      assertThat(export(store)).isEqualTo(exported);
    }
  }

  @Test
  void importsObjectsWithSeveralTypesAsEachOfThem() throws IOException {
    CounterKey counter = Key.counter("b", "k");
    ListKey<String> list = Key.list("b", "k", Codec.string());
    String exported;
    try (Store store = Stablecut.open(temporary.resolve("one"), FAST)) {
      store.update(counter.increment(3), Key.counter("b", "j").increment(1));
      try (Transaction copy = store.begin(TransactionOptions.defaults().allowOtherTypes())) {
        copy.update(list.insert(0, "x"));
        copy.update(list.insert(1, "y"));
        copy.update(Key.counter("b", "l").increment(1));
        copy.commit();
      }
      exported = export(store);
    }

    assertThat(exported.lines()).hasSize(4);
    try (Store store = Stablecut.open(temporary.resolve("other"), FAST)) {
      assertThat(ImportReader.read(stream(exported), store, objects -> {})).isEqualTo(4);
      assertThat(export(store)).isEqualTo(exported);
      assertThat(store.read(counter)).isEqualTo(3);
      assertThat(store.read(list)).containsExactly("x", "y");
    }
  }
}
