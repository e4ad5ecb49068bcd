package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.CausalToken;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.ServerSettings;
import io.github.stablecut.cluster.SettingsException;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.Update;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on objects, for a running server and for a closed directory. */
final class ReadStoreTest {
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");
  private static final AddWinsSetKey<String> TAGS =
      Key.addWinsSet("posts", "42/tags", Codec.string());

  @TempDir private Path directory;
  private Path data;
  private CausalToken first;

  @BeforeEach
  void fill() {
    data = directory.resolve("data");
    try (Store store = Stablecut.open(data)) {
      first = store.update(LIKES.increment(1));
      store.update(LIKES.increment(2), TAGS.add("crdt\u001b[31m"));
    }
  }

  private interface Scenario {
    void run(String option, String value) throws Exception;
  }

  /** Runs a scenario on the closed directory, and on a server that has it open. */
  private void onBoth(Scenario scenario) throws Exception {
    scenario.run("--data", data.toString());
    try (Server server = serve()) {
      scenario.run("--url", url(server));
    }
  }

  private Server serve() {
    return Server.start(settings());
  }

  private ServerSettings settings() {
    return SettingsLoader.defaults(data)
        .withProtocol(Endpoint.loopback(0))
        .withOperations(Optional.of(Endpoint.loopback(0)));
  }

  private static String url(Server server) {
    return "http://127.0.0.1:" + server.operationsAddress().orElseThrow().getPort();
  }

  private static JsonNode json(String line) throws IOException {
    return new ObjectMapper().readTree(line);
  }

  private static Set<String> fields(JsonNode object) {
    Set<String> names = new TreeSet<>();
    object.fieldNames().forEachRemaining(names::add);
    return names;
  }

  @Test
  void getPrintsTheCurrentAndAnEarlierValue() throws Exception {
    onBoth(
        (option, value) -> {
          CommandResult now = CommandResult.of(new Get(), option, value, "posts", "42/likes");
          CommandResult then =
              CommandResult.of(
                  new Get(), option, value, "--at", first.toText(), "posts", "42/likes");
          CommandResult before =
              CommandResult.of(
                  new Get(), option, value, "--at", "2020-06-01T00:00Z", "posts", "42/likes");
          CommandResult json =
              CommandResult.of(new Get(), option, value, "--json", "posts", "42/likes");

          assertThat(now.out()).isEqualTo("3\n");
          assertThat(now.code()).isZero();
          assertThat(then.out()).isEqualTo("1\n");
          assertThat(before.code()).isEqualTo(1);
          assertThat(before.err()).contains("no object \"42/likes\"", "2020-06-01T00:00Z");
          assertThat(fields(json(json.out())))
              .containsExactly("bucket", "key", "time", "token", "type", "value");
          assertThat(json(json.out()).path("value").asLong()).isEqualTo(3);
        });
  }

  @Test
  void scanPrintsTheObjectsOfABucket() throws Exception {
    onBoth(
        (option, value) -> {
          CommandResult all = CommandResult.of(new ScanObjects(), option, value, "posts");
          CommandResult json =
              CommandResult.of(
                  new ScanObjects(), option, value, "--json", "--prefix", "42/t", "posts");
          CommandResult one =
              CommandResult.of(new ScanObjects(), option, value, "--limit", 1, "posts");
          CommandResult none = CommandResult.of(new ScanObjects(), option, value, "nothing");

          assertThat(all.out().lines())
              .containsExactly(
                  "42/likes  counter  3", "42/tags  add-wins set  [\"crdt\\u001B[31m\"]");
          assertThat(fields(json(json.out()))).containsExactly("bucket", "key", "type", "value");
          assertThat(one.out().lines()).hasSize(1);
          assertThat(none.code()).isZero();
          assertThat(none.out()).isEmpty();
        });
  }

  @Test
  void scanPrintsSeveralPages() throws Exception {
    try (Store store = Stablecut.open(data)) {
      for (int i = 0; i < 25; i++) {
        List<Update> updates = new ArrayList<>();
        for (int j = 0; j < 100; j++) {
          updates.add(Key.counter("many", "k%04d".formatted(100 * i + j)).increment(1));
        }
        store.update(updates.toArray(Update[]::new));
      }
    }
    onBoth(
        (option, value) -> {
          CommandResult all = CommandResult.of(new ScanObjects(), option, value, "many");

          assertThat(all.out().lines().distinct()).hasSize(2_500);
          assertThat(all.out().lines()).hasSize(2_500);
        });
  }

  @Test
  void bucketsPrintsAllBucketsNowAndInThePast() throws Exception {
    try (Store store = Stablecut.open(data)) {
      store.run(
          tx -> {
            for (int i = 0; i < 1_100; i++) {
              tx.update(Key.counter("b%04d".formatted(i), "k").increment(1));
            }
          });
    }
    onBoth(
        (option, value) -> {
          CommandResult now = CommandResult.of(new ListBuckets(), option, value);
          CommandResult past =
              CommandResult.of(new ListBuckets(), option, value, "--at", first.toText());

          assertThat(now.code()).as(now.err()).isZero();
          assertThat(now.out().lines())
              .hasSize(1_101)
              .startsWith("b0000", "b0001")
              .endsWith("posts");
          assertThat(past.out()).isEqualTo("posts\n");
        });
  }

  @Test
  void tablesPrintsColumnsKeysAndIndexes() throws Exception {
    try (Store store = Stablecut.open(data);
        TableMap map = TableMap.over(store)) {
      map.createNamespace("bank");
      map.createTable(
          Table.named("bank", "accounts")
              .partitionKey("owner", ColumnType.TEXT)
              .clusteringKey("number", ColumnType.INT, SortOrder.DESCENDING)
              .column("balance", ColumnType.BIGINT)
              .column("note", ColumnType.TEXT)
              .index("balance"));
    }
    ToolsSchema schema = ToolsSchema.read();
    onBoth(
        (option, value) -> {
          CommandResult now = CommandResult.of(new ListTables(), option, value);

          assertThat(now.code()).as(now.err()).isZero();
          assertThat(now.out().lines())
              .containsExactly(
                  "bank.accounts",
                  "  owner    TEXT         partition key",
                  "  number   INT          clustering key, descending",
                  "  balance  BIGINT       indexed",
                  "  note     TEXT");
          assertThat(
                  CommandResult.of(new ListTables(), option, value, "--at", first.toText()).out())
              .isEmpty();
          assertThat(
                  schema.check(
                      "tables", CommandResult.of(new ListTables(), option, value, "--json")))
              .hasSize(1);
        });
  }

  @Test
  void watchPrintsThePastChangesOfAClosedStore() throws Exception {
    CommandResult past =
        CommandResult.of(
            new WatchObjects(), "--data", data, "--after", first.toText(), "--json", "posts");
    CommandResult withoutStart = CommandResult.of(new WatchObjects(), "--data", data, "posts");

    JsonNode change = json(past.out());
    assertThat(fields(change)).containsExactly("objects", "time", "token");
    assertThat(
            StreamSupport.stream(change.path("objects").spliterator(), false)
                .map(object -> object.path("key").asText()))
        .containsExactlyInAnyOrder("42/likes", "42/tags");
    assertThat(withoutStart.code()).isEqualTo(2);
    assertThat(withoutStart.err()).contains("--after");
  }

  @Test
  void watchFollowsAServerUntilItStops() throws Exception {
    PipedWriter written = new PipedWriter();
    try (PipedReader read = new PipedReader(written, 1 << 16)) {
      Server server = serve();
      int[] code = {-1};
      Thread follower =
          new Thread(
              () ->
                  code[0] =
                      CommandRunner.run(
                          new WatchObjects(),
                          new PrintWriter(written, true),
                          new PrintWriter(written, true),
                          "--url",
                          url(server),
                          "--after",
                          first.toText(),
                          "--prefix",
                          "42/l",
                          "posts"));
      follower.start();
      BufferedReader lines = new BufferedReader(read);

      assertThat(lines.readLine()).endsWith("42/likes  counter  3");
      server.store().update(LIKES.increment(1));
      assertThat(lines.readLine()).endsWith("42/likes  counter  4");
      server.close();
      follower.join();
      assertThat(code[0]).isEqualTo(1);
      assertThat(lines.readLine()).contains("has stopped; resume after the last change (--after)");
    }
  }

  @Test
  void topPrintsALinePerInterval() {
    try (Server server = serve()) {
      server.store().update(LIKES.increment(1));

      CommandResult top =
          CommandResult.of(new Top(), "--url", url(server), "--interval", 10, "--lines", 21);

      assertThat(top.code()).as(top.err()).isZero();
      List<String> lines = top.out().lines().toList();
      assertThat(lines).hasSize(23).filteredOn(line -> line.startsWith("time ")).hasSize(2);
      assertThat(lines.get(1)).matches("\\S+Z +\\d+ +\\d+ +0 +0 +\\d+[.]\\d +0[.]0  ready");
    }
    assertThat(CommandResult.of(new Top(), "--interval", 1).code()).isEqualTo(2);
  }

  @Test
  void updateAppliesTheNamedOperations() throws Exception {
    onBoth(
        (option, value) -> {
          CommandResult more = update(option, value, "42/likes", "increment", 4);
          CommandResult less = update(option, value, "42/likes", "decrement");
          CommandResult name = update(option, value, "name", "assign", "Eve & Bob");
          CommandResult tag = update(option, value, "42/tags", "add", "jvm");
          CommandResult flag = update(option, value, "on", "enable");
          CommandResult typed =
              update(option, value, "rw", "add", "x", "--type", "remove-wins set", "--json");

          CommandResult resettable =
              update(option, value, "rc", "increment", 7, "--type", "resettable counter");
          CommandResult reset = update(option, value, "rc", "reset");
          CommandResult again = update(option, value, "rc", "increment", 2);
          CommandResult bounded =
              update(option, value, "bc", "increment", 5, "--type", "bounded counter");
          CommandResult taken = update(option, value, "bc", "decrement", 5);
          CommandResult below = update(option, value, "bc", "decrement", 50);

          for (CommandResult done :
              List.of(
                  more, less, name, tag, flag, typed, resettable, reset, again, bounded, taken)) {
            assertThat(done.code()).as(done.err()).isZero();
          }
          assertThat(CommandResult.of(new Get(), option, value, "posts", "rc").out())
              .isEqualTo("2\n");
          assertThat(below.code()).isEqualTo(1);
          assertThat(fields(json(typed.out()))).containsExactly("time", "token");
          String token = more.out().strip().split("  ", -1)[1];
          String likes = CommandResult.of(new Get(), option, value, "posts", "42/likes").out();
          assertThat(
                  CommandResult.of(new Get(), option, value, "--at", token, "posts", "42/likes")
                      .out())
              .isEqualTo(Integer.parseInt(likes.strip()) + 1 + "\n");
          assertThat(CommandResult.of(new Get(), option, value, "posts", "name").out())
              .isEqualTo("Eve & Bob\n");
          assertThat(CommandResult.of(new Get(), option, value, "posts", "rw").out())
              .isEqualTo("[\"x\"]\n");
          assertThat(CommandResult.of(new Get(), option, value, "posts", "42/tags").out())
              .contains("jvm");
        });
  }

  @Test
  void anEmptiedObjectKeepsItsType() throws Exception {
    onBoth(
        (option, value) -> {
          for (CommandResult done :
              List.of(
                  update(option, value, "set", "add", "x", "--type", "remove-wins set"),
                  update(option, value, "set", "remove", "x"),
                  update(option, value, "set", "add", "y"),
                  update(option, value, "off", "enable", "--type", "disable-wins flag"),
                  update(option, value, "off", "disable"),
                  update(option, value, "off", "enable"))) {
            assertThat(done.code()).as(done.err()).isZero();
          }

          assertThat(CommandResult.of(new Get(), option, value, "posts", "set").out())
              .isEqualTo("[\"y\"]\n");
          assertThat(CommandResult.of(new Get(), option, value, "--json", "posts", "off").out())
              .contains("\"type\":\"disable-wins flag\",\"value\":true");
          assertRefused(update(option, value, "set", "increment"), "remove-wins set");
        });
  }

  @Test
  void acceptsLongNamesAndValues() throws Exception {
    String name = "名".repeat(10_000);
    String text = "é".repeat(64_000);
    onBoth(
        (option, value) -> {
          CommandResult done = update(option, value, name, "assign", text);

          assertThat(done.code()).as(done.err()).isZero();
          assertThat(CommandResult.of(new Get(), option, value, "posts", name).out())
              .isEqualTo(text + "\n");
        });
    try (Server server = serve()) {
      assertRefused(
          update("--url", url(server), "large", "assign", "é".repeat(100_000)),
          "answered 413: the value is too large for the admin port");
    }
  }

  @Test
  void namesOperationsThatAnObjectLacks() throws Exception {
    try (Store store = Stablecut.open(data)) {
      store.update(Key.expiring(Key.counter("posts", "ends")).object().increment(1));
    }
    onBoth(
        (option, value) -> {
          assertRefused(update(option, value, "42/likes", "add", "x"), "increment (counter)");
          assertRefused(update(option, value, "new", "explode"), "assign (last-writer-wins");
          assertRefused(update(option, value, "42/likes", "increment", "many"), "needs a number");
          assertRefused(update(option, value, "name", "assign"), "needs a value");
          assertRefused(
              update(option, value, "ends", "increment"),
              "\"ends\" in bucket \"posts\" has the type expiring counter, which has no textual"
                  + " operations");
          assertRefused(
              update(option, value, "42/likes", "add", "x", "--type", "add-wins set"),
              "is a counter");
        });
  }

  private static void assertRefused(CommandResult result, String words) {
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains(words);
  }

  private static CommandResult update(Object option, Object value, Object... words) {
    List<Object> all = new ArrayList<>(List.of(option, value, "posts"));
    all.addAll(List.of(words));
    return CommandResult.of(new UpdateObject(), all.toArray());
  }

  @Test
  void theServersSettingsNameTheFileOfTheAdminToken() {
    Path secret = directory.resolve("of/operators.secret");
    try (Server server = Server.start(settings().withSecret(secret))) {
      CommandResult withUserFile = update("--url", url(server), "42/likes", "increment");
      CommandResult named =
          update("--url", url(server), "42/likes", "increment", "--secret", secret);

      assertThat(withUserFile.err()).contains("a POST needs the header Stablecut-Operator");
      assertThat(named.code()).as(named.err()).isZero();
    }
  }

  @Test
  void aStartNamesATokenFileThatCanNotBeCreated() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    assertThatThrownBy(() -> Server.start(settings().withSecret(file.resolve("secret"))))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("can't read or create the cluster's secret in");
  }

  @Test
  void getPrintsATextUnchanged() throws Exception {
    try (Store store = Stablecut.open(data)) {
      store.update(Key.text("posts", "text").insert(0, "one\n\u001b[2Jtwo"));
    }
    onBoth(
        (option, value) ->
            assertThat(CommandResult.of(new Get(), option, value, "posts", "text").out())
                .isEqualTo("one\n\\u001b[2Jtwo\n"));
  }

  @Test
  void printsASumBeyond64BitsExactly() throws Exception {
    CounterMapKey<String> counters = Key.counterMap("large", "by name", Codec.string());
    CausalToken before;
    try (Store store = Stablecut.open(data)) {
      before = store.snapshot().token();
      for (int i = 0; i < 2; i++) {
        store.update(
            Key.counter("large", "all").increment(Long.MAX_VALUE),
            counters.increment("a", Long.MAX_VALUE));
      }
    }
    onBoth(
        (option, value) -> {
          assertThat(CommandResult.of(new Get(), option, value, "large", "all").out())
              .isEqualTo("18446744073709551614\n");
          assertThat(CommandResult.of(new ScanObjects(), option, value, "large").out().lines())
              .containsExactly(
                  "all  counter  18446744073709551614",
                  "by name  counter map  [[\"a\",18446744073709551614]]");
        });
    CommandResult changes =
        CommandResult.of(new WatchObjects(), "--data", data, "--after", before.toText(), "large");
    assertThat(changes.code()).as(changes.err()).isZero();
    assertThat(changes.out()).contains("counter  18446744073709551614");
  }

  @Test
  void refusesInvalidArguments() throws Exception {
    onBoth(
        (option, value) -> {
          CommandResult moment =
              CommandResult.of(new Get(), option, value, "--at", "12:00", "posts", "42/likes");
          CommandResult token =
              CommandResult.of(new Get(), option, value, "--at", "now", "posts", "42/likes");

          assertThat(moment.code()).isEqualTo(2);
          assertThat(moment.err()).contains("2026-11-22T09:50Z");
          assertThat(token.code()).isEqualTo(2);
          assertThat(token.err()).contains("not a token");
          assertThat(
                  CommandResult.of(new WatchObjects(), option, value, "--after", "x", "b").code())
              .isEqualTo(2);
        });
    assertThat(CommandResult.of(new Get(), "--data", directory.resolve("none"), "b", "k").code())
        .isEqualTo(2);
    assertThat(CommandResult.of(new Get(), "--url", "http://127.0.0.1:1", "b", "k").err())
        .contains("no server answers");
    assertThat(CommandResult.of(new ScanObjects(), "--data", data, "--limit", 0, "b").code())
        .isEqualTo(2);
  }
}
