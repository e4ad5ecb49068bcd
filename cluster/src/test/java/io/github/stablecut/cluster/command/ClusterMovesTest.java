package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.cluster.internal.network.HttpAccess;
import io.github.stablecut.cluster.internal.network.HttpHandler;
import io.github.stablecut.cluster.internal.network.HttpRequest;
import io.github.stablecut.cluster.internal.network.HttpResponse;
import io.github.stablecut.cluster.internal.network.HttpServer;
import io.github.stablecut.cluster.internal.secret.ClusterSecret;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What the commands that move partitions order, and what they make of the answers. The port for
 * operators tells what each test wants it to; the asked node is n1.
 */
final class ClusterMovesTest {
  private static final String OLD = "00000000000000aa";
  private static final String NEW = "00000000000000bb";

  private final List<String> orders = new CopyOnWriteArrayList<>();
  private final Set<String> announcers = new ConcurrentSkipListSet<>();
  private final Map<Integer, String> owners = new TreeMap<>(Map.of(0, "n1", 1, "n1"));
  private List<String> nodes = List.of("n1", "n2", "n3");
  private List<String> leaving = List.of();

  /** What is told of moves of partition 0, one list per look; the last for ever. */
  private List<List<Map<String, Object>>> looks = List.of(List.of());

  private Supplier<HttpResponse> moved = () -> begun(NEW);
  private HttpServer port;

  @BeforeEach
  void open() {
    port =
        new HttpServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            new HttpAccess(
                InetAddress.getLoopbackAddress(),
                "127.0.0.1",
                Optional.of(ClusterSecret.of(ClusterSecret.userFile()).token())),
            new HttpHandler() {
              @Override
              public boolean isQuick(HttpRequest call) {
                return true;
              }

              @Override
              public HttpResponse answer(HttpRequest call) {
                return ClusterMovesTest.this.answer(call);
              }
            });
  }

  @AfterEach
  void close() {
    port.close(Duration.ZERO);
  }

  private static HttpResponse begun(String move) {
    return new HttpResponse(202, "application/json", "{\"move\":\"" + move + "\"}");
  }

  private static Map<String, Object> move(String number, String state, String problem) {
    return Map.of("move", number, "to", "n2", "state", state, "problem", problem);
  }

  private synchronized HttpResponse answer(HttpRequest call) {
    if (!call.isPost()) {
      return new HttpResponse(200, "application/json", status());
    }
    String order = call.path().replace("/api/v1/cluster/", "");
    TreeMap<String, String> parameters = new TreeMap<>(call.parameters());
    Optional.ofNullable(parameters.remove("by")).ifPresent(announcers::add);
    orders.add(order + parameters);
    if (!order.equals("move")) {
      return new HttpResponse(202, "application/json", "{\"begun\":true}");
    }
    HttpResponse answer = moved.get();
    if (answer.status() == 202) {
      owners.put(
          Integer.valueOf(call.parameters().get("partition")), call.parameters().get("node"));
    }
    return answer;
  }

  private String status() {
    List<Map<String, Object>> moves = looks.get(0);
    if (looks.size() > 1) {
      looks = looks.subList(1, looks.size());
    }
    List<Map<String, Object>> partitions = new ArrayList<>();
    owners.forEach(
        (partition, node) ->
            partitions.add(
                Map.of(
                    "partition",
                    partition,
                    "node",
                    node,
                    "epoch",
                    1,
                    "reachable",
                    true,
                    "moves",
                    moves)));
    try {
      return new ObjectMapper()
          .writeValueAsString(
              Map.of(
                  "node",
                  "n1",
                  "nodes",
                  nodes,
                  "leaving",
                  leaving,
                  "partitions",
                  partitions,
                  "dataCentre",
                  1,
                  "dataCentres",
                  List.of(),
                  "order",
                  Map.of("what", "what was ordered", "over", true, "problem", "")));
    } catch (JsonProcessingException e) {
      throw new AssertionError(e);
    }
  }

  private CommandResult run(Object command, Object... args) {
    List<Object> all = new ArrayList<>(List.of(args));
    all.addAll(List.of("--url", "http://127.0.0.1:" + port.address().getPort()));
    return CommandResult.of(command, all.toArray());
  }

  @Test
  void aMoveThatHasFailedBeforeIsNotTakenForTheNewOne() {
    Map<String, Object> old = move(OLD, "FAILED", "no room");
    looks = List.of(List.of(old), List.of(old), List.of(move(NEW, "DONE", "")));

    CommandResult result = run(new ClusterMove(), 0, "n2");

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).startsWith("partition 0 is on node n2 at epoch 1");
  }

  @Test
  void aMoveThatFailsAsTheOneBeforeItIsOver() {
    looks =
        List.of(List.of(move(OLD, "FAILED", "no room")), List.of(move(NEW, "FAILED", "no room")));

    CommandResult result = run(new ClusterMove(), 0, "n2");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("partition 0 was not moved: no room");
  }

  @Test
  void ordersAreToldAsTheSchemaSays() throws Exception {
    looks = List.of(List.of(move(NEW, "DONE", "")));
    ToolsSchema schema = ToolsSchema.read();
    Map<String, CommandResult> told = new TreeMap<>();
    told.put("cluster move", run(new ClusterMove(), 0, "n2", "--json"));
    told.put("cluster rebalance", run(new ClusterRebalance(), "--json"));
    told.put("cluster leave", run(new ClusterLeave(), "--json"));
    told.put("cluster replace", run(new ClusterReplace(), "n4", "n5", "--json"));
    told.put("cluster replicas", run(new ClusterReplicas(), 3, "--json"));
    told.put("dc connect", run(new DcConnect(), "host:1", "--json"));
    told.put("dc detach", run(new DcDetach(), 2, "--json"));
    told.put("dc remove", run(new DcRemove(), "--json"));

    told.forEach(
        (command, result) -> {
          assertThat(result.code()).as(result.err()).isZero();
          assertThat(result.out().lines()).as(command).hasSize(1);
        });
    for (Map.Entry<String, CommandResult> one : told.entrySet()) {
      assertThat(schema.check(one.getKey(), one.getValue())).hasSize(1);
    }
    assertThat(told.get("cluster move").err()).startsWith("partition 0 is on node n2");
    assertThat(told.get("cluster leave").out()).contains("\"moves\":[{\"partition\":1,");
  }

  @Test
  void aMoveThatIsNotToldOfAnyMoreIsNotWaitedFor() {
    looks = List.of(List.of(move(NEW, "COPYING", "")), List.of());

    CommandResult result = run(new ClusterMove(), 0, "n2");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err())
        .contains("node n2 does not say any more how far the move of partition 0 is");
  }

  @Test
  void whoLeavesSaysSoFirstAndFillsThoseThatStay() {
    leaving = List.of("n1", "n2");
    looks = List.of(List.of(move(NEW, "DONE", "")));

    CommandResult result = run(new ClusterLeave());

    assertThat(result.err()).isEmpty();
    assertThat(orders)
        .containsExactly(
            "announce-leave{seconds=30}",
            "move{node=n3, partition=0}",
            "move{node=n3, partition=1}",
            "leave{}");
  }

  @Test
  void whoIsRefusedByOneTriesAnother() {
    looks = List.of(List.of(move(NEW, "DONE", "")));
    moved =
        () -> {
          moved = () -> begun(NEW);
          return HttpResponse.text(409, "node n2 is leaving the cluster: choose another one");
        };

    CommandResult result = run(new ClusterLeave());

    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("not to node n2: node n2 is leaving the cluster");
    assertThat(orders)
        .containsExactly(
            "announce-leave{seconds=30}",
            "move{node=n2, partition=0}",
            "move{node=n3, partition=0}",
            "move{node=n3, partition=1}",
            "leave{}");
  }

  @Test
  void aLeaveThatIsGivenUpIsTakenBack() {
    moved = () -> HttpResponse.text(409, "no room");

    CommandResult result = run(new ClusterLeave());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("no room");
    assertThat(orders)
        .startsWith("announce-leave{seconds=30}")
        .endsWith("announce-leave{seconds=0}")
        .doesNotContain("leave{}");
    assertThat(announcers).hasSize(1);

    run(new ClusterLeave());
    assertThat(announcers).hasSize(2);
  }

  @Test
  void whoWouldLeaveNobodyIsRefused() {
    leaving = List.of("n1", "n2", "n3");

    assertThat(run(new ClusterLeave()).err())
        .contains("no node that can be reached stays, [n1, n2, n3] leave: wait for them");
    assertThat(run(new ClusterRebalance()).err())
        .contains("no node that can be reached stays, [n1, n2, n3] leave");
    leaving = List.of("n1");
    nodes = List.of("n1");
    assertThat(run(new ClusterLeave()).err())
        .contains("node n1 is the only one that can be reached: start another one");
    assertThat(orders).noneMatch(order -> order.startsWith("move"));
  }

  @Test
  void aPartitionThatAnotherRebalanceMovesIsWaitedFor() {
    looks = List.of(List.of(), List.of(move(OLD, "COPYING", "")), List.of());
    moved =
        () -> {
          owners.put(0, "n2");
          return HttpResponse.text(409, "partition 0 is already being moved to node n2");
        };

    CommandResult result = run(new ClusterRebalance());

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).contains("n1 has 1, n2 has 1, n3 has 0");
    assertThat(orders).containsExactly("move{node=n2, partition=0}");
  }

  @Test
  void aRebalanceThatIsRefusedFails() {
    moved = () -> HttpResponse.text(409, "no room");

    CommandResult result = run(new ClusterRebalance());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("no room");
    assertThat(orders).containsExactly("move{node=n2, partition=0}");
  }

  @Test
  void whoLeavesIsNotFilledAndNotEmptiedByARebalance() {
    owners.put(2, "n3");
    leaving = List.of("n1", "n2");

    CommandResult result = run(new ClusterRebalance());

    assertThat(result.out()).contains("n1 has 2 and leaves, n2 has 0 and leaves, n3 has 1");
    assertThat(orders).isEmpty();
  }
}
