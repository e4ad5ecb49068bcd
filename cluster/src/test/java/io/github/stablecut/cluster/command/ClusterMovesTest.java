package io.github.stablecut.cluster.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.github.stablecut.cluster.command.cluster.ClusterLeave;
import io.github.stablecut.cluster.command.cluster.ClusterMove;
import io.github.stablecut.cluster.command.cluster.ClusterRebalance;
import io.github.stablecut.cluster.command.cluster.ClusterReplace;
import io.github.stablecut.cluster.command.cluster.ClusterReplicas;
import io.github.stablecut.cluster.command.cluster.DcConnect;
import io.github.stablecut.cluster.command.cluster.DcDetach;
import io.github.stablecut.cluster.command.cluster.DcRemove;
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
 * The requests of the commands that move partitions, and their reactions to the answers. Each test
 * scripts the admin port's answers; the commands call node n1.
 */
final class ClusterMovesTest {
  private static final String OLD = "00000000000000aa";
  private static final String NEW = "00000000000000bb";

  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Set<String> announcers = new ConcurrentSkipListSet<>();
  private final Map<Integer, String> owners = new TreeMap<>(Map.of(0, "n1", 1, "n1"));
  private List<String> nodes = List.of("n1", "n2", "n3");
  private List<String> leaving = List.of();

  /** The reported moves, one list per poll; the last one is repeated. */
  private List<List<Map<String, Object>>> polls = List.of(List.of());

  private Supplier<HttpResponse> moveResponse = () -> accepted(NEW);
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

  private static HttpResponse accepted(String move) {
    return new HttpResponse(202, "application/json", "{\"move\":\"" + move + "\"}");
  }

  private static Map<String, Object> move(String number, String state, String problem) {
    return Map.of("move", number, "to", "n2", "state", state, "problem", problem);
  }

  private synchronized HttpResponse answer(HttpRequest call) {
    if (!call.isPost()) {
      return new HttpResponse(200, "application/json", status());
    }
    String request = call.path().replace("/api/v1/cluster/", "");
    TreeMap<String, String> parameters = new TreeMap<>(call.parameters());
    Optional.ofNullable(parameters.remove("by")).ifPresent(announcers::add);
    requests.add(request + parameters);
    if (!request.equals("move")) {
      return new HttpResponse(202, "application/json", "{\"begun\":true}");
    }
    HttpResponse answer = moveResponse.get();
    if (answer.status() == 202) {
      owners.put(
          Integer.valueOf(call.parameters().get("partition")), call.parameters().get("node"));
    }
    return answer;
  }

  private String status() {
    List<Map<String, Object>> moves = polls.get(0);
    if (polls.size() > 1) {
      polls = polls.subList(1, polls.size());
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
                  Map.of("what", "the command", "over", true, "problem", "")));
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
  void doesNotConfuseAnEarlierFailedMoveWithTheNewOne() {
    Map<String, Object> old = move(OLD, "FAILED", "no room");
    polls = List.of(List.of(old), List.of(old), List.of(move(NEW, "DONE", "")));

    CommandResult result = run(new ClusterMove(), 0, "n2");

    assertThat(result.err()).isEmpty();
    assertThat(result.out()).startsWith("partition 0 is on node n2 at epoch 1");
  }

  @Test
  void reportsAMoveThatFailsLikeTheEarlierOne() {
    polls =
        List.of(List.of(move(OLD, "FAILED", "no room")), List.of(move(NEW, "FAILED", "no room")));

    CommandResult result = run(new ClusterMove(), 0, "n2");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("partition 0 was not moved: no room");
  }

  @Test
  void printsJsonThatMatchesTheSchema() throws Exception {
    polls = List.of(List.of(move(NEW, "DONE", "")));
    ToolsSchema schema = ToolsSchema.read();
    Map<String, CommandResult> results = new TreeMap<>();
    results.put("cluster move", run(new ClusterMove(), 0, "n2", "--json"));
    results.put("cluster rebalance", run(new ClusterRebalance(), "--json"));
    results.put("cluster leave", run(new ClusterLeave(), "--json"));
    results.put("cluster replace", run(new ClusterReplace(), "n4", "n5", "--json"));
    results.put("cluster replicas", run(new ClusterReplicas(), 3, "--json"));
    results.put("dc connect", run(new DcConnect(), "host:1", "--json"));
    results.put("dc detach", run(new DcDetach(), 2, "--json"));
    results.put("dc remove", run(new DcRemove(), "--json"));

    results.forEach(
        (command, result) -> {
          assertThat(result.code()).as(result.err()).isZero();
          assertThat(result.out().lines()).as(command).hasSize(1);
        });
    for (Map.Entry<String, CommandResult> one : results.entrySet()) {
      assertThat(schema.check(one.getKey(), one.getValue())).hasSize(1);
    }
    assertThat(results.get("cluster move").err()).startsWith("partition 0 is on node n2");
    assertThat(results.get("cluster leave").out()).contains("\"moves\":[{\"partition\":1,");
  }

  @Test
  void doesNotWaitForAMoveThatIsNoLongerReported() {
    polls = List.of(List.of(move(NEW, "COPYING", "")), List.of());

    CommandResult result = run(new ClusterMove(), 0, "n2");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("node n2 no longer reports the move of partition 0");
  }

  @Test
  void aLeaveIsAnnouncedFirstAndUsesNodesThatStay() {
    leaving = List.of("n1", "n2");
    polls = List.of(List.of(move(NEW, "DONE", "")));

    CommandResult result = run(new ClusterLeave());

    assertThat(result.err()).isEmpty();
    assertThat(requests)
        .containsExactly(
            "announce-leave{seconds=30}",
            "move{node=n3, partition=0}",
            "move{node=n3, partition=1}",
            "leave{}");
  }

  @Test
  void aLeaveTriesAnotherNodeAfterARefusal() {
    polls = List.of(List.of(move(NEW, "DONE", "")));
    moveResponse =
        () -> {
          moveResponse = () -> accepted(NEW);
          return HttpResponse.text(409, "node n2 is leaving the cluster: choose another node");
        };

    CommandResult result = run(new ClusterLeave());

    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("node n2 refuses: node n2 is leaving the cluster");
    assertThat(requests)
        .containsExactly(
            "announce-leave{seconds=30}",
            "move{node=n2, partition=0}",
            "move{node=n3, partition=0}",
            "move{node=n3, partition=1}",
            "leave{}");
  }

  @Test
  void aFailedLeaveIsWithdrawn() {
    moveResponse = () -> HttpResponse.text(409, "no room");

    CommandResult result = run(new ClusterLeave());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("no room");
    assertThat(requests)
        .startsWith("announce-leave{seconds=30}")
        .endsWith("announce-leave{seconds=0}")
        .doesNotContain("leave{}");
    assertThat(announcers).hasSize(1);

    run(new ClusterLeave());
    assertThat(announcers).hasSize(2);
  }

  @Test
  void aLeaveNeedsAnotherNodeThatStays() {
    leaving = List.of("n1", "n2", "n3");

    assertThat(run(new ClusterLeave()).err())
        .contains("all reachable nodes are leaving, [n1, n2, n3]: wait until");
    assertThat(run(new ClusterRebalance()).err())
        .contains("all reachable nodes are leaving, [n1, n2, n3]");
    leaving = List.of("n1");
    nodes = List.of("n1");
    assertThat(run(new ClusterLeave()).err())
        .contains("node n1 is the only reachable one: start another node");
    assertThat(requests).noneMatch(request -> request.startsWith("move"));
  }

  @Test
  void waitsForAPartitionThatAnotherRebalanceMoves() {
    polls = List.of(List.of(), List.of(move(OLD, "COPYING", "")), List.of());
    moveResponse =
        () -> {
          owners.put(0, "n2");
          return HttpResponse.text(409, "partition 0 is already being moved to node n2");
        };

    CommandResult result = run(new ClusterRebalance());

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out()).contains("n1 has 1, n2 has 1, n3 has 0");
    assertThat(requests).containsExactly("move{node=n2, partition=0}");
  }

  @Test
  void aRefusedRebalanceFails() {
    moveResponse = () -> HttpResponse.text(409, "no room");

    CommandResult result = run(new ClusterRebalance());

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.err()).contains("no room");
    assertThat(requests).containsExactly("move{node=n2, partition=0}");
  }

  @Test
  void aRebalanceIgnoresLeavingNodes() {
    owners.put(2, "n3");
    leaving = List.of("n1", "n2");

    CommandResult result = run(new ClusterRebalance());

    assertThat(result.out()).contains("n1 has 2 and is leaving, n2 has 0 and is leaving, n3 has 1");
    assertThat(requests).isEmpty();
  }
}
