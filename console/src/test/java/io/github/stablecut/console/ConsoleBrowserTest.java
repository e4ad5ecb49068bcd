package io.github.stablecut.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.Latencies;
import io.github.stablecut.Stablecut;
import io.github.stablecut.Store;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.key.AddWinsSetKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.map.ColumnType;
import io.github.stablecut.map.Put;
import io.github.stablecut.map.Table;
import io.github.stablecut.map.TableMap;
import io.github.stablecut.option.CheckpointPolicy;
import io.github.stablecut.option.StoreOptions;
import io.github.stablecut.web.WebServer;
import io.github.stablecut.web.testing.Browser;
import io.github.stablecut.web.testing.Pictures;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the console in a browser. */
final class ConsoleBrowserTest {
  private static final String VALUE = "document.querySelector('#value').textContent";
  private static final CounterKey VIEWS = Key.counter("articles", "snow in june/views");
  private static final AddWinsSetKey<String> TAGS =
      Key.addWinsSet("articles", "snow in june/tags", Codec.string());

  private final SteppedClock clock = new SteppedClock(Instant.now().minusSeconds(600));

  @TempDir private Path directory;

  @Test
  void aBrowserLooksAtTheStoreAndItsPast() throws IOException {
    StoreOptions options =
        StoreOptions.defaults()
            .withPartitions(8)
            .withClock(clock)
            .withMaxClockJump(Duration.ofDays(400))
            .withCheckpoints(CheckpointPolicy.byCall().withRetention(Duration.ofMinutes(30)));
    try (Store store = Stablecut.open(directory.resolve("store"), options);
        Browser browser = Browser.start(directory.resolve("browser"))) {
      live(store);
      try (Transaction slow = store.begin();
          StablecutConsole console = StablecutConsole.start(store, 0)) {
        assertThat(slow.read(VIEWS)).isEqualTo(1 + 2 + 3 + 4 + 5);
        clock.catchUp();
        browser.look(1280, 1100, false);
        browser.open(console.uri());
        atWork(browser, store);
        objects(browser, store);
        assertThat(browser.errors()).isEmpty();
      }
    }
  }

  /** Simulates ten minutes of a small newspaper. */
  private void live(Store store) {
    for (int i = 1; i <= 5; i++) {
      store.update(
          VIEWS.increment(i),
          TAGS.add("tag " + i),
          Key.text("articles", "snow in june/text").insert(0, "Line " + i + "\n"));
      store.update(Key.counter("readers", "<img src=x onerror=alert(1)>").increment(i));
      store.checkpoint();
      clock.advance(Duration.ofSeconds(100));
    }
  }

  private static void atWork(Browser browser, Store store) throws IOException {
    browser.await("document.querySelectorAll('#ring .part').length === 8");
    for (int i = 0; i < 3; i++) {
      store.update(Key.counter("readers", "visits").increment(1));
      browser.await(
          "document.querySelectorAll('#throughput polyline')[1].points.length >= " + (i + 2));
    }
    browser.await("document.querySelectorAll('#open tbody tr').length === 1");
    assertThat(browser.evaluate("document.querySelector('#health').textContent").asText())
        .isEqualTo("All is well");
    assertThat(browser.evaluate("document.querySelector('#truncation .age').textContent").asText())
        .isNotEmpty();
    browser.photograph(Pictures.file("console"));
    browser.look(1280, 1100, true);
    browser.photograph(Pictures.file("console-dark"));
  }

  private static void objects(Browser browser, Store store) throws IOException {
    browser.click("#tabs button[value='objects']");
    browser.await("document.querySelectorAll('#keys li').length === 3");
    browser.click("#keys li:nth-child(3) button");
    browser.await(VALUE + " === '15'");
    browser.await("document.querySelectorAll('#history li').length === 5");
    slide(browser, 500);
    browser.await(VALUE + " !== '15' && Number(" + VALUE + ") > 0");
    browser.click("#keys li:nth-child(1) button");
    browser.await("document.querySelectorAll('#value li').length > 0");
    assertThat(browser.evaluate("document.querySelectorAll('#value li').length < 5").asBoolean())
        .as("fewer tags in the past")
        .isTrue();
    browser.photograph(Pictures.file("console-past"));

    browser.click("#now");
    browser.click("#keys li:nth-child(3) button");
    browser.await(VALUE + " === '15'");
    store.update(VIEWS.increment(100));
    browser.await(VALUE + " === '115'");
    browser.await("document.querySelectorAll('#news li').length >= 1");
    browser.look(1280, 1100, false);
    browser.photograph(Pictures.file("console-objects"));

    browser.click("#buckets li:nth-child(2) button");
    browser.await(
        "document.querySelector('#keys span')?.textContent === '<img src=x onerror=alert(1)>'");
    browser.look(390, 844, false);
    assertThat(browser.evaluate("document.documentElement.scrollWidth <= innerWidth").asBoolean())
        .as("the page fits a phone's width")
        .isTrue();
  }

  /** Moves the slider to a position of 1,000. */
  private static void slide(Browser browser, int part) {
    browser.evaluate(
        "(() => { const slider = document.querySelector('#slider'); slider.value = %d; slider.dispatchEvent(new Event('input')); })()"
            .formatted(part));
  }

  @Test
  void namesThatAreEmptyAreShown() throws IOException {
    String shown = "document.querySelector('#value')?.textContent";
    try (Store store = Stablecut.open(directory.resolve("store"));
        Browser browser = Browser.start(directory.resolve("browser"));
        StablecutConsole console = StablecutConsole.start(store, 0)) {
      store.update(Key.counter("", "").increment(7), Key.counter("", "last").increment(8));

      browser.open(console.uri().resolve("#/objects"));
      browser.await(shown + " === '7'");
      browser.click("#keys li:nth-child(2) button");
      browser.await(shown + " === '8'");
      browser.open(console.uri().resolve("?again=1#/objects///1"));

      browser.await(shown + " === '7'");
      browser.await("document.querySelectorAll('#keys li').length === 2");
      assertThat(browser.errors()).isEmpty();
    }
  }

  /** A simulated cluster of three nodes. */
  private static final class Cluster implements ConsoleSource {
    private final Store store;
    private volatile State third = State.REACHABLE;
    private volatile Optional<Move> move = Optional.empty();
    private volatile boolean isLearning;

    Cluster(Store store) {
      this.store = store;
    }

    @Override
    public Store store() {
      return store;
    }

    @Override
    public String name() {
      return "node oslo";
    }

    @Override
    public List<Node> nodes() {
      return List.of(
          new Node("lima", State.REACHABLE), new Node("oslo", State.HERE), new Node("pune", third));
    }

    @Override
    public List<Partition> places() {
      List<Partition> places = new ArrayList<>();
      for (int i = 0; i < 12; i++) {
        String node = List.of("oslo", "lima", "pune").get(i % 3);
        boolean isServing = !node.equals("pune") || third != State.AWAY;
        places.add(new Partition(i, node, isServing, 5, i == 4 ? move : Optional.empty()));
      }
      return places;
    }

    @Override
    public Optional<ConsoleSource.Cluster> cluster() {
      boolean isAway = third == State.AWAY;
      return Optional.of(
          new ConsoleSource.Cluster(
              3, isAway ? 2 : 3, 12, isAway ? 8 : 12, 36, isAway ? 24 : isLearning ? 35 : 36));
    }

    @Override
    public List<ReplicaGroup> replicas() {
      List<ReplicaGroup> groups = new ArrayList<>();
      for (Partition place : places()) {
        ReplicaState ofThird =
            third == State.AWAY
                ? ReplicaState.SILENT
                : isLearning && place.partition() == 0
                    ? ReplicaState.LEARNS
                    : ReplicaState.UP_TO_DATE;
        boolean isHere = place.node().equals("oslo");
        groups.add(
            new ReplicaGroup(
                place.partition(),
                place.node(),
                isHere
                    ? List.of(
                        new Replica("oslo", ReplicaState.LEADS, 0, 9_000),
                        new Replica("lima", ReplicaState.BEHIND, 12, 9_000),
                        new Replica(
                            "pune", ofThird, ofThird == ReplicaState.LEARNS ? 3_000 : 0, 9_000))
                    : List.of(
                        new Replica("oslo", ReplicaState.UP_TO_DATE, 0, 9_000),
                        new Replica("pune", ReplicaState.VOTES, 0, 0)),
                !isHere && third == State.AWAY ? List.of("pune is silent") : List.of()));
      }
      return groups;
    }

    @Override
    public Map<String, Latencies> requests() {
      return Map.of();
    }

    @Override
    public List<String> warnings() {
      return third == State.AWAY ? List.of("4 of 12 partitions can't be reached") : List.of();
    }
  }

  @Test
  void showsTheClusterFirstAndItsReplicas() throws IOException {
    try (Store store = Stablecut.open(directory.resolve("store"));
        Browser browser = Browser.start(directory.resolve("browser"))) {
      Cluster cluster = new Cluster(store);
      try (Console console = Console.of(cluster);
          WebServer server =
              WebServer.start(
                  console.app(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
        String tiles = "document.querySelector('#cluster-tiles').textContent";
        String rows = "document.querySelector('#replicas tbody').textContent";
        browser.look(1280, 1300, false);
        browser.open(server.uri());
        browser.await(tiles + ".includes('replicas up to date36 of 36')");
        browser.await("document.querySelectorAll('#replicas tbody tr').length === 12");
        assertThat(browser.evaluate(rows).asText()).contains("lima 12 behind", "pune up to date");
        assertThat(browser.evaluate("document.querySelector('#scope').textContent").asText())
            .isEqualTo("Node oslo");
        assertThat(browser.evaluate("document.querySelector('#internals').open").asBoolean())
            .isFalse();
        photograph(browser, "healthy");

        cluster.isLearning = true;
        browser.await(rows + ".includes('pune is catching up: 3,000 to go')");
        assertThat(
                browser
                    .evaluate("document.querySelector('#replicas progress').position > 0.6")
                    .asBoolean())
            .isTrue();
        photograph(browser, "learning");

        cluster.isLearning = false;
        cluster.third = ConsoleSource.State.AWAY;
        browser.await(rows + ".includes('pune is silent')");
        browser.await(tiles + ".includes('replicas up to date24 of 36')");
        assertThat(browser.evaluate("document.querySelectorAll('.tile.bad').length").asInt())
            .isEqualTo(3);
        photograph(browser, "degraded");
        assertThat(browser.errors()).isEmpty();
      }
    }
  }

  /** Takes pictures in both themes. */
  private static void photograph(Browser browser, String state) throws IOException {
    browser.look(1280, 1300, false);
    browser.photograph(Pictures.file("console-" + state));
    browser.look(1280, 1300, true);
    browser.photograph(Pictures.file("console-" + state + "-dark"));
  }

  @Test
  void showsTheRowsOfATable() throws IOException {
    try (Store store = Stablecut.open(directory.resolve("store"));
        TableMap map = TableMap.over(store);
        Browser browser = Browser.start(directory.resolve("browser"));
        StablecutConsole console = StablecutConsole.start(store, 0)) {
      Table accounts =
          Table.named("bank", "accounts")
              .partitionKey("owner", ColumnType.TEXT)
              .clusteringKey("number", ColumnType.INT)
              .column("balance", ColumnType.BIGINT)
              .column("note", ColumnType.TEXT)
              .index("balance");
      map.createNamespace("bank");
      map.createTable(accounts);
      for (int i = 0; i < 30; i++) {
        map.mutate(
            Put.of(accounts.key(List.of("eve", "ada", "bob").get(i % 3), i))
                .value("balance", (long) (i % 10) * 100)
                .value("note", "<b>" + i));
      }

      browser.look(1280, 1100, false);
      browser.open(console.uri().resolve("#/tables"));
      browser.await("document.querySelectorAll('#rows tbody tr').length === 30");
      assertThat(browser.evaluate("document.querySelector('#rows thead').textContent").asText())
          .isEqualTo(
              "ownerTEXT, partition keynumberINT, clustering keybalanceBIGINT, indexednoteTEXT");
      browser.photograph(Pictures.file("console-tables"));
      browser.look(1280, 1100, true);
      browser.photograph(Pictures.file("console-tables-dark"));
      browser.evaluate(
          "(() => { const wanted = document.querySelector('#wanted'); wanted.value = '700'; wanted.dispatchEvent(new Event('input')); })()");
      browser.await("document.querySelectorAll('#rows tbody tr').length === 3");
      assertThat(browser.errors()).isEmpty();
    }
  }

  @Test
  void theRingShowsANodeThatIsAwayAndAPartitionThatMoves() throws IOException {
    try (Store store = Stablecut.open(directory.resolve("store"));
        Browser browser = Browser.start(directory.resolve("browser"))) {
      Cluster cluster = new Cluster(store);
      try (Console console = Console.of(cluster);
          WebServer server =
              WebServer.start(
                  console.app(), new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
        browser.look(1280, 1100, false);
        browser.open(server.uri());
        browser.await("document.querySelectorAll('#ring .part').length === 12");
        assertThat(browser.evaluate("document.querySelectorAll('.part.away').length").asInt())
            .isZero();

        cluster.move = Optional.of(new ConsoleSource.Move("oslo", 40));
        browser.await("document.querySelector('#ring progress')?.value === 40");
        assertThat(browser.evaluate("document.querySelector('.moves p').textContent").asText())
            .contains("Partition 4 moves to oslo");
        cluster.move = Optional.empty();
        cluster.third = ConsoleSource.State.AWAY;
        browser.await("document.querySelectorAll('.part.away').length === 4");
        browser.await("document.querySelector('#health').textContent.includes('4 of 12')");
        browser.await("document.querySelectorAll('#ring progress').length === 0");
        assertThat(
                browser.evaluate("document.querySelector('.nodes .away b').textContent").asText())
            .isEqualTo("pune");
        browser.photograph(Pictures.file("console-ring"));

        cluster.third = ConsoleSource.State.REACHABLE;
        browser.await("document.querySelectorAll('.part.away').length === 0");
        assertThat(browser.errors()).isEmpty();
      }
    }
  }
}
