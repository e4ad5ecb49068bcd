package io.github.stablecut.cluster.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.cluster.internal.exchange.UnfinishedFile;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.register.LwwRecord;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.ExpiringKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.ListKey;
import io.github.stablecut.key.MultiValueRegisterKey;
import io.github.stablecut.key.ObjectKey;
import io.github.stablecut.key.ObjectMapKey;
import io.github.stablecut.key.RecursiveMapKey;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.TextKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands export and import. */
final class ExportImportTest {
  private static final String GOOD =
      "{\"bucket\":\"b\",\"key\":\"a\",\"type\":\"counter\",\"value\":1}\n";
  private static final Instant FUTURE = Instant.parse("2999-01-01T00:00:00.001Z");

  @TempDir private Path temporary;

  private Path path(String name) {
    return temporary.resolve(name);
  }

  private static String golden() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            ExportImportTest.class.getResourceAsStream("/format/export-1.jsonl"))) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private CommandResult export(Object... args) {
    return CommandResult.of(new Export(), args);
  }

  private CommandResult importFrom(String lines) throws IOException {
    Files.writeString(path("lines"), lines);
    return CommandResult.of(new Import(), path("lines"), path("imported"));
  }

  /** Exports the imported store. */
  private String exportAgain() throws IOException {
    Files.deleteIfExists(path("again"));
    CommandResult result = export(path("imported"), path("again"));
    assertThat(result.code()).as(result.err()).isZero();
    return Files.readString(path("again"));
  }

  private void assertNothingLeft(String... names) throws IOException {
    try (var files = Files.list(temporary)) {
      assertThat(files.map(file -> file.getFileName().toString())).containsExactlyInAnyOrder(names);
    }
  }

  @Test
  void everyTypeSurvivesImportAndExport() throws IOException {
    String golden = golden();

    CommandResult result = importFrom(golden);

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out())
        .isEqualTo(
            "imported %d objects of %s into %s%n"
                .formatted(golden.lines().count(), path("lines"), path("imported")));
    assertThat(exportAgain().lines()).containsExactlyElementsOf(golden.lines().toList());
    assertNothingLeft("lines", "imported", "again");
  }

  @Test
  void countsTheObjectsThatAnExportHas() throws IOException {
    CommandResult result =
        importFrom(
            """
            {"bucket":"b","key":"a","type":"counter","value":1}
            {"bucket":"b","key":"b","type":"counter","value":0}
            {"bucket":"b","key":"c","type":"add-wins set","value":[]}
            """);

    assertThat(result.out())
        .isEqualTo(
            "imported 1 objects of %s into %s; 2 more lines describe objects without any operation, which leave nothing in a store%n"
                .formatted(path("lines"), path("imported")));
    assertThat(exportAgain().lines()).hasSize(1);
  }

  @Test
  void aProgramFindsItsObjectsAfterImport() throws IOException {
    CounterKey counter = Key.counter("b", "counter");
    AddWinsSetKey<Long> set = Key.addWinsSet("b", "set", Codec.int64());
    MultiValueRegisterKey<String> siblings = Key.multiValueRegister("b", "mv", Codec.string());
    RecursiveMapKey map = Key.map("b", "map");
    ExpiringKey<CounterKey> inMap = Key.expiring(map.counter("c"));
    ExpiringKey<TextKey> text = Key.expiring(Key.text("b", "text"));
    try (Store store = Stablecut.open(path("data"))) {
      store.update(counter.increment(-5), set.add(-1L), set.add(7L), set.remove(7L));
      try (Transaction one = store.begin();
          Transaction other = store.begin()) {
        one.update(siblings.assign("one"), map.multiValueRegister("m", Codec.int64()).assign(1L));
        other.update(
            siblings.assign("other"), map.multiValueRegister("m", Codec.int64()).assign(2L));
        one.commit();
        other.commit();
      }
      store.update(inMap.object().increment(3), inMap.expireAt(FUTURE));
      store.update(text.object().insert(0, "t"), text.expireAt(FUTURE.plusMillis(1)));
    }

    CommandResult exported = export(path("data"), path("file"));
    CommandResult imported = CommandResult.of(new Import(), path("file"), path("imported"));

    assertThat(exported.code()).as(exported.err()).isZero();
    assertThat(exported.out())
        .startsWith(
            "exported 5 objects of " + path("data") + " into " + path("file") + ": token of 20");
    assertThat(imported.code()).as(imported.err()).isZero();
    try (Store store = Stablecut.open(path("imported"))) {
      assertThat(store.read(counter)).isEqualTo(-5);
      assertThat(store.read(set)).containsExactly(-1L);
      assertThat(store.read(siblings)).containsExactly("one", "other");
      assertThat(store.read(map.multiValueRegister("m", Codec.int64()))).containsExactly(1L, 2L);
      assertThat(store.read(inMap)).contains(FUTURE);
      assertThat(store.read(inMap.object())).isEqualTo(3);
      assertThat(store.read(text)).contains(FUTURE.plusMillis(1));
      assertThat(store.read(text.object())).hasToString("t");
    }
    CommandResult verified = CommandResult.of(new Verify(), path("imported"), "--full");
    assertThat(verified.code()).as(verified.out()).isZero();
  }

  @Test
  void aSumBeyond64BitsSurvivesExactly() throws IOException {
    CounterMapKey<String> map = Key.counterMap("b", "3 map", Codec.string());
    RecursiveMapKey objects = Key.map("b", "4 objects");
    ExpiringKey<CounterKey> expiring = Key.expiring(Key.counter("b", "5 expiring"));
    try (Store store = Stablecut.open(path("data"))) {
      for (int i = 0; i < 2; i++) {
        store.update(
            Key.counter("b", "1").increment(Long.MAX_VALUE),
            Key.resettableCounter("b", "2").increment(Long.MIN_VALUE),
            map.increment("all", Long.MAX_VALUE),
            map.increment("few", 1),
            objects.counter("c").increment(Long.MAX_VALUE),
            objects.counter("d").increment(1),
            expiring.object().increment(Long.MAX_VALUE));
      }
    }

    CommandResult exported = export(path("data"), path("file"));

    assertThat(exported.code()).as(exported.err()).isZero();
    assertThat(Files.readAllLines(path("file")))
        .containsExactlyElementsOf(
            """
            {"bucket":"b","key":"1","type":"counter","value":18446744073709551614}
            {"bucket":"b","key":"2","type":"resettable counter","value":-18446744073709551616}
            {"bucket":"b","key":"3 map","type":"counter map","value":[["all",18446744073709551614],["few",2]]}
            {"bucket":"b","key":"4 objects","type":"recursive-reset map","value":[{"key":"c","type":"counter","value":18446744073709551614},{"key":"d","type":"counter","value":2}]}
            {"bucket":"b","key":"5 expiring","type":"expiring counter","value":18446744073709551614}
            """
                .lines()
                .toList());
    CommandResult imported = CommandResult.of(new Import(), path("file"), path("imported"));
    assertThat(imported.code()).as(imported.err()).isZero();
    assertThat(path("file")).hasContent(exportAgain());
  }

  @Test
  void entriesOfMapsSurviveWithoutTheirValues() throws IOException {
    List<ObjectMapKey> maps = List.of(Key.map("b", "m"), Key.growOnlyMap("b", "g"));
    try (Store store = Stablecut.open(path("data"))) {
      for (ObjectMapKey map : maps) {
        RegisterKey<String> register = map.register("cleared", Codec.string());
        ExpiringKey<RegisterKey<String>> expiring =
            Key.expiring(map.register("expiring", Codec.string()));
        ObjectKey<LwwRecord.Operation, ?> row = map.of(Bytes.utf8("row"), LwwRecord.TYPE);
        ObjectKey<LwwRecord.Operation, ?> none = map.of(Bytes.utf8("none"), LwwRecord.TYPE);
        store.update(
            register.assign("x"),
            expiring.object().assign("x"),
            row.update(new LwwRecord.Write(new TreeMap<>(Map.of(1, Optional.of(Bytes.EMPTY))))));
        store.update(
            register.clear(),
            expiring.object().clear(),
            row.update(new LwwRecord.Reset()),
            none.update(new LwwRecord.Reset()));
      }
    }

    CommandResult exported = export(path("data"), path("file"));
    CommandResult imported = CommandResult.of(new Import(), path("file"), path("imported"));

    assertThat(exported.code()).as(exported.err()).isZero();
    assertThat(path("file")).content().contains("\"cleared\"", "\"value\":null");
    assertThat(imported.code()).as(imported.err()).isZero();
    assertThat(path("file")).hasContent(exportAgain());
  }

  @Test
  void refusesACounterThatAppearsTwice() throws IOException {
    String large = GOOD.replace(":1}", ":9223372036854775808}");

    CommandResult result = importFrom(large + large);

    assertThat(result.err()).startsWith("error: line 2: object \"b\"/\"a\" already exists");
    assertNothingLeft("lines");
  }

  @Test
  void objectsLargerThanATransactionSurvive() throws IOException {
    AddWinsSetKey<Bytes> set = Key.addWinsSet("b", "set", Codec.bytes());
    ListKey<Bytes> list = Key.list("b", "list", Codec.bytes());
    TextKey text = Key.text("b", "text");
    List<Bytes> elements = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      byte[] element = new byte[100_000];
      Arrays.fill(element, (byte) i);
      elements.add(Bytes.wrap(element));
    }
    String long1 = "x" + "𝄞".repeat(600_000);
    try (Store store = Stablecut.open(path("data"))) {
      store.update(set.addAll(elements), text.insert(0, long1));
      store.update(list.insertAll(0, elements));
    }

    CommandResult exported = export(path("data"), path("file"));
    CommandResult imported = CommandResult.of(new Import(), path("file"), path("imported"));

    assertThat(exported.code()).as(exported.err()).isZero();
    assertThat(imported.code()).as(imported.err()).isZero();
    try (Store store = Stablecut.open(path("imported"))) {
      assertThat(store.status().journal().firstSegment()).isEqualTo(1);
      assertThat(store.read(set)).containsExactlyElementsOf(elements);
      assertThat(store.read(list)).containsExactlyElementsOf(elements);
      assertThat(store.read(text)).hasToString(long1);
    }
    CommandResult dump = CommandResult.of(new DumpJournal(), path("imported"), "--key", "b/list");
    assertThat(dump.out().lines().filter(line -> line.startsWith("p0"))).hasSizeGreaterThan(1);
  }

  @Test
  void compressesAFileWhoseNameEndsWithGz() throws IOException {
    assertThat(importFrom(golden()).code()).isZero();

    CommandResult exported = export(path("imported"), path("file.gz"));
    CommandResult imported = CommandResult.of(new Import(), path("file.gz"), path("second"));

    assertThat(exported.code()).as(exported.err()).isZero();
    try (InputStream in = new GZIPInputStream(Files.newInputStream(path("file.gz")))) {
      assertThat(new String(in.readAllBytes(), UTF_8)).isEqualTo(golden());
    }
    assertThat(imported.code()).as(imported.err()).isZero();
    assertThat(export(path("second"), path("plain")).code()).isZero();
    assertThat(path("plain")).hasContent(golden());
  }

  @Test
  void refusesTruncatedOrDamagedOrUncompressedData() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
      out.write(golden().getBytes(UTF_8));
    }
    byte[] good = bytes.toByteArray();
    byte[] damaged = good.clone();
    damaged[good.length - 6] ^= 1;
    for (byte[] bad : List.of(Arrays.copyOf(good, good.length - 20), damaged)) {
      Files.write(path("bad.gz"), bad);

      CommandResult result = CommandResult.of(new Import(), path("bad.gz"), path("imported"));

      assertThat(result.code()).isEqualTo(1);
      assertThat(result.err())
          .startsWith("error: after line ")
          .contains("the compressed data is damaged or cut short");
      assertNothingLeft("bad.gz");
    }
    Files.writeString(path("bad.gz"), golden());
    CommandResult result = CommandResult.of(new Import(), path("bad.gz"), path("imported"));
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains(path("bad.gz") + " is not compressed with gzip");
    assertNothingLeft("bad.gz");
  }

  @Test
  void exportsTheStateOfAToken() throws IOException {
    CounterKey counter = Key.counter("b", "a");
    CausalToken first;
    try (Store store = Stablecut.open(path("data"))) {
      first = store.update(counter.increment(1));
      store.update(counter.increment(5));
    }

    CommandResult then = export(path("data"), path("then"), "--at", first.toText());
    CommandResult now = export(path("data"), path("now"));

    assertThat(then.code()).as(then.err()).isZero();
    assertThat(then.out()).endsWith(": " + first + System.lineSeparator());
    assertThat(path("then")).hasContent(GOOD);
    assertThat(now.code()).isZero();
    assertThat(path("now")).hasContent(GOOD.replace(":1}", ":6}"));
  }

  @Test
  void refusesInvalidAndForeignTokens() throws IOException {
    try (Store store = Stablecut.open(path("data"))) {
      store.update(Key.counter("b", "a").increment(1));
    }
    String other;
    try (Store store = Stablecut.open(path("other"))) {
      other = store.update(Key.counter("b", "a").increment(1)).toText();
    }

    CommandResult none = export(path("data"), path("file"), "--at", "yesterday");
    CommandResult foreign = export(path("data"), path("file"), "--at", other);

    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).startsWith("error: not a token: \"yesterday\"");
    assertThat(foreign.code()).isEqualTo(1);
    assertThat(foreign.err()).contains("use it there");
    assertNothingLeft("data", "other");
  }

  @Test
  void overwritesNothing() throws IOException {
    assertThat(importFrom(GOOD).code()).isZero();
    Files.writeString(path("file"), "mine");
    Files.writeString(path("cut.unfinished"), "part");
    Files.createDirectory(path("empty"));

    CommandResult onFile = export(path("imported"), path("file"));
    CommandResult onDirectory = export(path("imported"), path("empty"));
    CommandResult onPart = export(path("imported"), path("cut"));
    CommandResult onStore = CommandResult.of(new Import(), path("lines"), path("imported"));
    CommandResult onOther = CommandResult.of(new Import(), path("lines"), path("file"));
    CommandResult besidePart = CommandResult.of(new Import(), path("lines"), path("cut"));
    CommandResult intoEmpty = CommandResult.of(new Import(), path("lines"), path("empty"));

    for (CommandResult refused : List.of(onFile, onDirectory, onStore, onOther)) {
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err()).contains("already exists");
    }
    for (CommandResult refused : List.of(onPart, besidePart)) {
      assertThat(refused.code()).isEqualTo(1);
      assertThat(refused.err()).contains("cut.unfinished exists: if no process is writing it");
    }
    assertThat(intoEmpty.code()).as(intoEmpty.err()).isZero();
    assertThat(path("file")).hasContent("mine");
    assertThat(path("cut.unfinished")).hasContent("part");
    assertNothingLeft("lines", "imported", "file", "cut.unfinished", "empty");
  }

  @Test
  void namesMissingFiles() throws IOException {
    CommandResult export = export(path("nowhere"), path("file"));
    CommandResult imported = CommandResult.of(new Import(), path("nowhere"), path("imported"));

    assertThat(export.code()).isEqualTo(2);
    assertThat(export.err()).contains("there is no " + path("nowhere"));
    assertThat(imported.code()).isEqualTo(1);
    assertThat(imported.err()).contains("there is no " + path("nowhere"));
    assertThatThrownBy(() -> UnfinishedFile.file(path("sub").resolve("file")))
        .isInstanceOf(NoSuchFileException.class)
        .hasMessage(path("sub").toString());
    assertThat(export(path("nowhere")).code()).isEqualTo(2);
    assertThat(CommandResult.of(new Import()).code()).isEqualTo(2);
    assertNothingLeft();
  }

  @Test
  void importsAnEmptyFileAsAnEmptyStore() throws IOException {
    assertThat(importFrom("").code()).isZero();

    assertThat(exportAgain()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      textBlock =
          """
          hello | it is not JSON, column
          {"bucket":"b" | it is not JSON, column
          {"bucket":["b" | for Array (start marker at column 11)
          ~~ | it is empty
          {"bucket":"b","key":"k","type":"counter","value":1} 2 | it is not JSON, column
          {"key":"k","key":"k"} | Duplicate field 'key'
          [1] | expected an object
          {"bucket":"b","key":"k","type":"counter","value":1,"dots":[]} | the field "dots" is unknown to this version
          {"key":"k","type":"counter","value":1} | the bucket is neither a string nor
          {"bucket":"b","type":"counter","value":1} | the key is neither a string nor
          {"bucket":"b","key":{"base64":"!"},"type":"counter","value":1} | the key is not base64
          {"bucket":"b","key":"\\ud800","type":"counter","value":1} | the key has half of a surrogate pair
          {"bucket":"b","key":"k","value":1} | the type is not a string
          {"bucket":"b","key":"k","type":"cnt","value":1} | there is no type "cnt"
          {"bucket":"b","key":"k","type":"counter"} | the value is not a whole number
          {"bucket":"b","key":"k","type":"counter","value":1.5} | the value is not a whole number
          {"bucket":"b","key":"k","type":"counter","value":922337203685477580700001} | the value is beyond 100,000 times 2^63-1
          {"bucket":"b","key":"k","type":"bounded counter","value":9223372036854775808} | the value is not a whole number of 64 bits
          {"bucket":"b","key":"k","type":"counter map","value":[["a",-922337203685477580700001]]} | counter "a" is beyond 100,000 times
          {"bucket":"b","key":"k","type":"counter","value":null} | the value is null
          {"bucket":"b","key":"k","type":"counter","value":1,"expires":"2999-01-01T00:00:00Z"} | a counter does not expire
          {"bucket":"b","key":"k","type":"expiring counter","value":1,"expires":"soon"} | it expires at "soon", not at a time
          {"bucket":"b","key":"k","type":"expiring counter","value":1,"expires":"+1000000000-12-31T23:59:59Z"} | not at a time
          {"bucket":"b","key":"k","type":"bounded counter","value":-1} | the value of a bounded counter is below 0
          {"bucket":"b","key":"k","type":"enable-wins flag","value":1} | the value is neither true nor false
          {"bucket":"b","key":"k","type":"last-writer-wins register","value":1} | the value is neither a string nor
          {"bucket":"b","key":"k","type":"last-writer-wins register","value":null} | the value is null
          {"bucket":"b","key":"k","type":"add-wins set","value":"a"} | the value is not an array
          {"bucket":"b","key":"k","type":"add-wins set","value":["a",1]} | element 1 of the value is neither a string nor
          {"bucket":"b","key":"k","type":"text","value":["a"]} | the value is not a string
          {"bucket":"b","key":"k","type":"text","value":"\\udc00"} | the value has half of a surrogate pair
          {"bucket":"b","key":"k","type":"counter map","value":{}} | the value is not an array
          {"bucket":"b","key":"k","type":"counter map","value":[["a"]]} | a counter is not a pair
          {"bucket":"b","key":"k","type":"counter map","value":[["a","b"]]} | counter "a" is not a whole number
          {"bucket":"b","key":"k","type":"counter map","value":[["a",1],["a",1]]} | counter "a" is repeated
          {"bucket":"b","key":"k","type":"grow-only map","value":{}} | the value is not an array
          {"bucket":"b","key":"k","type":"grow-only map","value":[{"bucket":"b"}]} | the field "bucket" is unknown
          {"bucket":"b","key":"k","type":"grow-only map","value":[{"key":"x","type":"text","value":1}]} | entry "x": text: the value is not a string
          {"bucket":"b","key":"k","type":"grow-only map","value":[{"key":"x","type":"text","value":""},{"key":"x","type":"text","value":""}]} | entry "x": text is repeated
          {"bucket":"b","key":"a","type":"counter","value":1} | object "b"/"a" already exists
          """)
  void namesAMalformedLineAndCreatesNoStore(String line, String message) throws IOException {
    CommandResult result = importFrom(GOOD + line + "\n" + GOOD);

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).startsWith("error: line 2: ").contains(message).hasLineCount(1);
    assertNothingLeft("lines");
  }

  @Test
  void refusesValuesBeyondTheLimits() throws IOException {
    String deep = "0";
    for (int i = 0; i < 70; i++) {
      deep =
          "[{\"key\":\"k\",\"type\":\"%s\",\"value\":%s}]"
              .formatted(i == 0 ? "counter" : "recursive-reset map", deep);
    }
    String map = "{\"bucket\":\"b\",\"key\":\"m\",\"type\":\"recursive-reset map\",\"value\":";
    String name = "{\"bucket\":\"b\",\"key\":\"" + "k".repeat(33 << 10);
    String values = "\"v\",".repeat(1_001);

    CommandResult tooDeep = importFrom(GOOD + map + deep + "}\n");
    CommandResult tooLong = importFrom(GOOD + name + "\",\"type\":\"counter\",\"value\":1}\n");
    CommandResult tooMany =
        importFrom(
            GOOD
                + "{\"bucket\":\"b\",\"key\":\"m\",\"type\":\"multi-value register\",\"value\":["
                + values
                + "\"v\"]}\n");

    assertThat(tooDeep.err()).startsWith("error: line 2: ").contains("64 deep");
    assertThat(tooLong.err()).startsWith("error: line 2: bucket and key have 33,793 bytes");
    assertThat(tooMany.err())
        .startsWith("error: line 2: the register has 1,002 values, at most 1,000 can be imported");
    assertNothingLeft("lines");
  }
}
