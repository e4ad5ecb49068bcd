package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.Change;
import io.github.stablecut.Store;
import io.github.stablecut.Watch;
import io.github.stablecut.error.PartitionUnavailableException;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store on three nodes, of which the client knows one address. */
final class RemoteClusterTest {
  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final Pattern ANSWERED =
      Pattern.compile(
          "stablecut_request_seconds_count\\{kind=\"static_(read|update)\",outcome=\"ok\"\\}"
              + " ([0-9]+)");

  @TempDir private Path directory;
  private final List<CounterKey> keys = new ArrayList<>();

  RemoteClusterTest() {
    for (int i = 0; i < 24; i++) {
      keys.add(Key.counter("b", "k" + i));
    }
  }

  /** The number of clients' reads and updates that a node has answered. */
  private static long answered(TestCluster cluster, int node) throws Exception {
    URI metrics = URI.create(cluster.node(node).operations() + "/metrics");
    String text =
        HTTP.send(HttpRequest.newBuilder(metrics).build(), HttpResponse.BodyHandlers.ofString())
            .body();
    long answered = 0;
    for (Matcher line = ANSWERED.matcher(text); line.find(); ) {
      answered += Long.parseLong(line.group(2));
    }
    return answered;
  }

  private static List<Long> answered(TestCluster cluster) throws Exception {
    return List.of(answered(cluster, 0), answered(cluster, 1), answered(cluster, 2));
  }

  /** The owner of each object. */
  private Map<CounterKey, Integer> owners(TestCluster cluster, Store store) throws Exception {
    List<String> owners = cluster.owners(1);
    Map<CounterKey, Integer> found = new HashMap<>();
    keys.forEach(
        key -> found.put(key, Integer.valueOf(owners.get(store.partitionOf(key)).substring(1))));
    return found;
  }

  /** Whether each object's owner answers its reads. */
  private boolean isRouted(TestCluster cluster, Store store) throws Exception {
    Map<CounterKey, Integer> owners = owners(cluster, store);
    long[] expected = answered(cluster).stream().mapToLong(Long::longValue).toArray();
    for (CounterKey key : keys) {
      assertThat(store.read(key)).isNotNegative();
      expected[owners.getOrDefault(key, -1)]++;
    }
    return answered(cluster).equals(List.of(expected[0], expected[1], expected[2]));
  }

  /** The objects of the next changes of a watch. */
  private static List<CounterKey> changedObjects(Watch watch, int changes)
      throws InterruptedException {
    List<CounterKey> changedObjects = new ArrayList<>();
    for (int i = 0; i < changes; i++) {
      Change change = watch.poll(Duration.ofMinutes(3)).orElseThrow();
      changedObjects.add(Key.counter("b", change.objects().get(0).key().toUtf8()));
    }
    return changedObjects;
  }

  @Test
  void routesCallsToOwnersAndFindsAnotherNodeWhenTheNamedOneDies() throws Exception {
    try (TestCluster cluster = TestCluster.form(directory, 3);
        Store store = cluster.node(0).connect();
        Watch watch = store.watch("b")) {
      Eventually.holds("the client knows the owners", () -> isRouted(cluster, store));
      Map<CounterKey, Integer> owners = owners(cluster, store);
      long[] expected = answered(cluster).stream().mapToLong(Long::longValue).toArray();
      for (CounterKey key : keys) {
        store.update(key.increment());
        assertThat(store.read(key)).isOne();
        expected[owners.getOrDefault(key, -1)] += 2;
      }
      // A request is counted after its answer was sent.
      Eventually.holds(
          "each call is counted at its object's owner",
          () -> answered(cluster).equals(List.of(expected[0], expected[1], expected[2])));
      assertThat(owners).containsValues(0, 1, 2);
      assertThat(changedObjects(watch, keys.size() / 2))
          .isEqualTo(keys.subList(0, keys.size() / 2));

      List<CounterKey> away =
          keys.stream().filter(key -> owners.getOrDefault(key, -1) == 0).toList();
      List<CounterKey> left =
          keys.stream().filter(key -> owners.getOrDefault(key, -1) != 0).toList();
      cluster.node(0).kill();

      // One watch for all: each new one waits until the client has asked the other nodes.
      assertThatThrownBy(() -> store.read(away.get(0)))
          .isInstanceOf(PartitionUnavailableException.class);
      for (CounterKey key : left) {
        assertThat(store.read(key)).isOne();
        store.update(key.increment());
      }
      cluster.restart(0);
      cluster.awaitWhole();
      for (CounterKey key : keys) {
        assertThat(store.read(key)).isEqualTo(away.contains(key) ? 1 : 2);
      }
      List<CounterKey> rest = new ArrayList<>(keys.subList(keys.size() / 2, keys.size()));
      rest.addAll(left);
      assertThat(changedObjects(watch, rest.size())).isEqualTo(rest);
      assertThat(watch.poll(Duration.ZERO)).isEqualTo(Optional.empty());
      Eventually.holds("the client knows the new owner", () -> isRouted(cluster, store));
    }
  }
}
