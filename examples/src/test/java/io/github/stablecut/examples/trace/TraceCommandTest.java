package io.github.stablecut.examples.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.key.Key;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TraceCommandTest {
  private static final String SEQUENTIAL =
      """
      {"startContent": "", "endContent": "Hi 😀!", "txns": [
        {"time": "2021-04-19T06:06:58.219Z", "patches": [[0, 0, "Hello"]]},
        {"time": "2021-04-19T06:06:59Z", "patches": [[1, 4, "i"], [2, 0, " 😀?"]]},
        {"patches": [[4, 1, "!"]], "note": {"skipped": [1, 2]}}
      ]}""";

  private static final String CONCURRENT =
      """
      {"kind": "concurrent", "numAgents": 2, "endContent": "Abc!?", "txns": [
        {"parents": [], "agent": 0, "patches": [[0, 0, "abc"]]},
        {"parents": [0], "agent": 0, "patches": [[0, 1, "A"]]},
        {"parents": [0], "agent": 1, "patches": [[3, 0, "?"]]},
        {"parents": [1, 2], "agent": 0, "patches": [[3, 0, "!"]]}
      ]}""";

  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String content, String... options) throws IOException {
    Path file = directory.resolve("trace.json");
    Files.writeString(file, content);
    return run(file, options);
  }

  private int run(Path file, String... options) {
    return new CommandLine(new TraceCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(
            Stream.concat(Stream.of(options), Stream.of(file.toString())).toArray(String[]::new));
  }

  @Test
  void replaysATraceOfOneAuthor() throws IOException {
    assertThat(run(SEQUENTIAL)).isZero();
    assertThat(out.toString()).startsWith("ok" + System.lineSeparator() + "4 edits in ");
  }

  @Test
  void replaysATraceOfSeveralAuthorsOnOneReplicaEach() throws IOException {
    assertThat(run(CONCURRENT)).isZero();
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void beginsWithTheStartContent() throws IOException {
    assertThat(
            run(
                SEQUENTIAL
                    .replace("\"startContent\": \"\"", "\"startContent\": \"?\"")
                    .replace("Hi 😀!", "Hi 😀!?")))
        .isZero();
  }

  @Test
  void readsCompressedFiles() throws IOException {
    Path file = directory.resolve("trace.json.gz");
    try (OutputStream compressed = new GZIPOutputStream(Files.newOutputStream(file))) {
      compressed.write(SEQUENTIAL.getBytes(UTF_8));
    }

    assertThat(run(file)).isZero();
  }

  @Test
  void printsJson() throws IOException {
    assertThat(run(SEQUENTIAL, "--json")).isZero();
    assertThat(out.toString())
        .matches(
            "\\{\"ok\":true,\"edits\":4,\"seconds\":\\d+\\.\\d{3},"
                + "\"liveHeapBytes\":\\d+,\"encodedBytes\":\\d+\\}\\R");
  }

  @Test
  void reportsWhereTheTextDiffersFromTheExpectedOne() throws IOException {
    assertThat(run(SEQUENTIAL.replace("Hi 😀!", "Hi 😎!"))).isEqualTo(1);
    assertThat(out.toString()).startsWith("from character 4 the text should be");
  }

  @Test
  void reportsTheDifferenceBesideTheJson() throws IOException {
    assertThat(run(SEQUENTIAL.replace("Hi 😀!", "Hi 😎!"), "--json")).isEqualTo(1);

    assertThat(out.toString()).startsWith("{\"ok\":false,").hasLineCount(1);
    assertThat(err.toString()).startsWith("from character 4 the text should be");
  }

  @Test
  void unmeasurablySmallSizesCountAsZero() {
    assertThat(new Outcome(Optional.empty(), 1, 0, -5, 3).liveHeapBytes()).isZero();
  }

  private AbstractStringAssert<?> assertFault(String content) throws IOException {
    err.getBuffer().setLength(0);
    assertThat(run(content)).isEqualTo(2);
    String message = err.toString().strip();
    assertThat(message).startsWith(directory.resolve("trace.json").toString());
    return assertThat(message.substring(directory.resolve("trace.json").toString().length() + 2));
  }

  @Test
  void namesTheLocationOfMalformedInput() throws IOException {
    assertFault(SEQUENTIAL.replace("[[4, 1", "[[\"4\", 1"))
        .isEqualTo("line 4, column 17, /txns/2/patches/0/0: expected a position, found 4");
    assertFault(SEQUENTIAL.replace("[[4, 1", "[[-4, 1"))
        .isEqualTo(
            "line 4, column 17, /txns/2/patches/0/0: expected a position, 0 to 2^31 - 1, found -4");
    assertFault(SEQUENTIAL.replace("2021-04-19T06:06:59Z", "noon"))
        .isEqualTo(
            "line 3, column 12, /txns/1/time: expected a time such as 2021-04-19T06:06:58.219Z,"
                + " found noon");
    assertFault(CONCURRENT.replace("\"parents\": [1, 2]", "\"parents\": [3]"))
        .isEqualTo(
            "line 5, column 16, /txns/3/parents/0: expected the index of a transaction before 3,"
                + " found 3");
    assertFault(CONCURRENT.replace("\"agent\": 1", "\"agent\": 2"))
        .isEqualTo("the agent of txns[2] is 2, but numAgents is 2");
    assertFault("[]").isEqualTo("line 1, column 1: expected a trace (an object), found [");
    assertFault("").endsWith("expected a trace (an object), found the end of the file");
    assertFault("{}").isEqualTo("a trace needs an endContent");
    assertFault(SEQUENTIAL.substring(0, 100)).contains("line 2, column");
    assertFault("{\"txns\": [")
        .contains("expected close marker for Array (start marker at line 1, column 10)")
        .doesNotContain("Source");
  }

  @Test
  void refusesInputThatNoReplicaCouldHold() throws IOException {
    assertFault(SEQUENTIAL.replace("\"Hello\"", "\"\\ud83d\""))
        .startsWith("line 2, column 59, /txns/0/patches/0/2: expected text without unpaired");
    assertFault(CONCURRENT.replace("\"numAgents\": 2", "\"numAgents\": 1025"))
        .endsWith(", /numAgents: expected at most 1024 agents, found 1025");
    assertFault(SEQUENTIAL.replace("[1, 2]", "[".repeat(2000) + "]".repeat(2000)))
        .contains("nesting depth");
    assertFault(SEQUENTIAL + "{}").endsWith("expected the end of the file, found {");
  }

  @Test
  void namesATransactionWithInvalidPositions() throws IOException {
    assertThat(run(SEQUENTIAL.replace("[[4, 1", "[[5, 1"))).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines(
            directory.resolve("trace.json")
                + ": txns[2]: text of 5 elements: can't delete 1 from position 5 on");
  }

  @Test
  void refusesAnAuthorThatHasNotSeenItsOwnTransaction() throws IOException {
    assertThat(run(CONCURRENT.replace("\"parents\": [1, 2]", "\"parents\": [2]"))).isEqualTo(2);
    assertThat(err.toString())
        .startsWith(
            directory.resolve("trace.json")
                + ": txns[3]: its parents lack something that agent 0 had seen before");
  }

  @Test
  void refusesADamagedOrMissingCompressedFile() throws IOException {
    Path file = directory.resolve("cut.gz");
    Files.write(file, new byte[] {0x1f, (byte) 0x8b, 8, 0});

    assertThat(run(file)).isEqualTo(2);
    assertThat(run(directory.resolve("absent"))).isEqualTo(2);
    assertThat(run(directory)).isEqualTo(2);
    assertThat(err.toString())
        .contains("damaged or truncated", "there is no ", directory + " can't be read: Is a dir");
  }

  private Path store() {
    return directory.resolve("store");
  }

  @Test
  void keepsEveryTransactionInAStore() throws IOException {
    for (String trace : List.of(SEQUENTIAL, CONCURRENT)) {
      Path file = Files.writeString(directory.resolve(trace.length() + ".json"), trace);
      assertThat(run(file, "--store", store().toString())).isZero();
      assertThat(out.toString()).startsWith("ok" + System.lineSeparator());
      out.getBuffer().setLength(0);
    }
    try (Store store = Stablecut.open(store())) {
      String sequential = SEQUENTIAL.length() + ".json";
      String concurrent = CONCURRENT.length() + ".json";
      assertThat(store.read(Key.text("traces", sequential))).hasToString("Hi 😀!");
      assertThat(store.read(Key.text("traces", concurrent))).hasToString("Abc!?");
      assertThat(store.read(Key.counter("traces", sequential + "/transactions"))).isEqualTo(3);
      assertThat(store.read(Key.counter("traces", concurrent + "/transactions"))).isEqualTo(4);
    }
    assertThat(err.toString()).isEmpty();
  }

  /** An open store takes more than a thousand bytes, none of which exist before it is opened. */
  @Test
  void reportsTheMemoryOfAnOpenStore() throws IOException {
    assertThat(run(SEQUENTIAL, "--json", "--store", store().toString())).isZero();
    assertThat(out.toString()).containsPattern("\"liveHeapBytes\":\\d{4,},");
  }

  @Test
  void continuesFromTheStoresState() throws IOException {
    String cut = SEQUENTIAL.replace("Hi 😀!", "Hi 😀?").replaceAll(",\\s*\\{\"patches.*\\}", "");
    assertThat(run(cut, "--store", store().toString())).isZero();

    assertThat(run(SEQUENTIAL, "--store", store().toString())).isZero();

    try (Store store = Stablecut.open(store())) {
      assertThat(store.status().epoch()).isEqualTo(5);
      assertThat(store.read(Key.counter("traces", "trace.json/transactions"))).isEqualTo(3);
    }
    assertThat(run(cut, "--store", store().toString())).isEqualTo(2);
    assertThat(err.toString()).contains("has 3 transactions of trace.json, but the trace has 2");
  }

  @Test
  void reportsWhereTheTextInTheStoreDiffers() throws IOException {
    assertThat(run(SEQUENTIAL.replace("Hi 😀!", "Hi 😎!"), "--store", store().toString()))
        .isEqualTo(1);
    assertThat(out.toString()).startsWith("from character 4 the text should be");
    assertThat(run(SEQUENTIAL.replace("[[4, 1", "[[5, 1"), "--store", store() + "-2")).isEqualTo(2);
    assertThat(err.toString()).contains("txns[2]: text of 5 elements");
    assertThat(run(CONCURRENT.replace("Abc!?", "Abc?!"), "--store", store() + "-3")).isEqualTo(1);
  }

  @Test
  void reportsInOneLineThatADirectoryIsNoStore() throws IOException {
    Files.createDirectory(store());
    Files.writeString(store().resolve("precious"), "data");
    Path file = Files.writeString(directory.resolve("trace.json"), SEQUENTIAL);

    int code =
        CommandRunner.run(
            new TraceCommand(),
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            file.toString(),
            "--store",
            store().toString());

    assertThat(code).isEqualTo(2);
    assertThat(err.toString().lines()).singleElement().asString().startsWith("error: ");
  }
}
