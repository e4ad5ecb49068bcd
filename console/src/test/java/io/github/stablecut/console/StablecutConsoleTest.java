package io.github.stablecut.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.github.stablecut.Pin;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.CounterMapKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.web.testing.Client;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the console's answers about an embedded store. */
final class StablecutConsoleTest {
  private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");
  private static final CounterKey LIKES = Key.counter("posts", "42/likes");

  private final SteppedClock clock = new SteppedClock(NOON);

  @TempDir private Path directory;

  private Store store;
  private StablecutConsole console;
  private Client client;

  @BeforeEach
  void open() {
    store =
        Stablecut.open(
            directory.resolve("store"),
            StoreOptions.defaults()
                .withPartitions(2)
                .withClock(clock)
                .withMaxClockJump(Duration.ofDays(400)));
    console = StablecutConsole.start(store, 0);
    client = new Client(console.uri());
  }

  @AfterEach
  void close() {
    console.close();
    store.close();
  }

  private static String id(String text) {
    return RequestParameters.encoded(Bytes.utf8(text));
  }

  private static String object(Key<?> key) {
    return "bucket=%s&key=%s&type=%d"
        .formatted(
            RequestParameters.encoded(key.bucket()),
            RequestParameters.encoded(key.key()),
            key.type().typeId());
  }

  private JsonNode get(String request) {
    Client.Answer answer = client.get("/console/api/objects/" + request);
    assertThat(answer.status()).as(answer.error()).isEqualTo(200);
    return answer.body();
  }

  private static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.forEach(one -> names.add(one.path("name").path("text").asText()));
    return names;
  }

  @Test
  void showsTablesWithColumnsAndRowsAlsoByAnIndex() {
    Table accounts =
        Table.named("bank", "accounts")
            .partitionKey("owner", ColumnType.TEXT)
            .clusteringKey("number", ColumnType.INT)
            .column("balance", ColumnType.BIGINT)
            .index("balance");
    try (TableMap map = TableMap.over(store)) {
      map.createNamespace("bank");
      map.createTable(accounts);
      for (int i = 0; i < 120; i++) {
        map.mutate(Put.of(accounts.key("eve", i)).value("balance", (long) (i % 60)));
      }
    }

    JsonNode table = get("tables").at("/tables/0");
    JsonNode all = get("rows?namespace=bank&table=accounts");
    JsonNode some = get("rows?namespace=bank&table=accounts&column=balance&value=7");

    assertThat(table.path("namespace").asText() + "." + table.path("table").asText())
        .isEqualTo("bank.accounts");
    assertThat(table.at("/columns/1").toString())
        .isEqualTo(
            "{\"column\":\"number\",\"type\":\"INT\",\"key\":\"clustering key\",\"indexed\":false}");
    assertThat(table.at("/columns/2/indexed").asBoolean()).isTrue();
    assertThat(all.path("rows")).hasSize(100);
    assertThat(all.path("more").asBoolean()).isTrue();
    assertThat(some.path("rows")).hasSize(2);
    assertThat(some.at("/rows/0/2/text").asText()).isEqualTo("7");
    assertThat(client.get("/console/api/objects/rows?namespace=bank&table=no").error())
        .contains("there is no table bank.no");
    assertThat(
            client
                .get(
                    "/console/api/objects/rows?namespace=bank&table=accounts&column=balance&value=x")
                .error())
        .contains("\"x\" is no BIGINT");
  }

  @Test
  void showsBucketsAndObjectsAndPagesThroughThem() {
    for (int i = 0; i < 150; i++) {
      store.update(Key.counter("many", "n%03d".formatted(i)).increment(1));
    }
    store.update(LIKES.increment(1));

    JsonNode first = get("list?bucket=" + id("many"));
    JsonNode rest =
        get("list?bucket=" + id("many") + "&after=" + first.at("/objects/99/id").asText());

    assertThat(names(get("buckets").path("buckets"))).containsExactly("many", "posts");
    assertThat(names(first.path("objects"))).hasSize(100).startsWith("n000").endsWith("n099");
    assertThat(first.path("more").asBoolean()).isTrue();
    assertThat(names(rest.path("objects"))).hasSize(50).endsWith("n149");
    assertThat(rest.path("more").asBoolean()).isFalse();
    assertThat(names(get("list?bucket=" + id("many") + "&prefix=n14").path("objects"))).hasSize(10);
  }

  @Test
  void showsAValueAtEachMomentOfThePast() {
    store.update(LIKES.increment(1));
    clock.advance(Duration.ofSeconds(10));
    store.update(LIKES.increment(4));
    clock.advance(Duration.ofSeconds(10));

    String request = "value?" + object(LIKES);
    JsonNode now = get(request);

    assertThat(now.at("/value/text").asText()).isEqualTo("5");
    assertThat(now.path("type").asText()).isEqualTo("counter");
    assertThat(get(request + "&at=2026-11-20T12:00:05Z").at("/value/text").asText()).isEqualTo("1");
    assertThat(
            get(request + "&at=" + NOON.plusSeconds(5).toEpochMilli()).at("/value/text").asText())
        .isEqualTo("1");
    assertThat(get(request + "&at=2026-11-20T11:59:00Z").at("/value/text").asText()).isEqualTo("0");
    assertThat(get(request + "&at=" + now.path("token").asText()).at("/value/text").asText())
        .isEqualTo("5");
    assertThat(get("buckets?at=2026-11-20T11:59:00Z").path("buckets")).isEmpty();
  }

  @Test
  void tellsWhenAnObjectWasChanged() {
    store.update(LIKES.increment(1));
    store.update(Key.counter("posts", "42/likes too").increment(1));
    clock.advance(Duration.ofSeconds(10));
    store.update(LIKES.increment(4));

    JsonNode history = get("history?" + object(LIKES));

    assertThat(history.path("whole").asBoolean()).isTrue();
    assertThat(history.path("changes")).hasSize(2);
    assertThat(history.at("/changes/0/time").asLong()).isEqualTo(NOON.toEpochMilli());
    assertThat(history.at("/changes/1/time").asLong())
        .isEqualTo(NOON.plusSeconds(10).toEpochMilli());
  }

  @Test
  void showsASumThatNoLongHolds() {
    CounterMapKey<String> counters = Key.counterMap("posts", "counters", Codec.string());
    CounterKey large = Key.counter("posts", "large");
    for (int i = 0; i < 2; i++) {
      store.update(
          counters.increment("a", Long.MAX_VALUE),
          counters.increment("b", 1),
          large.increment(Long.MAX_VALUE));
    }

    assertThat(get("value?" + object(large)).at("/value/text").asText())
        .isEqualTo("18446744073709551614");
    assertThat(get("value?" + object(counters)).at("/value/entries").findValuesAsText("text"))
        .contains("18446744073709551614", "2");
  }

  @Test
  void showsAPartOfALargeObject() {
    AddWinsSetKey<String> set = Key.addWinsSet("large", "set", Codec.string());
    TextKey text = Key.text("large", "text");
    RegisterKey<Bytes> bytes = Key.register("large", "bytes", Codec.bytes());
    List<String> elements = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      elements.add("element " + i);
    }
    store.update(
        set.addAll(elements),
        text.insert(0, "x".repeat(100_000)),
        bytes.assign(Bytes.wrap(new byte[1 << 20])));

    JsonNode shownSet = get("value?" + object(set)).path("value");
    JsonNode shownText = get("value?" + object(text)).path("value");
    JsonNode shownBytes = get("value?" + object(bytes)).path("value");

    assertThat(shownSet.path("count").asInt()).isEqualTo(5_000);
    assertThat(shownSet.path("items")).hasSize(300);
    assertThat(shownText.path("length").asInt()).isEqualTo(100_000);
    assertThat(shownText.path("text").asText()).hasSize(4_000);
    assertThat(shownBytes.path("length").asInt()).isEqualTo(1 << 20);
    assertThat(shownBytes.path("hex").asText()).hasSize(1_024);
  }

  @Test
  void refusesMalformedRequests() {
    store.update(LIKES.increment(1));

    assertThat(client.get("/console/api/objects/value?bucket=%2B").error())
        .contains("type is missing");
    assertThat(client.get("/console/api/objects/list?bucket=%2B%2B%2B").error())
        .contains("base64url");
    assertThat(client.get("/console/api/objects/buckets?at=12:00").error())
        .contains("2026-11-22T09:50Z");
    assertThat(client.get("/console/api/objects/buckets?at=yesterday").error())
        .contains("not a token");
    assertThat(
            client
                .get(
                    "/console/api/objects/value?"
                        + object(LIKES).replaceFirst("type=.*", "type=9999"))
                .error())
        .contains("no type has number 9999");
    Key<?> other = Key.text("posts", "42/likes");
    assertThat(client.get("/console/api/objects/value?" + object(other)).status()).isEqualTo(400);
    assertThat(client.post("/console/api/objects/buckets", "{}").status()).isEqualTo(405);
  }

  @Test
  void tellsAWindowHowTheStoreWorks() {
    store.update(LIKES.increment(1));
    try (Transaction slow = store.begin();
        Pin pin = store.pin(store.snapshot().token());
        Client.Events live = client.events("/console/api/live")) {
      JsonNode frame = live.next().at("/frames/0");
      store.update(LIKES.increment(1));
      JsonNode next = live.next().at("/frames/0");

      assertThat(slow.read(LIKES)).isEqualTo(1);
      assertThat(pin.read(LIKES)).isEqualTo(1);
      assertThat(frame.path("partitions")).hasSize(2);
      assertThat(frame.at("/times/maxCommitted").asLong()).isEqualTo(NOON.toEpochMilli());
      assertThat(frame.path("open").asInt()).isEqualTo(2);
      assertThat(frame.at("/oldest/0/thread").asText()).isEqualTo(Thread.currentThread().getName());
      assertThat(frame.at("/oldest/0/limited").asBoolean()).isTrue();
      assertThat(frame.at("/oldest/1/limited").asBoolean()).isFalse();
      assertThat(next.at("/latencies/commit/count").asInt()).isEqualTo(1);
      assertThat(next.at("/latencies/commit/longest").asLong()).isPositive();
    }
  }

  @Test
  void sendsAWindowTheCommitsToABucket() {
    try (Client.Events watch = client.events("/console/api/objects/watch?bucket=" + id("posts"))) {
      store.update(LIKES.increment(1));

      JsonNode change = watch.next().at("/changes/0");

      assertThat(change.at("/objects/0/name/text").asText()).isEqualTo("42/likes");
      assertThat(change.path("time").asLong()).isEqualTo(NOON.toEpochMilli());
    }
  }

  @Test
  void saysThatTheStoreIsClosed() {
    store.close();

    assertThat(client.get("/console/api/objects/buckets").status()).isEqualTo(503);
    try (Client.Events live = client.events("/console/api/live")) {
      assertThat(live.next().path("trouble").asText()).contains("closed");
    }
  }

  @Test
  void saysThatThePortIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThatThrownBy(() -> StablecutConsole.start(store, taken.getLocalPort()).close())
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("choose another port");
    }
    assertThatThrownBy(() -> StablecutConsole.start(store, -1).close())
        .isInstanceOf(IllegalArgumentException.class);
  }
}
