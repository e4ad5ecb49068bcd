package io.github.stablecut.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.cluster.Endpoint;
import io.github.stablecut.cluster.Server;
import io.github.stablecut.cluster.SettingsLoader;
import io.github.stablecut.cluster.command.CommandRunner;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.Key;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.SortOrder;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the output of {@code stablecut sql}. */
final class SqlCommandTest {
  private static final Table ACCOUNTS =
      Table.named("bank", "accounts")
          .partitionKey("owner", ColumnType.TEXT)
          .clusteringKey("number", ColumnType.INT, SortOrder.DESCENDING)
          .column("balance", ColumnType.BIGINT)
          .column("note", ColumnType.TEXT)
          .index("balance");

  private static final Table TYPES =
      Table.named("bank", "types")
          .partitionKey("id", ColumnType.INT)
          .column("yes", ColumnType.BOOLEAN)
          .column("real", ColumnType.FLOAT)
          .column("double", ColumnType.DOUBLE)
          .column("blob", ColumnType.BLOB)
          .column("day", ColumnType.DATE)
          .column("hour", ColumnType.TIME)
          .column("local", ColumnType.TIMESTAMP)
          .column("instant", ColumnType.TIMESTAMPTZ);

  @TempDir private Path directory;

  private String before = "";

  private record Answer(int code, String out, String err) {}

  private Answer sql(String... args) {
    return sqlOf(directory.resolve("data").toString(), args);
  }

  private static Answer sqlOf(String data, String... args) {
    List<String> all = new ArrayList<>(List.of(data));
    all.addAll(List.of(args));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        CommandRunner.run(
            SqlCommand.command(),
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            all.toArray(String[]::new));
    return new Answer(code, out.toString(), err.toString());
  }

  private Store open() {
    return Stablecut.open(directory.resolve("data"));
  }

  @BeforeEach
  void fill() {
    try (Store store = open()) {
      TableMap map = TableMap.over(store);
      map.createNamespace("bank");
      map.createTable(ACCOUNTS);
      map.createTable(TYPES);
      map.mutate(
          Put.of(ACCOUNTS.key("eve", 1)).value("balance", 60L).value("note", "a \"b\", c"),
          Put.of(ACCOUNTS.key("eve", 2)).value("balance", 40L),
          Put.of(ACCOUNTS.key("bob", 1)).value("balance", -5L).value("note", ""));
      before = store.snapshot().token().toText();
      map.mutate(Put.of(ACCOUNTS.key("eve", 1)).value("balance", 1_000L));
      store.update(
          Key.counter("posts", "likes").increment(3),
          Key.addWinsSet("posts", "tags", Codec.string()).add("crdt"),
          Key.register("posts", "title", Codec.string()).assign("Sets"));
    }
  }

  @Test
  void printsRowsInColumns() {
    Answer answer =
        sql("SELECT owner, SUM(balance) AS total FROM bank.accounts GROUP BY owner ORDER BY owner");

    assertThat(answer.code()).as(answer.err()).isZero();
    assertThat(answer.out())
        .isEqualTo(
            """
            owner  total
            -----  -----
            bob       -5
            eve     1040
            (2 rows)
            """
                .replace("\n", System.lineSeparator()));
    assertThat(answer.err()).startsWith("as of ");
  }

  @Test
  void printsCsvAndJson() {
    String query = "SELECT owner, number, note FROM bank.accounts ORDER BY owner, number";

    assertThat(sql("--format", "csv", query).out())
        .isEqualTo("owner,number,note\r\nbob,1,\"\"\r\neve,1,\"a \"\"b\"\", c\"\r\neve,2,\r\n");
    assertThat(sql("--format", "json", query).out().lines())
        .containsExactly(
            "{\"owner\":\"bob\",\"number\":1,\"note\":\"\"}",
            "{\"owner\":\"eve\",\"number\":1,\"note\":\"a \\\"b\\\", c\"}",
            "{\"owner\":\"eve\",\"number\":2,\"note\":null}");
  }

  @Test
  void refusesJsonObjectsWithARepeatedName() {
    assertFails(
        sql("--format", "json", "SELECT 1 AS a, 2 AS a"), "two columns are called a", "by AS");
    assertThat(sql("--format", "csv", "SELECT 1 AS a, 2 AS a").out()).isEqualTo("a,a\r\n1,2\r\n");
  }

  @Test
  void aSemicolonMayEndAQuery() {
    assertThat(sql("--format", "csv", "SELECT 1 AS a; ").out()).isEqualTo("a\r\n1\r\n");
  }

  @Test
  void queriesThePast() {
    String query = "SELECT balance FROM bank.accounts WHERE owner = 'eve' AND number = 1";

    assertThat(sql("--format", "csv", query).out()).isEqualTo("balance\r\n1000\r\n");
    assertThat(sql("--format", "csv", "--at", before, query).out()).isEqualTo("balance\r\n60\r\n");
    assertThat(sql("--at", before, "SELECT * FROM stablecut.objects WHERE bucket = 'posts'").out())
        .contains("(0 rows)");
  }

  @Test
  void queriesARunningServer() {
    String query = "SELECT balance FROM bank.accounts WHERE owner = 'eve' AND number = 1";
    String url;
    try (Server server =
        Server.start(
            SettingsLoader.defaults(directory.resolve("data"))
                .withProtocol(Endpoint.loopback(0))
                .withOperations(Optional.empty()))) {
      url = "stablecut://127.0.0.1:" + server.address().getPort();

      Answer answer = sqlOf(url, "--format", "csv", query);
      assertThat(answer.out()).as(answer.err()).isEqualTo("balance\r\n1000\r\n");
      assertThat(answer.err()).startsWith("as of ");
      assertThat(sqlOf(url, "--format", "csv", "--at", before, query).out())
          .isEqualTo("balance\r\n60\r\n");
      assertThat(
              sqlOf(url, "SELECT key FROM stablecut.objects WHERE bucket = 'posts' ORDER BY key")
                  .out())
          .contains("likes", "tags", "title", "(3 rows)");
      assertThat(sqlOf(url).out()).contains("bank.accounts: ");
    }
    assertFails(sqlOf(url, query), "no server answers");
  }

  @Test
  void aUserTableTakesPrecedenceOverTheTableOfAllObjects() {
    try (Store store = open()) {
      TableMap map = TableMap.over(store);
      map.createNamespace("stablecut");
      Table objects = Table.named("stablecut", "objects").partitionKey("mine", ColumnType.INT);
      map.createTable(objects);
      map.mutate(Put.of(objects.key(7)));
    }

    assertThat(sql("--format", "csv", "SELECT * FROM stablecut.objects").out())
        .isEqualTo("mine\r\n7\r\n");
    assertThat(sql("SELECT key FROM stablecut.all_objects WHERE bucket = 'posts'").out())
        .contains("likes");
    assertThat(sql().out().lines())
        .contains(
            "stablecut.objects: mine INT partition key", "stablecut.all_objects: all objects");
  }

  @Test
  void listsObjectsOfAllTypesInOneTable() {
    Answer answer =
        sql(
            "--format",
            "csv",
            "SELECT key, type, \"value\", number FROM stablecut.objects WHERE bucket = 'posts'"
                + " ORDER BY key");

    assertThat(answer.out().split("\r\n"))
        .as(answer.err())
        .containsExactly(
            "key,type,value,number",
            "likes,counter,3,3",
            "tags,add-wins set,\"[\"\"crdt\"\"]\",",
            "title,last-writer-wins register,Sets,");
  }

  @Test
  void omitsObjectsInTheirInitialState() {
    try (Store store = open()) {
      store.update(
          Key.counter("posts", "none").increment(0), Key.counter("posts", "back").increment(1));
      store.update(Key.counter("posts", "back").increment(-1));
    }

    assertThat(
            sql("--format", "csv", "SELECT key FROM stablecut.objects WHERE type = 'counter'")
                .out()
                .lines())
        .containsExactly("key", "likes");
  }

  @Test
  void showsAnOverflowingSum() {
    try (Store store = open()) {
      for (int i = 0; i < 2; i++) {
        store.update(
            Key.counter("large", "all").increment(Long.MAX_VALUE),
            Key.map("large", "map").counter("c").increment(Long.MAX_VALUE));
      }
    }

    Answer answer =
        sql(
            "--format",
            "csv",
            "SELECT key, \"value\", number FROM stablecut.objects WHERE bucket = 'large' ORDER BY"
                + " key");

    assertThat(answer.out().lines().skip(1))
        .as(answer.err())
        .containsExactly(
            "all,18446744073709551614,18446744073709551614",
            "map,\"{\"\"c\"\": counter=18446744073709551614}\",");
    assertThat(
            sql("--format", "csv", "SELECT SUM(number) AS s FROM stablecut.objects").out().lines())
        .containsExactly("s", "18446744073709551617");
  }

  @Test
  void showsValuesOfAllTypes() {
    try (Store store = open()) {
      TableMap.over(store)
          .mutate(
              Put.of(TYPES.key(7))
                  .value("yes", true)
                  .value("real", 1.5f)
                  .value("double", -0.25)
                  .value("blob", Bytes.wrap(new byte[] {0, (byte) 255}))
                  .value("day", LocalDate.of(2026, 11, 24))
                  .value("hour", LocalTime.of(13, 4, 5, 6_000_000))
                  .value("local", LocalDateTime.of(1969, 12, 31, 23, 59, 59, 1_000_000))
                  .value("instant", Instant.parse("2026-11-24T01:02:03.004Z")),
              Put.of(TYPES.key(8)));
    }

    assertThat(sql("--format", "csv", "SELECT * FROM bank.types ORDER BY id").out().lines())
        .containsExactly(
            "id,yes,real,double,blob,day,hour,local,instant",
            "7,true,1.5,-0.25,00ff,2026-11-24,13:04:05.006,1969-12-31 23:59:59.001,2026-11-24"
                + " 01:02:03.004",
            "8,,,,,,,,");
    Answer json =
        sql(
            "--format",
            "json",
            "SELECT yes, \"double\", \"blob\", \"day\" FROM bank.types WHERE id = 7");
    assertThat(json.out().strip())
        .as(json.err())
        .isEqualTo("{\"yes\":true,\"double\":-0.25,\"blob\":\"00ff\",\"day\":\"2026-11-24\"}");
  }

  @Test
  void listsTheTablesWithoutAQuery() {
    Answer answer = sql();

    assertThat(answer.code()).isZero();
    assertThat(answer.out().lines())
        .contains(
            "bank.accounts: owner TEXT partition key, number INT clustering key descending, balance"
                + " BIGINT indexed, note TEXT",
            "stablecut.objects: all objects");
  }

  @Test
  void explainsInvalidQueries() {
    assertFails(sql("SELEC 1"), "not SQL: SELEC 1", "line 1, column 1");
    assertFails(sql("SELECT 1; SELECT 2"), "not SQL");
    assertFails(sql(" "), "the query is empty");
    assertFails(sql(" ; "), "the query is empty");
    assertFails(sql("TABLE bank.accounts"), "write SELECT * FROM");
    assertFails(sql("SELECT u&'a\\+01F600'"), "such as U&'\\D83D\\DE00'");
    assertFails(sql("SELECT 1 FROM bank.accounts WHERE owner = ?"), "the parameter ?");
    assertFails(sql("SELECT * FROM bank.nothing"), "'nothing' not found", "line 1, column 15");
    assertFails(sql("SELECT * FROM Bank.accounts"), "'Bank' not found");
    assertFails(
        sql("SELECT nothing FROM bank.accounts"), "Column 'nothing' not found in any table");
    assertFails(sql("SELECT note + 1 FROM bank.accounts"), "SELECT note + 1 FROM bank.accounts: ");
    assertFails(sql("DELETE FROM bank.accounts"), "DELETE is no query, and SQL is read-only here");
    assertFails(sql("INSERT INTO bank.accounts VALUES ('x', 1, 1, '')"), "INSERT is no query");
    assertFails(sql("SELECT 1 / 0"), "SELECT 1 / 0: / by zero");
    assertThat(sql("SELECT COUNT(*) AS n FROM bank.accounts", "SELEC 1").code()).isEqualTo(1);
  }

  @Test
  void explainsAnUnreadableStore() {
    assertFails(2, sql("--at", "1", "SELECT 1"), "error: ");
    assertFails(2, sql("--at", "zz", "SELECT 1"), "error: ");
    try (Store store = open()) {
      assertThat(store.status()).isNotNull();
      assertFails(2, sql("SELECT 1"), "is open in this process");
    }
    directory = directory.resolve("none");
    assertFails(2, sql("SELECT 1"), "error: ");
  }

  private static void assertFails(Answer answer, String... words) {
    assertFails(1, answer, words);
  }

  private static void assertFails(int code, Answer answer, String... words) {
    assertThat(answer.code()).as(answer.out()).isEqualTo(code);
    assertThat(answer.err()).contains(words).doesNotContain("\tat ");
    assertThat(answer.err().lines()).hasSize(1);
  }
}
